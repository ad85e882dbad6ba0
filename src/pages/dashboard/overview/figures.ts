import { type Html, html } from '../../../lib/html.ts'
import type { Overview } from '../../../media/index.ts'
import { writeNumber, writeSize } from '../../../words/format.ts'
import type { PageCall } from '../../page-call.ts'
import { meter } from '../../parts/states.ts'

/** The totals of the site; a meter only where there is a limit. */
export function figures({ reader: { words, language } }: PageCall, { uses }: Overview): Html {
  const names = {
    files: words.filesTab,
    storageUsed: words.storage,
    users: words.users,
    albums: words.albums,
  }
  const rows = uses.map(({ total, used, limit }) => {
    const write = total === 'storageUsed' ? writeSize : writeNumber
    const label = names[total]
    const use =
      limit === undefined
        ? undefined
        : meter({
            label,
            used,
            limit,
            text: words.ofLimit(write(language, used), write(language, limit)),
          })
    return html`<div><dt>${label}</dt><dd><span class="figure">${write(language, used)}</span>${use}</dd></div>`
  })
  return html`<dl class="figures">${rows}</dl>`
}
