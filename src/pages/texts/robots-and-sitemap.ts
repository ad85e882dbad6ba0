import { addressesOf } from '../../http/addresses/file-addresses.ts'
import { publicUrl } from '../../http/addresses/public-url.ts'
import { html } from '../../lib/html.ts'
import { listFooterPages, listShownFiles, mayListOthers } from '../../media/index.ts'
import { assetPath } from '../../ui/assets/assets.ts'
import { fileSorts } from '../browse/lists/file-list.ts'
import type { PageCall, PageHandler } from '../page-call.ts'

/** Only what is made for people who are logged in, and what programs call: previews of links need the rest. */
const closedPaths = ['/-/', '/api/', '/dashboard', '/login', '/mine', '/settings', '/share/']

export const getRobots: PageHandler = async (call) => {
  const lines = [
    'User-agent: *',
    ...closedPaths.map((path) => `Disallow: ${path}`),
    `Sitemap: ${siteUrl(call)}sitemap.xml`,
  ]
  return send(call, 'text/plain; charset=utf-8', `${lines.join('\n')}\n`)
}

/** Search engines find older files by the links between pages. */
const mostFiles = 1_000

const guest = { kind: 'guest', hasPublicKey: false } as const

/** What a guest may list; empty where lists are closed to guests. */
export const getSitemap: PageHandler = async (call) => {
  const paths = (await mayListOthers(call.site, guest)) ? await listedPaths(call) : []
  const entries = paths.map((path) => html`<url><loc>${siteUrl(call)}${path}</loc></url>`)
  const { markup } = html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries}
</urlset>
`
  return send(call, 'application/xml; charset=utf-8', markup)
}

async function listedPaths(call: PageCall): Promise<string[]> {
  const { app, site } = call
  const page = { selection: {}, sort: fileSorts.newest, after: undefined, limit: mostFiles, hasExif: false }
  const [pages, files] = await Promise.all([listFooterPages(site), listShownFiles(site, guest, page)])
  return [
    '',
    'explore',
    'tags',
    'categories',
    ...pages.map(({ urlKey }) => `page/${urlKey}`),
    ...files.map(({ file }) => addressesOf(app, site, file).viewerPath.slice(1)),
  ]
}

export const getFavicon: PageHandler = async ({ reader }) => ({
  to: reader.account?.brand.icon?.path ?? assetPath('mark.svg'),
  status: 302,
})

const siteUrl = ({ app, site, request }: PageCall): string =>
  publicUrl(app.config, site.hostname, request.client.scheme)

const send = ({ reply }: PageCall, type: string, text: string) =>
  reply
    .headers({
      'content-type': type,
      'cache-control': 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
    })
    .send(text)
