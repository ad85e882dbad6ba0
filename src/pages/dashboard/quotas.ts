import { type Html, html } from '../../lib/html.ts'
import type { Quota, Quotas } from '../../site/index.ts'
import { banner, meter } from '../../ui/parts/states.ts'
import type { Reader } from '../../ui/reader.ts'
import { timeTag, writeNumber, writePercent, writeSize } from '../../words/format.ts'

/** What the staff must act on: quotas that are nearly or wholly used up, and when the site will be suspended for one. */
export function quotaNotices({ words, language }: Reader, { quotas, suspendsAt }: Quotas): Html[] {
  const notices = quotas.flatMap(({ name, state, percent }): Html[] => {
    if (state === 'ok') return []
    const text =
      state === 'alert' ? words.quotaAlerts[name](writePercent(language, percent)) : words.quotaReached[name]
    return [banner(html`<p>${text}</p>`, state === 'alert' ? 'warn' : 'danger')]
  })
  if (!suspendsAt) return notices
  const [before, behind] = words.quotaSuspends
  const date = html`<p>${before}${timeTag(language, suspendsAt, 'UTC')}${behind}</p>`
  return [banner(date, 'danger'), ...notices]
}

/** Storage is among the totals of the site already. */
export const monthlyFigures = (reader: Reader, { quotas }: Quotas): Html[] =>
  quotas.filter(({ name }) => name !== 'SERVICE_MAX_STORAGE').map((quota) => figureOf(reader, quota))

function figureOf({ words, language }: Reader, { name, used, value }: Quota): Html {
  const write = name === 'SERVICE_MAX_TRAFFIC' ? writeSize : writeNumber
  const label = words.quotaNames[name]
  const text = words.ofLimit(write(language, used), write(language, value))
  return html`<div><dt>${label}</dt><dd><span class="figure">${write(language, used)}</span>${meter({ label, used, limit: value, text })}</dd></div>`
}
