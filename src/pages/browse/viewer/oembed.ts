import { videoPlayer } from '../../../common/embed-codes.ts'
import { addressesOf, type FileAddresses } from '../../../http/addresses/file-addresses.ts'
import { publicUrl } from '../../../http/addresses/public-url.ts'
import { fileAt, pageVisitor } from '../../../http/requests/file-at.ts'
import { badEmbedding, passwordNeeded } from '../../../http/responses/file-errors.ts'
import type { SiteHandle } from '../../../http/site-route.ts'
import { faultOf } from '../../../lib/faults.ts'
import { fileNotFound, pageAccessOf, type StoredFile, variantOf } from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'
import { shownPicture } from './drawn-picture.ts'
import { embeddedFile } from './embed-codes.ts'
import { titleOf } from './title.ts'

/** oEmbed 1.0: how another site may show a file of this site. */
export const getOembed: SiteHandle = (app) => async (site, request, reply) => {
  const query = new URL(request.url, 'http://site').searchParams
  if ((query.get('format') || 'json') !== 'json') throw badEmbedding(faultOf('format', 'onlyJson'))
  const limits = { width: limitOf(query, 'maxwidth'), height: limitOf(query, 'maxheight') }
  const file = await fileOfUrl(site, query.get('url') ?? '')
  const { lock } = await pageAccessOf(site, pageVisitor, file)
  if (lock) throw passwordNeeded()
  // What every visitor may see is not protected, so these addresses need no signature.
  const addresses = addressesOf(app, site, file, { forwarded: request.client.scheme })
  return reply.header('content-type', 'application/json; charset=utf-8').send(
    JSON.stringify({
      version: '1.0',
      provider_name: site.hostname,
      provider_url: publicUrl(app.config, site.hostname, request.client.scheme),
      title: titleOf(file),
      ...(file.type === 'video' ? video(file, addresses, limits) : photo(file, addresses, limits)),
      ...thumbnail(file, addresses, limits),
    }),
  )
}

function limitOf(query: URLSearchParams, name: string): number {
  const text = query.get(name)
  if (!text) return Number.POSITIVE_INFINITY
  if (!/^[1-9]\d{0,8}$/.test(text)) throw badEmbedding(faultOf(name, 'numberFrom', { least: 1 }))
  return Number(text)
}

/** Only URLs of this site's viewer pages. */
async function fileOfUrl(site: Site, text: string): Promise<StoredFile> {
  if (text === '') throw badEmbedding(faultOf('url', 'siteAddress'))
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOwn = url && /^https?:$/.test(url.protocol) && url.hostname.replace(/\.$/, '') === site.hostname
  const [, type, name] = /^\/+(image|video)\/+([^/]+)\/*$/.exec((isOwn && url.pathname) || '') ?? []
  if (name === undefined) throw fileNotFound()
  return fileAt(site, type === 'video' ? 'video' : 'image', name)
}

interface Size {
  width: number
  height: number
}

const fits = (size: Size, limits: Size) => size.width <= limits.width && size.height <= limits.height

/** The largest variant that fits; if none does, the smallest, scaled down by the embedding page. */
function photo(file: StoredFile, addresses: FileAddresses, limits: Size) {
  const versions = (['medium', 'thumb'] as const).flatMap((name) => {
    const variant = variantOf(file, name)
    return variant ? [{ ...variant, url: addresses.urlOf(variant) }] : []
  })
  const best = shownPicture(file, addresses)
  const chosen = [best, ...versions].find((version) => fits(version, limits)) ?? versions.at(-1) ?? best
  return { type: 'photo', url: chosen.url, ...shrunk(chosen, limits) }
}

function video(file: StoredFile, addresses: FileAddresses, limits: Size) {
  const size = shrunk(file, limits)
  return { type: 'video', html: videoPlayer(embeddedFile(file, addresses), size), ...size }
}

function shrunk({ width, height }: Size, limits: Size): Size {
  const scale = Math.min(1, limits.width / width, limits.height / height)
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) }
}

function thumbnail(file: StoredFile, addresses: FileAddresses, limits: Size) {
  const thumb = variantOf(file, 'thumb')
  if (!thumb || !fits(thumb, limits)) return {}
  return {
    thumbnail_url: addresses.urlOf(thumb),
    thumbnail_width: thumb.width,
    thumbnail_height: thumb.height,
  }
}
