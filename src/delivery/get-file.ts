import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { filePath } from '../http/addresses/file-addresses.ts'
import { takeReaderSlot } from '../http/connection/reader-slots.ts'
import { refused, siteRefusals } from '../http/openapi/described-refusal.ts'
import { mostHeaderBytes } from '../http/responses/errors.ts'
import { addressEnded } from '../http/responses/file-errors.ts'
import type { SiteEndpoint, SiteHandle } from '../http/site-route.ts'
import { checkTrafficLeft, trafficUsedUp } from '../http/suspended-sites.ts'
import { faultOf } from '../lib/faults.ts'
import { invalidFields, Refusal } from '../lib/refusal.ts'
import { type FoundBytes, fileDamaged, fileNotFound, findBytes } from '../media/index.ts'
import type { Site } from '../site/index.ts'
import { accelOf } from './accel.ts'
import {
  checkMayTransform,
  presetIn,
  rememberKept,
  TransformQuery,
  transformAsked,
  transformNotAllowed,
} from './asked-transform.ts'
import { countDownload, countWhenSent, lengthOf } from './count-traffic.ts'
import { type DerivedAnswer, derivedPicture, pictureInPlace } from './derived-pictures.ts'
import { type CachingLimits, type FileResponse, fileResponseOf } from './file-response.ts'
import { pinOrRead } from './hot-files.ts'
import { checkStored, isDamaged, openChunks, readRange } from './read-bytes.ts'
import { sendChunks, sendEmpty, sendStream } from './send-bytes.ts'
import { checkSigned, type SignedAccess } from './signed-bytes.ts'

/** After so many pictures that were evicted before they could be sent, the nearest version is sent. */
const mostEvictions = 2

/** Sends a file or a variant. The row is read for each request; only bytes are cached. */
const getFile: SiteHandle = (app) => {
  const accelPathOf = accelOf(app)
  return async (site, request, reply) => {
    const { found, path } = await findAt(site, request)
    const asking = { found, path, url: request.url, accept: request.headers.accept }
    const wanted = transformAsked(site, asking)
    const isWhole = !wanted || wanted instanceof Refusal || wanted.plan.isWhole
    const signed = await checkSigned(app, site, { found, path, url: request.url, isWhole })
    checkTrafficLeft(app, site)
    const sending = { app, site, reply, signed, accelPathOf }
    if (wanted instanceof Refusal) throw wanted
    if (!wanted) return await sendFound(sending, { found })
    const endsIn = await checkMayTransform(app, site, wanted, asking)
    const { isVarying } = wanted.plan
    const isRedirected = accelPathOf(request.raw, site, { key: found.key, isVarying }) !== undefined
    const mayBeCached = request.method === 'GET' && !isRedirected
    const wanting = { found, request: wanted, endsIn, mayBeCached }
    for (let tried = 1; tried <= mostEvictions; tried += 1) {
      const derived = await derivedPicture(app, site, wanting)
      rememberKept(asking, wanted, derived)
      try {
        return await sendFound(sending, derived)
      } catch (error) {
        // Its bytes were removed since they were found: another picture took its place in the budget.
        if (!derived.found.derived || !isDamaged(error)) throw error
      }
    }
    return await sendFound(sending, pictureInPlace(app, wanting))
  }
}

interface SendingFound {
  app: App
  site: Site
  reply: FastifyReply
  signed: SignedAccess | undefined
  accelPathOf: ReturnType<typeof accelOf>
}

type Answer = Pick<DerivedAnswer, 'found' | 'bytes'> & { limits?: CachingLimits }

async function sendFound(
  { app, site, reply, signed, accelPathOf }: SendingFound,
  { found, bytes, limits }: Answer,
) {
  const { request } = reply
  const stored = { key: found.key, isVarying: limits?.isVarying }
  const redirect = bytes ? undefined : accelPathOf(request.raw, site, stored)
  const isRedirected = redirect !== undefined
  const allowsRange = !isRedirected && request.method === 'GET'
  const { cacheTagHeaders: tagHeaders } = app.config
  const conditions = { headers: request.headers, allowsRange, isRedirected, signed, limits, tagHeaders }
  const response = fileResponseOf(site, found, conditions)
  if (response.status >= 300) return sendEmpty(writeHead(reply, response))
  if (bytes) return sendMade(reply, { app, site, found, response, bytes })
  if (allowsRange) return await sendBytes(reply, { app, site, found, response })

  await checkStored({ app, site, found })
  if (redirect !== undefined) {
    // nginx adds an Accept-Ranges of its own.
    writeHead(reply, response).removeHeader('accept-ranges')
    if (request.method === 'GET') countDownload(app, site, found, response)(lengthOf(found, response))
    return sendEmpty(reply.header('x-accel-redirect', redirect))
  }
  return sendEmpty(writeHead(reply, response).header('content-length', found.sizeBytes))
}

interface SendingMade extends Sending {
  bytes: Buffer
}

/** Bytes that are in memory because they were just made, or read and proven. */
function sendMade(reply: FastifyReply, { app, site, found, response, bytes }: SendingMade) {
  if (reply.request.method === 'HEAD')
    return sendEmpty(writeHead(reply, response).header('content-length', found.sizeBytes))
  const { range } = response
  countWhenSent(reply.raw, lengthOf(found, response), countDownload(app, site, found, response))
  return writeHead(reply, response).send(range ? bytes.subarray(range.start, range.end + 1) : bytes)
}

/** Called when the request can no longer be refused: a refusal has other headers. */
const writeHead = (reply: FastifyReply, { status, headers }: FileResponse) =>
  reply.code(status).headers(headers)

const pathOf = (request: FastifyRequest) =>
  filePath((request.params as { '*': string })['*'].replace(/(?<!\/)\/+$/, ''))

const rowsAhead = new WeakMap<FastifyRequest, { db: Site['db']; found: Promise<FoundBytes | undefined> }>()

/** With a slow database a file then takes one wait: for its row and for the state of its site, at the same time. */
function prefetchFile(site: Site, request: FastifyRequest): void {
  const path = pathOf(request)
  if (!path) return
  // A failure is left to the handler, which reads again.
  const found = findBytes(site, { ...path, preset: presetIn(request.url) }).catch(() => undefined)
  rowsAhead.set(request, { db: site.db, found })
}

async function findAt(site: Site, request: FastifyRequest): Promise<{ found: FoundBytes; path: string }> {
  const path = pathOf(request)
  const ahead = rowsAhead.get(request)
  const foundAhead = ahead?.db === site.db ? await ahead.found : undefined
  const found = foundAhead ?? (path && (await findBytes(site, { ...path, preset: presetIn(request.url) })))
  if (!path || !found) throw fileNotFound()
  return { found, path: `/${path.folder}/${path.fileName}` }
}

interface Sending {
  app: App
  site: Site
  found: FoundBytes
  response: FileResponse
}

/** With more readers than this, each gets a smaller buffer. */
const manyReaders = 100

async function sendBytes(reply: FastifyReply, { app, site, found, response }: Sending) {
  const { range } = response
  const reading = { app, site, found }
  const whole = await pinOrRead(reading, { response: reply.raw, range })
  if (whole) {
    const count = countDownload(app, site, found, response)
    countWhenSent(reply.raw, lengthOf(found, response), count)
    return writeHead(reply, response).send(range ? whole.subarray(range.start, range.end + 1) : whole)
  }

  const isCrowded = (await takeReaderSlot(app, site.storage, reply)) > manyReaders
  const { start, end } = range ?? { start: 0, end: found.sizeBytes - 1 }
  const sending = { log: app.log, key: found.key, start, lengthBytes: end - start + 1 }
  // A pipelined response that waits for an earlier one is left to the framework.
  const opened = reply.raw.socket ? await openChunks(reading, { range, isCrowded }) : undefined
  if (opened) {
    writeHead(reply, response).header('content-length', sending.lengthBytes).hijack()
    const headers = reply.getHeaders() as OutgoingHttpHeaders
    // Not awaited: the site may close while a slow client reads the open file.
    const count = countDownload(app, site, found, response)
    void sendChunks(reply.raw, { ...sending, ...opened, status: response.status, headers, count })
    return
  }
  const content = await readRange(reading, range)
  writeHead(reply, response)
  const count = countDownload(app, site, found, response)
  if (!Buffer.isBuffer(content)) return sendStream(reply, { ...sending, content, count })
  countWhenSent(reply.raw, content.length, count)
  return reply.send(content)
}

export const file: SiteEndpoint = {
  tag: 'Files',
  summary: 'Read the bytes of a file or a variant',
  description:
    'Served to every caller who knows the path. With the setting `protect_bytes`, private ' +
    'files and files in private albums and albums ' +
    'with a password need a signed address. Conditional requests and single ranges are ' +
    'supported. `HEAD` gets only the headers. Options make another size or format of a picture: ' +
    'the widths 320, 500, 640, 960, 1280, 1920 and 2560, with or without `format`, are open to ' +
    'everybody; all else needs a signature.',
  access: 'anyone',
  params: Type.Object({
    path: Type.String({
      maxLength: mostHeaderBytes,
      description: 'The path below `/images/`, slashes included: `2026/11/15/cat.png`, `cat.th.png`',
    }),
  }),
  query: TransformQuery,
  responses: {
    200: {
      description: 'The bytes, as `image/…` or `video/…`.',
      contentType: '*/*',
      schema: Type.String({ contentMediaType: 'application/octet-stream' }),
      headers: {
        ETag: 'Identifies the bytes',
        'Cache-Control': 'A year, or until the file expires',
      },
    },
    206: {
      description: 'The range that `Range` names.',
      contentType: '*/*',
      schema: Type.String({ contentMediaType: 'application/octet-stream' }),
      headers: { 'Content-Range': 'The range and the size of the file' },
    },
    304: { description: 'The caller’s copy is current.' },
    400: refused('An option cannot be followed.', invalidFields([faultOf('width', 'zeroOrOne', {})])),
    412: { description: 'A condition does not hold; no body.' },
    416: { description: 'The range is beyond the end; no body.', headers: { 'Content-Range': 'The size' } },
    ...siteRefusals,
    403: refused('This size or format needs a signature.', transformNotAllowed()),
    404: refused('There is no such file, or no site at this hostname.', fileNotFound()),
    429: refused('The traffic of the month is used up (`SERVICE_MAX_TRAFFIC`).', trafficUsedUp(new Date(0))),
    410: refused('The signed address or its share has expired.', addressEnded()),
    503: refused('The bytes cannot be read now.', fileDamaged()),
  },
  handle: getFile,
  readAhead: prefetchFile,
}
