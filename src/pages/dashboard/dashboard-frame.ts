import { mayDo } from '../../accounts/index.ts'
import { attributes, type Html, html } from '../../lib/html.ts'
import { writePage } from '../frame.ts'
import type { PageKey } from '../keys.ts'
import type { PageCall } from '../page-call.ts'
import { icon } from '../parts/icon.ts'
import { banner } from '../parts/states/banner.ts'
import type { Reader } from '../reader.ts'
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

/** A part of a page under its own heading. */
export const dashboardSection = (title: string, content: Html): Html =>
  html`<section class="dashboard-section"><h2>${title}</h2>${content}</section>`
