import { type StoredFile, sightOf, variantOf } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { addressesOf, type FileAddresses } from '../file-addresses.ts'
import { publicUrl } from '../public-url.ts'
import type { SiteRoute } from '../site-route.ts'
import { badEmbedding, noSuchFile, passwordNeeded } from './errors.ts'
import { anybody, fileAt } from './file-at.ts'
import { filmPlayer } from './viewer/embed-codes.ts'
import { shownPicture } from './viewer/picture.ts'
import { titleOf } from './viewer/title.ts'

/** How another site may show a file of ours, as oembed.com describes it. */
export const getOembed: SiteRoute['handle'] = (app) => async (site, request, reply) => {
  const query = new URL(request.url, 'http://site').searchParams
  if ((query.get('format') || 'json') !== 'json') throw badEmbedding('format: only json is answered')
  const most = { width: mostOf(query, 'maxwidth'), height: mostOf(query, 'maxheight') }
  const file = await fileOfUrl(site, query.get('url') ?? '')
  const { lock } = await sightOf(site, anybody, file)
  if (lock) throw passwordNeeded()
  const addresses = addressesOf(app, site, file)
  return reply.header('content-type', 'application/json; charset=utf-8').send(
    JSON.stringify({
      version: '1.0',
      provider_name: site.hostname,
      provider_url: publicUrl(app.config, site.hostname),
      title: titleOf(file),
      ...(file.type === 'video' ? film(file, addresses, most) : photo(file, addresses, most)),
      ...thumbnail(file, addresses, most),
    }),
  )
}

function mostOf(query: URLSearchParams, name: string): number {
  const text = query.get(name)
  if (!text) return Number.POSITIVE_INFINITY
  if (!/^[1-9]\d{0,8}$/.test(text)) throw badEmbedding(`${name}: must be a whole number from 1`)
  return Number(text)
}

/** Only what this site shows can be embedded. */
async function fileOfUrl(site: Site, text: string): Promise<StoredFile> {
  if (text === '') throw badEmbedding('url: must be the address of a page of this site')
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOwn = url && /^https?:$/.test(url.protocol) && url.hostname.replace(/\.$/, '') === site.hostname
  const [, type, name] = /^\/+(image|video)\/+([^/]+)\/*$/.exec((isOwn && url.pathname) || '') ?? []
  if (name === undefined) throw noSuchFile()
  return fileAt(site, type === 'video' ? 'video' : 'image', name)
}

interface Size {
  width: number
  height: number
}

const fits = (size: Size, most: Size) => size.width <= most.width && size.height <= most.height

/** The largest version that fits; where none does, the smallest, to be shown smaller than it is. */
function photo(file: StoredFile, addresses: FileAddresses, most: Size) {
  const versions = (['medium', 'thumb'] as const).flatMap((name) => {
    const variant = variantOf(file, name)
    return variant ? [{ ...variant, url: addresses.urlOf(variant) }] : []
  })
  const best = shownPicture(file, addresses)
  const chosen = [best, ...versions].find((version) => fits(version, most)) ?? versions.at(-1) ?? best
  return { type: 'photo', url: chosen.url, ...shrunk(chosen, most) }
}

function film(file: StoredFile, addresses: FileAddresses, most: Size) {
  const size = shrunk(file, most)
  return { type: 'video', html: filmPlayer(file, addresses, size).markup, ...size }
}

function shrunk({ width, height }: Size, most: Size): Size {
  const scale = Math.min(1, most.width / width, most.height / height)
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) }
}

function thumbnail(file: StoredFile, addresses: FileAddresses, most: Size) {
  const thumb = variantOf(file, 'thumb')
  if (!thumb || !fits(thumb, most)) return {}
  return {
    thumbnail_url: addresses.urlOf(thumb),
    thumbnail_width: thumb.width,
    thumbnail_height: thumb.height,
  }
}
