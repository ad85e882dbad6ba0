import { createHash } from 'node:crypto'
import { attributes, html } from '../../lib/html.ts'
import { assetOf, assetPath, assetsPrefix } from '../../ui/assets/assets.ts'
import { mark } from '../../ui/parts/icon.ts'
import { isTheme, type Reader } from '../../ui/reader.ts'
import { isLanguage, languages } from '../../words/languages.ts'
import { brandMark, brandSheet, iconLink } from '../brand.ts'
import type { PageCall, PageHandler } from '../page-call.ts'

/** Its scripts get no right beyond what the worker does: ask the site itself. */
const workerPolicy = "default-src 'none'; connect-src 'self'"

/** What the page below needs, beside itself. */
function filesOf({ reader }: PageCall): string[] {
  const { accent = '', logo, logoDark } = reader.account?.brand ?? {}
  const own = [brandSheet(accent), logo, logoDark].flatMap((each) => each?.path ?? [])
  return [assetPath('site.css'), assetPath('offline.js'), ...own]
}

/**
 * The service worker of the site. It begins with the addresses that it keeps, in the language and theme of the cookies: when
 * those, the name or a file of the site change, its bytes do, and browsers replace the worker.
 */
export const getServiceWorker: PageHandler = async (call) => {
  const { request, reply, reader } = call
  const code = assetOf(assetPath('service-worker.js').slice(assetsPrefix.length))
  const page = `/-/offline?${new URLSearchParams({ language: reader.language, theme: reader.theme })}`
  const files = filesOf(call)
  const hash = createHash('sha256').update(
    JSON.stringify([page, files, code?.hash, reader.account?.brand.name]),
  )
  const version = hash.digest('base64url').slice(0, 22)
  const kept = JSON.stringify({ cache: `terrace-offline-${version}`, page, files })
  const etag = `"${version}"`
  reply.headers({
    'content-type': 'text/javascript; charset=utf-8',
    'content-security-policy': workerPolicy,
    'cache-control': 'no-cache',
    vary: 'cookie, accept-language',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    etag,
  })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.send(`const offline=${kept};\n${code?.bytes.identity.toString() ?? ''}`)
}

/** The same for everyone: it is kept in the browser and shown in place of any page. */
export const showOffline: PageHandler = async ({ site, reader, query }) => {
  const [language, theme] = [query.get('language') ?? '', query.get('theme') ?? '']
  return {
    page: offlinePage(site.hostname, {
      ...reader,
      ...(isLanguage(language) && { language, words: languages[language].words }),
      theme: isTheme(theme) ? theme : 'auto',
    }),
  }
}

function offlinePage(hostname: string, reader: Reader): string {
  const { language, theme, words, account } = reader
  const name = account?.brand.name || hostname
  const sheet = brandSheet(account?.brand.accent ?? '')
  return html`<!doctype html>
<html${attributes({ lang: language, class: theme === 'auto' ? undefined : theme })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${words.offlineTitle} - ${name}</title>
${iconLink(reader)}
<link rel="stylesheet" href="${assetPath('site.css')}">
${sheet && html`<link rel="stylesheet" href="${sheet.path}">`}
<script type="module" src="${assetPath('offline.js')}"></script>
</head>
<body>
<header class="top">${brandMark(reader, hostname)}</header>
<main id="main">
<div class="question">
${mark('steps')}
<h1>${words.queue.offline}</h1>
<p>${words.offlineText}</p>
<p><a class="button plain" href="">${words.tryAgain}</a></p>
</div>
</main>
</body>
</html>
`.markup
}
