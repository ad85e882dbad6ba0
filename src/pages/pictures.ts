import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { readProfilePicture } from '../accounts/index.ts'
import { routeNotFound } from '../http/responses/errors.ts'
import { isId } from '../lib/ids.ts'
import { drawingOf, noSuchFile, readBrandPicture, readDrawing, readShownFile } from '../media/index.ts'
import { brandSheet } from './brand.ts'
import { type PageCall, type PageHandler, userOf } from './page-call.ts'

interface SentPicture {
  mime: string
  content: Buffer | Readable
  /** The header `cache-control`. */
  caching: string
}

/** Sends a picture that pages of the site alone show. */
async function sendPicture(
  { reply }: PageCall,
  { mime, content, caching }: SentPicture,
): Promise<FastifyReply> {
  reply.headers({
    'content-type': mime,
    'cache-control': caching,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  reply.raw.once('close', resolve)
  reply.send(content)
  // The site must stay open until the last byte; a caller who leaves ends the reading.
  await closed
  if (content instanceof Readable) content.destroy()
  return reply
}

/** The picture of a person, as long as the person shows it. */
export const getProfilePicture: PageHandler = async (call) => {
  const { id = '', hash = '' } = call.params
  const found =
    isId(id) && /^[\w-]{22,64}$/.test(hash) ? await readProfilePicture(call.site, id, hash) : undefined
  if (!found) throw routeNotFound()
  return sendPicture(call, {
    mime: found.mime,
    content: found.bytes,
    caching: 'public, max-age=31536000, immutable',
  })
}

/** Logo or icon, as long as it is in use. */
export const getBrandPicture: PageHandler = async (call) => {
  const [, sha256 = '', extension = ''] = /^([0-9a-f]{64})\.([a-z]+)$/.exec(call.params.name ?? '') ?? []
  const found = await readBrandPicture(call.site, { sha256, extension })
  if (!found) throw routeNotFound()
  const { picture, content } = found
  return sendPicture(call, { mime: picture.mime, content, caching: 'public, max-age=31536000, immutable' })
}

/**
 * Our own drawing of a file that waits for approval or is in the trash, for its owner and the staff. Never the bytes that
 * were sent: they could be a document with a script.
 */
export const getWithheldPicture: PageHandler = async (call) => {
  const { site, params } = call
  const id = isId(params.id ?? '') ? (params.id ?? '') : ''
  const { file } = await readShownFile(site, userOf(call), { id })
  const drawn = drawingOf(file)
  if (!drawn) throw noSuchFile(id)
  const content = await readDrawing(site, file, drawn)
  return sendPicture(call, { mime: drawn.mime, content, caching: 'private, no-store' })
}

export const getBrandSheet: PageHandler = async ({ params, reply }) => {
  const { name = '' } = params
  const sheet = brandSheet(`#${name.slice(0, 6)}`)
  if (sheet?.path !== `/-/brand-${name}`) throw routeNotFound()
  return reply
    .headers({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    .send(sheet.text)
}
