import { sightOf, tagsOf } from '../../media/index.ts'
import { readSettings } from '../../site/index.ts'
import { addressesOf } from '../file-addresses.ts'
import { publicUrl } from '../public-url.ts'
import type { SiteRoute } from '../site-route.ts'
import { hasPass } from './album-pass.ts'
import { askPassword } from './ask-password.ts'
import { countVisit } from './count-visit.ts'
import { anybody, type FileType, fileAt } from './file-at.ts'
import { viewerPolicy } from './viewer/page.ts'
import { viewerPage } from './viewer/viewer-page.ts'

/** The page of a file, at its full address and at its short one. */
export function getViewer(type: FileType): SiteRoute['handle'] {
  return (app) => async (site, request, reply) => {
    const file = await fileAt(site, type, (request.params as { name: string }).name)
    const { isListed, lock } = await sightOf(site, anybody, file)
    if (lock && !hasPass(app, site, { request, lock })) return askPassword(site, reply, { lock })
    const [tags, { timezone: timeZone }] = await Promise.all([tagsOf(site, file), readSettings(site)])
    const views = await countVisit(app, site, { request, file })
    const addresses = addressesOf(app, site, file)
    const oembedUrl = lock
      ? undefined
      : `${publicUrl(app.config, site.hostname)}oembed?url=${encodeURIComponent(addresses.viewer)}&format=json`
    const page = viewerPage({
      ...{ file, tags, addresses, oembedUrl, views, timeZone, isUnlisted: !isListed },
      siteName: site.hostname,
      now: site.clock.now(),
    })
    if (!isListed) reply.header('x-robots-tag', 'noindex')
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', viewerPolicy)
      .header('referrer-policy', 'strict-origin-when-cross-origin')
      .header('cache-control', 'private, no-cache')
      .send(page)
  }
}
