import { mayDo } from '../../accounts/index.ts'
import { badRequest } from '../../http/responses/errors.ts'
import { attributes, type Html, html } from '../../lib/html.ts'
import { readAllowance } from '../../media/index.ts'
import type { LimitName } from '../../site/index.ts'
import type { PageKey } from '../../ui/keys.ts'
import { submitButton } from '../../ui/parts/controls.ts'
import { icon } from '../../ui/parts/icon.ts'
import { banner, meter } from '../../ui/parts/states.ts'
import type { Reader } from '../../ui/reader.ts'
import { writeNumber, writeSize } from '../../words/format.ts'
import { writePage } from '../frame.ts'
import { type PageCall, userOf } from '../page-call.ts'
import { type DashboardPart, dashboardParts } from './dashboard-parts.ts'

interface DashboardPage {
  /** The entry of the navigation that the page belongs to. */
  part: DashboardPart['path']
  /** The label of its part by default. */
  title?: string
  /** Beside the title. */
  actions?: Html | undefined
  /** What the last form did; `?saved=1` says it in general. */
  done?: Html | undefined
  content: Html
  keys?: readonly PageKey[]
}

/** The frame of every page of the dashboard: its navigation, a title, and what the last form did. */
export function dashboardPage(call: PageCall, page: DashboardPage): string {
  const { reader, site, query } = call
  const { words } = reader
  const name = dashboardParts.find(({ path }) => path === page.part)?.label(words) ?? words.dashboard
  const title = page.title ?? name
  const done = page.done ?? (query.get('saved') === '1' ? html`<p>${words.saved}</p>` : undefined)
  return writePage({
    siteName: site.hostname,
    title: `${title} - ${words.dashboard} - ${site.hostname}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    isPlain: true,
    styles: ['dashboard.css'],
    keys: page.keys ?? [],
    body: html`<div class="dashboard">
${navigation(reader, page.part)}
<div class="dashboard-page">
<header class="dashboard-head"><h1 dir="auto">${title}</h1>${page.actions}</header>
<div role="status">${done && banner(done, 'good')}</div>
${page.content}
</div>
</div>`,
  })
}

function navigation({ words, account }: Reader, current: string): Html {
  const entries = dashboardParts
    .filter(({ access }) => account?.user && mayDo(account.user.role, access))
    .map(
      ({ path, icon: name, label }) =>
        html`<a${attributes({ href: path, 'aria-current': path === current ? 'page' : undefined })}>${icon(name)}${label(words)}</a>`,
    )
  return html`<nav class="dashboard-nav" aria-label="${words.dashboard}">${entries}</nav>`
}

/** How much of a limit of the site is used, above the list that it bounds; undefined where there is no limit. */
export async function limitUse(call: PageCall, name: LimitName, label: string): Promise<Html | undefined> {
  const { words, language } = call.reader
  const { limits } = await readAllowance(call.site, userOf(call), { keyCount: 0 })
  const { value, used = 0 } = limits.find((limit) => limit.name === name) ?? {}
  if (value === undefined) return undefined
  const write = name === 'SERVICE_MAX_STORAGE' ? writeSize : writeNumber
  const text = words.ofLimit(write(language, used), write(language, value))
  return html`<div class="narrow soft">${meter({ label, used, limit: value, text })}</div>`
}

/** A part of a page under its own heading. */
export const dashboardSection = (title: string, content: Html): Html =>
  html`<section class="dashboard-section"><h2>${title}</h2>${content}</section>`

interface Search {
  action: string
  label: string
  /** Parameters of the address that a new search keeps. */
  kept?: Readonly<Record<string, string | null>>
}

/** The field `q` over a list. */
export function searchForm({ query, reader }: PageCall, { action, label, kept = {} }: Search): Html {
  const hidden = Object.entries(kept).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [html`<input name="${name}" value="${value}" type="hidden">`],
  )
  return html`<form action="${action}" role="search" aria-label="${label}" class="list-search">${hidden}<input class="input" type="search" name="q" value="${query.get('q') ?? ''}" aria-label="${label}" placeholder="${label}" maxlength="200" autocapitalize="off" dir="auto">${submitButton(reader.words.searchGo, { look: 'plain', icon: 'search' })}</form>`
}

const mostPages = 100_000

/** The page of a list that is paged by number, from `?page=`. */
export function pageNumberIn({ query }: PageCall): number {
  const text = query.get('page') ?? '1'
  const page = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (page < 1 || page > mostPages)
    throw badRequest(`page: must be a whole number from 1 to ${mostPages}, not "${text.slice(0, 20)}"`)
  return page
}
