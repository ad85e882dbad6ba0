import { type Attributes, attributes, type Html, href, html } from '../lib/html.ts'
import type { AssetName } from '../ui/assets/assets.ts'
import { markOf, writeDocument } from '../ui/document.ts'
import type { PageKey } from '../ui/keys.ts'
import { linkButton } from '../ui/parts/controls.ts'
import { icon } from '../ui/parts/icon.ts'
import { type Reader, unknownReader } from '../ui/reader.ts'
import { accountBar } from './account-bar.ts'
import { brandMark, brandSheet, iconLink } from './brand.ts'
import { mainNavItems, type NavItem } from './nav-items.ts'
import { siteKeys } from './site-keys.ts'

export interface Page {
  /** Undefined where the host has no site: then the name is ours and leads nowhere. */
  siteName: string | undefined
  title: string
  head?: Html
  body: Html
  reader?: Reader
  /** The main pages of the site by default. */
  navItems?: readonly NavItem[]
  /** Shows no files, and does without the styles of lists and the viewer. */
  isPlain?: boolean
  /** Beside `site.css` or `plain.css`. */
  styles?: readonly AssetName[]
  keys?: readonly PageKey[]
  /** Whether files can be dropped on it, by a person who may not upload elsewhere too. */
  takesFiles?: boolean
  /** Every page has the script that makes its parts handier. */
  hasScript?: boolean
}

/** The frame of every page of a site. */
export function writePage(page: Page): string {
  const { siteName, reader = unknownReader, styles = [] } = page
  const navItems = page.navItems ?? (reader.account ? mainNavItems(reader) : [])
  const { words } = reader
  const tabBar = links(navItems, reader, 'tab-bar')
  return writeDocument({
    title: titleOf(page, reader),
    reader,
    styles: [page.isPlain ? 'plain.css' : 'site.css', ...styles],
    links: html`${iconLink(reader)}
${reader.account && html`<link rel="manifest" href="/manifest.webmanifest">`}
${brandLink(reader)}`,
    head: page.head,
    bodyAttributes: {
      class: tabBar && 'has-tabs',
      'data-drop': page.takesFiles || reader.account?.mayUpload ? words.dropHere : undefined,
      ...choicesOf(reader),
    },
    top: html`<header class="top">${brandMark(reader, siteName)}${links(navItems, reader, 'top-nav')}${searchField(reader)}<div class="top-end">${actions(navItems)}${accountBar(reader)}</div></header>
${demoNotice(reader)}`,
    body: page.body,
    foot: sitePages(reader),
    end: tabBar,
    keys: [...(page.keys ?? []), ...siteKeys(reader)],
  })
}

/** Titles end with the hostname; a site that has a name of its own shows that. */
function titleOf({ title, siteName = '' }: Page, { account }: Reader): string {
  const name = account?.brand.name ?? ''
  return name !== '' && title.endsWith(siteName)
    ? title.slice(0, title.length - siteName.length) + name
    : title
}

/** Behind `site.css`, whose colours it replaces. */
function brandLink({ account }: Reader): Html | undefined {
  const sheet = brandSheet(account?.brand.accent ?? '')
  return sheet && html`<link rel="stylesheet" href="${sheet.path}">`
}

/** What the reader's account has chosen, for the script. */
function choicesOf({ account, formToken }: Reader): Attributes {
  const { hasLetterKeys, copyFormat, copySize, copyTemplate } = account?.preferences ?? {}
  const keys = hasLetterKeys === undefined ? undefined : hasLetterKeys ? 'on' : 'off'
  return {
    'data-session': markOf(formToken),
    'data-keys': keys,
    'data-format': copyFormat,
    'data-size': copySize,
    'data-template': copyTemplate === '' ? undefined : copyTemplate,
  }
}

function links(
  navItems: readonly NavItem[],
  { words, path }: Reader,
  kind: 'top-nav' | 'tab-bar',
): Html | undefined {
  const shown = navItems.filter(
    ({ only }) => only === undefined || only === (kind === 'top-nav' ? 'top' : 'tabs'),
  )
  // One tab alone would be no choice.
  if (shown.length < (kind === 'top-nav' ? 1 : 2)) return undefined
  const entries = shown.map((item) => {
    const current = attributes({
      href: href(item.path),
      'aria-current': item.path === path.split('?', 1).join() ? 'page' : undefined,
    })
    return html`<a${current}>${kind === 'tab-bar' ? icon(item.icon) : undefined}${item.label}</a>`
  })
  const bar = attributes({
    class: kind,
    'data-tabs': kind === 'tab-bar' ? String(shown.length) : undefined,
    'aria-label': kind === 'top-nav' ? words.navigation : words.tabBar,
  })
  return html`<nav${bar}>${entries}</nav>`
}

function demoNotice({ words, account }: Reader): Html | undefined {
  if (!account?.isDemo) return undefined
  return html`<aside class="demo-notice" aria-label="${words.demoSite}">${words.demoNotice} <code>bin/tenants create</code></aside>`
}

/** The search of the site in the top bar; its own page has a larger one. */
function searchField({ words, account, path }: Reader): Html | undefined {
  if (!account?.mayExplore || path.split('?', 1).join() === '/search') return undefined
  return html`<form class="top-search" role="search" action="/search" data-suggest="${words.searchSuggestions}">${icon('search')}<input type="search" name="q" aria-label="${words.search}" placeholder="${words.search}" maxlength="400" autocapitalize="off" aria-keyshortcuts="/"></form>`
}

/** On phones they are in the bar below. */
const actions = (navItems: readonly NavItem[]): Html[] =>
  navItems.flatMap(({ label, path, icon: name, key }) =>
    key === undefined
      ? []
      : [
          linkButton(label, path, {
            icon: name,
            more: { 'aria-keyshortcuts': key, 'data-main-action': true },
          }),
        ],
  )

/** What the administrators have written, such as the terms. */
function sitePages({ words, account }: Reader): Html | undefined {
  if (!account || account.footer.length === 0) return undefined
  const entries = account.footer.map(
    ({ urlKey, title }) => html`<li><a href="/page/${urlKey}" dir="auto">${title}</a></li>`,
  )
  return html`<nav class="site-pages" aria-label="${words.sitePages}"><ul>${entries}</ul></nav>`
}
