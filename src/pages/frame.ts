import { createHash } from 'node:crypto'
import { type Attributes, attributes, type Html, href, html } from '../lib/html.ts'
import { type Language, languages } from '../words/languages.ts'
import { accountBar } from './account-bar.ts'
import { type AssetName, assetPath } from './assets/assets.ts'
import { brandMark, brandSheet, iconLink } from './brand.ts'
import { keysButton, keysDialog, type PageKey, siteKeys } from './keys.ts'
import { mainNavItems, type NavItem } from './nav-items.ts'
import { linkButton } from './parts/controls.ts'
import { icon } from './parts/icon.ts'
import { type Reader, themes, unknownReader } from './reader.ts'

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

/** Browsers that know it show a page when all of it has arrived: a row of tiles has its height only when it is full. */
const wholePage = html`<link rel="expect" href="#end" blocking="render">`

/** The frame of every page. Nothing in it is inline: styles and scripts are assets. */
export function writePage(page: Page): string {
  const { siteName, head, body, reader = unknownReader, styles = [] } = page
  const keys = [...(page.keys ?? []), ...siteKeys(reader)]
  const navItems = page.navItems ?? (reader.account ? mainNavItems(reader) : [])
  const { language, words, theme } = reader
  const tabBar = links(navItems, reader, 'tab-bar')
  return html`<!doctype html>
<html${attributes({ lang: language, class: theme === 'auto' ? undefined : theme })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(page, reader)}</title>
${wholePage}
${iconLink(reader)}
${reader.account && html`<link rel="manifest" href="/manifest.webmanifest">`}
${([page.isPlain ? 'plain.css' : 'site.css', ...styles] as const).map((name) => html`<link rel="stylesheet" href="${assetPath(name)}">`)}
${brandLink(reader)}
<script type="module" src="${assetPath('start.js')}"></script>
${head}
</head>
<body${attributes({ class: tabBar && 'has-tabs', 'data-copied': words.copied, 'data-copy-by-hand': words.copyByHand, 'data-drop': page.takesFiles || reader.account?.mayUpload ? words.dropHere : undefined, ...choicesOf(reader) })}>
<a class="skip" href="#main">${words.skip}</a>
<header class="top">${brandMark(reader, siteName)}${links(navItems, reader, 'top-nav')}${searchField(reader)}<div class="top-end">${actions(navItems)}${accountBar(reader)}</div></header>
${demoNotice(reader)}
<main id="main" tabindex="-1">
${body}
</main>
<footer class="bottom">${sitePages(reader)}${languageForm(reader)}${themeForm(reader)}${keysButton(words)}</footer>
${tabBar}
${keysDialog(words, keys)}
<div class="toasts" role="status" id="end"></div>
</body>
</html>
`.markup
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
function choicesOf({ account }: Reader): Attributes {
  const { hasLetterKeys, copyFormat, copySize, copyTemplate } = account?.preferences ?? {}
  const keys = hasLetterKeys === undefined ? undefined : hasLetterKeys ? 'on' : 'off'
  return {
    'data-session': markOf(account?.formToken),
    'data-keys': keys,
    'data-format': copyFormat,
    'data-size': copySize,
    'data-template': copyTemplate === '' ? undefined : copyTemplate,
  }
}

/** Tells sessions apart and opens nothing: a page that the browser has kept must not be shown to another person. */
const markOf = (formToken: string | undefined): string | undefined =>
  formToken ? createHash('sha256').update(formToken).digest('base64url').slice(0, 12) : undefined

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

function languageForm({ language, words, path }: Reader): Html {
  const buttons = (Object.keys(languages) as Language[]).map(
    (each) =>
      html`<button${attributes({ name: 'language', value: each, lang: each, 'aria-pressed': String(each === language) })}>${languages[each].name}</button>`,
  )
  return preferenceForm(words.language, path, buttons)
}

function themeForm({ theme, words, path }: Reader): Html {
  const names = { auto: words.themeAuto, light: words.themeLight, dark: words.themeDark }
  const buttons = themes.map(
    (each) =>
      html`<button${attributes({ name: 'theme', value: each, 'aria-pressed': String(each === theme) })}>${names[each]}</button>`,
  )
  return preferenceForm(words.theme, path, buttons)
}

/** A plain form, so that it works without script. */
const preferenceForm = (label: string, path: string, buttons: readonly Html[]): Html =>
  html`<form method="post" action="/_/preferences" aria-label="${label}"><input name="to" value="${path}" type="hidden"><span class="label" aria-hidden="true">${label}</span>${buttons}</form>`
