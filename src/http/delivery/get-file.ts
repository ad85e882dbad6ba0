import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { type FoundBytes, findBytes } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import type { ByteRange } from '../../storage/index.ts'
import type { SiteRoute } from '../site-route.ts'
import { accelOf } from './accel.ts'
import { rangeOf } from './byte-range.ts'
import { conditionOf, isSameState, type Validators, validatorsOf } from './conditions.ts'
import { noSuchFile } from './errors.ts'
import { createHotCache } from './hot-cache.ts'
import { checkStored, readLarge, readSmall } from './read-bytes.ts'
import { sendEmpty, sendStream } from './send-bytes.ts'

/** A file, or a version of one. The row is asked every time; only bytes are remembered. */
export const getFile: SiteRoute['handle'] = (app) => {
  const cache = createHotCache()
  const accelerated = accelOf(app)
  return async (site, request, reply) => {
    const found = await findAt(site, request)
    const validators = validatorsOf(found.key, found.file.createdAt)
    const condition = conditionOf(request.headers, validators)
    if (condition === 'failed') return sendEmpty(reply.code(412))
    if (condition === 'unchanged') {
      return sendEmpty(reply.code(304).headers(cachingHeaders(site, found, validators)))
    }

    const headers = { ...fileHeaders(found), ...cachingHeaders(site, found, validators) }
    const reading = { app, site, found }
    const redirect = accelerated(request, site, found.key)
    if (redirect !== undefined) {
      await checkStored(reading)
      return sendEmpty(reply.headers(headers).header('x-accel-redirect', redirect))
    }
    if (request.method === 'HEAD') {
      await checkStored(reading)
      return sendEmpty(reply.headers(headers).header('content-length', found.sizeBytes))
    }

    const range = isSameState(request.headers['if-range']?.toString(), validators)
      ? rangeOf(request.headers.range, found.sizeBytes)
      : 'whole'
    if (range === 'outside') {
      return sendEmpty(reply.code(416).header('content-range', `bytes */${found.sizeBytes}`))
    }
    const piece = range === 'whole' ? undefined : range
    if (found.sizeBytes > cache.mostEntryBytes) {
      const content = await readLarge(reading, piece)
      return sendPiece(reply.headers(headers), { app, found, content, piece })
    }
    const bytes = await readSmall(reading, cache)
    const content = piece ? bytes.subarray(piece.start, piece.end + 1) : bytes
    return sendPiece(reply.headers(headers), { app, found, content, piece })
  }
}

const pathForm = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/

async function findAt(site: Site, request: FastifyRequest): Promise<FoundBytes> {
  const path = (request.params as { '*': string })['*'].replace(/\/+$/, '')
  // No file has another name, and not every store takes every character.
  if (!pathForm.test(path)) throw noSuchFile()
  const segments = ['images', ...path.split('/')]
  const fileName = segments.pop() ?? ''
  const found = await findBytes(site, segments.join('/'), fileName)
  if (!found) throw noSuchFile()
  return found
}

/** Nothing in a file ever runs or reaches out, whatever a browser takes it for. */
const sandboxPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors *"
/** Opened by itself, a film is a page with a player that asks for this address once more. */
const filmPolicy = `${sandboxPolicy}; media-src 'self'`

function fileHeaders({ mime }: FoundBytes) {
  return {
    'content-type': mime,
    'content-security-policy': mime.startsWith('video/') ? filmPolicy : sandboxPolicy,
    'cross-origin-resource-policy': 'cross-origin',
    'accept-ranges': 'bytes',
  }
}

const longestSeconds = 365 * 24 * 60 * 60

/** No cache keeps a file beyond its own time. */
function cachingHeaders(site: Site, { file }: FoundBytes, { etag, modifiedAt }: Validators) {
  const leftMs = file.expiresAt
    ? file.expiresAt.getTime() - site.clock.now().getTime()
    : Number.POSITIVE_INFINITY
  const seconds = Math.max(0, Math.min(longestSeconds, Math.floor(leftMs / 1_000)))
  return {
    etag,
    'last-modified': modifiedAt.toUTCString(),
    'cache-control': `public, max-age=${seconds}, immutable`,
  }
}

interface Sending {
  app: App
  found: FoundBytes
  content: Buffer | Readable
  piece: ByteRange | undefined
}

function sendPiece(reply: FastifyReply, { app, found, content, piece }: Sending) {
  if (piece) {
    reply.code(206).header('content-range', `bytes ${piece.start}-${piece.end}/${found.sizeBytes}`)
  }
  if (Buffer.isBuffer(content)) return reply.send(content)
  const lengthBytes = piece ? piece.end - piece.start + 1 : found.sizeBytes
  return sendStream(reply, { log: app.log, key: found.key, content, lengthBytes })
}
