import { routeNotFound } from '../../http/responses/errors.ts'
import { type Html, html } from '../../lib/html.ts'
import { countLimits } from '../../site/index.ts'
import { type InstallationOverview, type NearLimit, readInstallation } from '../../tenants/index.ts'
import { pager, table } from '../../ui/parts/lists.ts'
import { banner, meter } from '../../ui/parts/states.ts'
import type { Words } from '../../words/en.ts'
import { writeNumber, writeSize } from '../../words/format.ts'
import { type ConsoleCall, type ConsoleHandler, consolePath } from '../console-call.ts'
import { consolePage } from '../frame.ts'
import { tenantPath } from '../record-paths.ts'

const tenantsOfPage = 50

interface AttentionList {
  title: (words: Words) => string
  text: (words: Words) => string
  none: (words: Words) => string
  rows: (overview: InstallationOverview) => readonly (string | NearLimit)[]
}

/** What the overview counts, tenant by tenant. */
const lists: Readonly<Record<string, AttentionList>> = {
  limits: {
    title: (words) => words.consoleNearTitle,
    text: (words) => words.consoleNearText,
    none: (words) => words.consoleNearNone,
    rows: ({ nearLimits }) => nearLimits,
  },
  suspended: {
    title: (words) => words.consoleSuspendedTitle,
    text: (words) => words.consoleSuspendedText,
    none: (words) => words.consoleSuspendedNone,
    rows: ({ suspended }) => suspended,
  },
  unreadable: {
    title: (words) => words.consoleUnreadableTitle,
    text: (words) => words.consoleUnreadableText,
    none: (words) => words.consoleUnreadableNone,
    rows: ({ unreadable }) => unreadable,
  },
}

export const showAttention: ConsoleHandler = async (call) => {
  const { params, control, query, reader } = call
  const kind = params.kind ?? ''
  const list = Object.hasOwn(lists, kind) ? lists[kind] : undefined
  if (!list) throw routeNotFound()
  const { words } = reader
  const rows = list.rows(await readInstallation(control, { dayCount: 1 }))
  const page = Math.max(1, Math.floor(Number(query.get('page') ?? 1)) || 1)
  const shown = rows.slice((page - 1) * tenantsOfPage, page * tenantsOfPage)
  const address = (at: number) => `${consolePath(`attention/${kind}`)}?page=${at}`
  const pages = pager({
    words,
    newer: page > 1 ? address(page - 1) : undefined,
    older: rows.length > page * tenantsOfPage ? address(page + 1) : undefined,
    labels: [words.consolePrevious, words.consoleNext],
  })
  const content =
    rows.length === 0
      ? banner(html`<p>${list.none(words)}</p>`, 'good')
      : html`<p class="soft">${list.text(words)}</p>${tableOf(call, list.title(words), shown)}${rows.length > tenantsOfPage ? pages : undefined}`
  return { page: consolePage(call, { part: '', title: list.title(words), content }) }
}

function tableOf({ reader }: ConsoleCall, title: string, rows: readonly (string | NearLimit)[]): Html {
  const { words, language } = reader
  const columns = [words.consoleTenant, words.consoleLimit, words.consoleUse].map((name) => ({ name }))
  const link = (id: string) => html`<a href="${tenantPath(id)}" dir="auto">${id}</a>`
  if (rows.every((row) => typeof row === 'string'))
    return table(
      title,
      columns.slice(0, 1),
      rows.map((id) => [link(id)]),
    )
  const cells = rows.flatMap((row) => {
    if (typeof row === 'string') return []
    const { tenant, name, used, limit } = row
    const write = countLimits.includes(name) ? writeNumber : writeSize
    const text = words.ofLimit(write(language, used), write(language, limit))
    const values = `${consolePath(`tenants/${encodeURIComponent(tenant)}/values`)}?${new URLSearchParams({ name })}`
    return [
      [
        link(tenant),
        html`<span class="with-chip"><a href="${values}" class="breaks">${words.valueTexts[name]}</a></span>`,
        meter({ label: words.valueTexts[name], used, limit, text }),
      ],
    ]
  })
  return table(title, columns, cells)
}
