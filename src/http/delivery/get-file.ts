import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { type FoundBytes, findBytes } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import type { SiteRoute } from '../site-route.ts'
import { accelOf } from './accel.ts'
import { noSuchFile } from './errors.ts'
import { answerOf, type FileAnswer } from './file-answer.ts'
import { filePlace } from './file-place.ts'
import { borrowOrRead } from './hot-files.ts'
import { checkStored, readPiece, readPieces } from './read-bytes.ts'
import { sendEmpty, sendStream } from './send-bytes.ts'
import { sendPieces } from './send-pieces.ts'

/** A file, or a version of one. The row is asked every time; only bytes are remembered. */
export const getFile: SiteRoute['handle'] = (app) => {
  const accelerated = accelOf(app)
  return async (site, request, reply) => {
    const found = await findAt(site, request)
    const redirect = accelerated(request.raw, site, found.key)
    const mayBePart = redirect === undefined && request.method === 'GET'
    const answer = answerOf(site, found, { headers: request.headers, mayBePart })
    if (answer.status >= 300) return sendEmpty(tell(reply, answer))
    if (mayBePart) return await sendBytes(reply, { app, site, found, answer })

    await checkStored({ app, site, found })
    if (redirect !== undefined) return sendEmpty(tell(reply, answer).header('x-accel-redirect', redirect))
    return sendEmpty(tell(reply, answer).header('content-length', found.sizeBytes))
  }
}

/** Only when nothing can be refused any more: a refusal has other headers. */
const tell = (reply: FastifyReply, { status, headers }: FileAnswer) => reply.code(status).headers(headers)

async function findAt(site: Site, request: FastifyRequest): Promise<FoundBytes> {
  const place = filePlace((request.params as { '*': string })['*'].replace(/\/+$/, ''))
  const found = place && (await findBytes(site, place.folder, place.fileName))
  if (!found) throw noSuchFile()
  return found
}

interface Sending {
  app: App
  site: Site
  found: FoundBytes
  answer: FileAnswer
}

async function sendBytes(reply: FastifyReply, { app, site, found, answer }: Sending) {
  const { piece } = answer
  const reading = { app, site, found }
  const whole = await borrowOrRead(reading, { response: reply.raw, piece })
  if (whole) return tell(reply, answer).send(piece ? whole.subarray(piece.start, piece.end + 1) : whole)

  const { start, end } = piece ?? { start: 0, end: found.sizeBytes - 1 }
  const sending = { log: app.log, key: found.key, start, lengthBytes: end - start + 1 }
  // An answer that waits for another one on its connection is left to the framework.
  const begun = reply.raw.socket ? await readPieces(reading, piece) : undefined
  if (begun) {
    tell(reply, answer).header('content-length', sending.lengthBytes).hijack()
    const headers = reply.getHeaders() as OutgoingHttpHeaders
    // Not waited for: the site may close while somebody is still reading a file that is open.
    void sendPieces(reply.raw, { ...sending, ...begun, status: answer.status, headers })
    return
  }
  const content = await readPiece(reading, piece)
  tell(reply, answer)
  return Buffer.isBuffer(content) ? reply.send(content) : sendStream(reply, { ...sending, content })
}
