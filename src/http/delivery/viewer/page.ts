import { hash } from 'node:crypto'
import { type Html, html } from '../../html.ts'
import { script } from './script.ts'
import { style } from './style.ts'

interface Page {
  siteName: string
  title: string
  head?: Html
  body: Html
  hasScript?: boolean
}

/** The frame of every page about a file. It needs nothing but itself and the file. */
export function writePage({ siteName, title, head, body, hasScript }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
<style>${{ markup: style }}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a href="/">${siteName}</a></header>
<main id="main" tabindex="-1">
${body}
</main>
${hasScript ? html`<script>${{ markup: script }}</script>` : undefined}
</body>
</html>
`.markup
}

const hashed = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`

const common = `default-src 'none'; img-src 'self' data:; style-src ${hashed(style)}; base-uri 'none'; frame-ancestors 'none'`

/** The one script is known by its hash: whatever else got into the page would not run. */
export const viewerPolicy = `${common}; media-src 'self'; script-src ${hashed(script)}; form-action 'none'; require-trusted-types-for 'script'`

export const questionPolicy = `${common}; form-action 'self'`
