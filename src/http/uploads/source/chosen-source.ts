import type { Actor } from '../../../accounts/index.ts'
import type { App } from '../../../app.ts'
import { parseUrlAllow } from '../../../lib/net/url-allow.ts'
import {
  checkMayUploadUrl,
  emptySource,
  type FetchSource,
  largestUpload,
  type SpooledFile,
} from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'
import { tenantOfHost } from '../../../tenants/index.ts'
import type { UploadForm } from '../read-upload.ts'
import { fetchToSpool } from './fetch-url.ts'

interface Fetching {
  actor: Actor
  form: UploadForm
  signal: AbortSignal
}

/** The file of an upload: the one that was sent, or one that is fetched from a URL. */
export async function sourceOf(
  app: App,
  site: Site,
  { actor, form, signal }: Fetching,
): Promise<SpooledFile | FetchSource> {
  const { source, spool } = form
  if (!source) throw emptySource()
  if ('refused' in source) throw source.refused
  if (!('url' in source)) return source
  await checkMayUploadUrl(site, actor)
  const isOurs = async (hostname: string) => (await tenantOfHost(app.control, hostname)) !== undefined
  const maxBytes = await largestUpload(site, actor)
  const allow = parseUrlAllow(site.values.get('SERVICE_UPLOAD_URL_ALLOW') ?? '')
  return (onBegin) =>
    fetchToSpool(source.url, {
      spool,
      maxBytes,
      allow,
      ownHostnames: isOurs,
      signal,
      onBegin,
      resolve: app.lookups.resolve,
      takeSlot: (waiting) => app.lookups.slots.take(String(site.number), waiting),
    })
}
