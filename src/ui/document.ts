import { createHash } from 'node:crypto'
import { type Attributes, attributes, type Html, html } from '../lib/html.ts'
import { type Language, languages } from '../words/languages.ts'
import { type AssetName, assetPath } from './assets/assets.ts'
import { keysButton, keysDialog, type PageKey } from './keys.ts'
import { type Reader, themes } from './reader.ts'

interface Document {
  title: string
  reader: Reader
  styles: readonly AssetName[]
  /** Behind the styles, which a sheet of its own may replace. */
  links?: Html | undefined
  head?: Html | undefined
  bodyAttributes: Attributes
  /** Above the content. */
  top: Html
  body: Html
  /** Before the choices of language and theme. */
  foot?: Html | undefined
  /** Below all. */
  end?: Html | undefined
  keys: readonly PageKey[]
}

/** Browsers that know it show a page when all of it has arrived: a row of tiles has its height only when it is full. */
const wholePage = html`<link rel="expect" href="#end" blocking="render">`

/** What every page has, of a site or of the console. Nothing in it is inline: styles and scripts are assets. */
export function writeDocument(page: Document): string {
  const { reader, styles, bodyAttributes, keys } = page
  const { language, words, theme } = reader
  const own = { 'data-copied': words.copied, 'data-copy-by-hand': words.copyByHand }
  return html`<!doctype html>
<html${attributes({ lang: language, class: theme === 'auto' ? undefined : theme })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
${wholePage}
${styles.map((name) => html`<link rel="stylesheet" href="${assetPath(name)}">`)}
${page.links}
<script type="module" src="${assetPath('start.js')}"></script>
${page.head}
</head>
<body${attributes({ ...bodyAttributes, ...own })}>
<a class="skip" href="#main">${words.skip}</a>
${page.top}
<main id="main" tabindex="-1">
${page.body}
</main>
<footer class="bottom">${page.foot}${languageForm(reader)}${themeForm(reader)}${keysButton(words)}</footer>
${page.end}
${keysDialog(words, keys)}
<div class="toasts" role="status" id="end"></div>
</body>
</html>
`.markup
}

/** Tells sessions apart and opens nothing: a page that the browser has kept must not be shown to another person. */
export const markOf = (formToken: string | undefined): string | undefined =>
  formToken ? createHash('sha256').update(formToken).digest('base64url').slice(0, 12) : undefined

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
