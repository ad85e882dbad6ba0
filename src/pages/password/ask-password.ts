import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { addressesOf } from '../../http/addresses/file-addresses.ts'
import { type FileType, fileAt, pageVisitor } from '../../http/requests/file-at.ts'
import { mediaTypeOf } from '../../http/requests/headers.ts'
import { isBrowser } from '../../http/requests/user-agents.ts'
import { responseOfRefusal, wrongContentType } from '../../http/responses/errors.ts'
import { readBody } from '../../http/signed/body.ts'
import type { SiteHandle } from '../../http/site-route.ts'
import { Refusal } from '../../lib/refusal.ts'
import { checkAlbumPassword, type PasswordAlbum, pageAccessOf } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { sendPage } from '../../ui/headers.ts'
import type { Reader } from '../../ui/reader.ts'
import { pageReader } from '../guard.ts'
import { passwordPage } from './password-page.ts'
import { unlockCookie } from './unlock-token.ts'

interface Question {
  lock: PasswordAlbum
  /** Of the last attempt. */
  refusal?: Refusal | undefined
}

interface Asking extends Question {
  request: FastifyRequest
  reply: FastifyReply
  /** The page is that of the album itself. */
  isAlbum?: boolean
  reader: Reader
}

/** Sends the password form in place of the page of a file whose album has a password. */
export function askPassword(
  app: App,
  site: Site,
  { request, reply, lock, refusal, isAlbum = false, reader }: Asking,
): FastifyReply {
  if (refusal) {
    const { status, headers } = responseOfRefusal(refusal)
    reply.code(status).headers(headers)
  }
  reply.header('x-robots-tag', 'noindex')
  const page = passwordPage({ siteName: site.hostname, albumId: lock.albumId, refusal, isAlbum, reader })
  return sendPage(app, request, reply, page)
}

/** Handles the password form. The right password sets an unlock token for every page of the album. */
export function postPassword(type: FileType): SiteHandle {
  return (app) => async (site, request, reply) => {
    const password = await readPassword(request)
    const file = await fileAt(site, type, (request.params as { name: string }).name)
    const { lock } = await pageAccessOf(site, pageVisitor, file)
    if (lock) {
      const given = { password, address: request.client.address }
      const refusal = await checkAlbumPassword(site, lock, given).then(() => undefined, refusalOf)
      if (refusal && !isBrowser(request.headers)) throw refusal
      if (refusal) {
        const { reader } = await pageReader(app, site, request)
        return askPassword(app, site, { request, reply, lock, refusal, reader })
      }
      reply.header('set-cookie', unlockCookie(app, site, { request, lock }))
    }
    return reply
      .code(303)
      .header('location', addressesOf(app, site, file).viewerPath)
      .send()
  }
}

export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal && error.kind !== 'unavailable') return error
  throw error
}

const mostBytes = 4_096

export async function readPassword({ raw }: FastifyRequest): Promise<string> {
  const bytes = await readBody(raw, mostBytes)
  if (mediaTypeOf(raw.headers['content-type']) !== 'application/x-www-form-urlencoded')
    throw wrongContentType('The body must be a form: Content-Type: application/x-www-form-urlencoded.')
  return new URLSearchParams(bytes.toString()).get('password') ?? ''
}
