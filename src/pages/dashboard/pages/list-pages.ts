import { badRequest } from '../../../http/responses/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import { isId } from '../../../lib/ids.ts'
import { listPages, movePage, noSuchPage, type PageOfList, type PagePosition } from '../../../media/index.ts'
import { limitOf } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { linkButton, submitButton } from '../../../ui/parts/controls.ts'
import { chip, pager, table } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import { writeAgo, writeNumber } from '../../../words/format.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { dashboardPage, limitUse } from '../dashboard-frame.ts'
import { pageOfTemplate, templateKeys } from './page-form.ts'

const pagesOfList = 100

/** The pages of the site in their order. */
export const showPages: PageHandler = async (call) => {
  const { site, reader, query } = call
  const { words } = reader
  const after = readPosition(query.get('after'))
  const found = await listPages(site, userOf(call), { after, limit: pagesOfList + 1 })
  const pages = found.slice(0, pagesOfList)
  const last = found.length > pagesOfList ? pages.at(-1) : undefined
  const older = last && `/dashboard/pages?after=${last.sortOrder}.${last.id}`
  const newer = after && '/dashboard/pages'
  const body = html`<p class="soft">${words.pagesText}</p>
${limitText(call)}${await limitUse(call, 'SERVICE_MAX_PAGES', words.sitePages)}
<p class="actions">${linkButton(words.pageNew, '/dashboard/pages/new', { icon: 'add' })}</p>
${pages.length === 0 ? emptyState({ title: words.pagesEmpty, text: words.pagesEmptyText }) : pageTable(call, pages)}
${newer || older ? pager({ words, newer, older, labels: [words.pagesFirst, words.pagesMore] }) : undefined}
${startWith(call, pages)}`
  return { page: dashboardPage(call, { part: '/dashboard/pages', title: words.sitePages, content: body }) }
}

export const postMovePage: PageHandler = async (call) => {
  const { id = '' } = call.params
  if (!isId(id)) throw noSuchPage(id.slice(0, 64))
  const isUp = call.form.get('to') === 'up'
  await changeSite(call.app.control, call.site, (site) => movePage(site, userOf(call), { id, isUp }))
  return { to: '/dashboard/pages?saved=1' }
}

function limitText({ site, reader }: PageCall): Html | undefined {
  const limit = limitOf(site.values, 'SERVICE_MAX_PAGES')
  if (limit === undefined) return undefined
  return html`<p class="soft">${reader.words.pagesLimit(writeNumber(reader.language, limit))}</p>`
}

function pageTable(call: PageCall, pages: readonly PageOfList[]): Html {
  const { words, language } = call.reader
  const now = call.site.clock.now()
  const rows = pages.map((page) => [
    html`<a href="/dashboard/pages/${page.id}" dir="auto">${page.title}</a>`,
    html`<a class="mono" href="/page/${page.urlKey}">/page/${page.urlKey}</a>`,
    page.isVisible ? chip(words.pageShown, 'good') : chip(words.pageHidden),
    html`${writeAgo(language, page.updatedAt, now) ?? words.momentsAgo}`,
    moveForm(call, page),
  ])
  const names = [words.pageTitle, words.pageAddress, words.pageState, words.pageUpdated, words.pageOrder]
  return table(
    words.sitePages,
    names.map((name) => ({ name })),
    rows,
  )
}

function moveForm({ reader }: PageCall, { id, title }: PageOfList): Html {
  const { words } = reader
  const move = (to: 'up' | 'down', label: string) =>
    submitButton(`${label}: ${title}`, {
      look: 'quiet',
      icon: to,
      isDense: true,
      hasOnlyIcon: true,
      more: { name: 'to', value: to },
    })
  return html`<form method="post" action="/dashboard/pages/${id}/move" class="joined">${tokenField(reader)}${move('up', words.pageUp)}${move('down', words.pageDown)}</form>`
}

/** Pages that most sites need and this one has not yet. */
function startWith({ reader: { words } }: PageCall, pages: readonly PageOfList[]): Html | undefined {
  const missing = templateKeys.filter((key) => !pages.some(({ urlKey }) => urlKey === key))
  if (missing.length === 0) return undefined
  const links = missing.map((key) =>
    linkButton(pageOfTemplate(words, key).title, `/dashboard/pages/new?from=${key}`, {
      look: 'plain',
      icon: 'add',
    }),
  )
  return html`<section class="settings-part"><h2>${words.pagesStart}</h2><p class="soft">${words.pagesStartText}</p><p class="actions">${links}</p></section>`
}

function readPosition(text: string | null): PagePosition | undefined {
  if (text === null) return undefined
  const [, order = '', id = ''] = /^(-?\d{1,7})\.([A-Za-z0-9]{1,64})$/.exec(text) ?? []
  if (id === '') throw badRequest('after: must be a position of this list')
  return { sortOrder: Number(order), id }
}
