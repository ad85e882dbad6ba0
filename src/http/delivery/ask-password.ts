import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../lib/refusal.ts'
import { type AlbumLock, checkAlbumPassword, sightOf } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { answerOfRefusal, wrongContentType } from '../errors.ts'
import { addressesOf } from '../file-addresses.ts'
import { mediaTypeOf } from '../media-type.ts'
import type { SiteRoute } from '../site-route.ts'
import { readBody } from '../tenants-v4/body.ts'
import { passCookie } from './album-pass.ts'
import { isBrowser } from './askers.ts'
import { anybody, type FileType, fileAt } from './file-at.ts'
import { passwordPage } from './password-page.ts'
import { questionPolicy } from './viewer/page.ts'

interface Question {
  lock: AlbumLock
  /** Of the last try. */
  refusal?: Refusal
}

/** In place of the page of a file whose album has a password. */
export function askPassword(site: Site, reply: FastifyReply, { lock, refusal }: Question) {
  if (refusal) {
    const { status, headers } = answerOfRefusal(refusal)
    reply.code(status).headers(headers)
  }
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', questionPolicy)
    .header('x-robots-tag', 'noindex')
    .header('referrer-policy', 'same-origin')
    .send(passwordPage({ siteName: site.hostname, albumId: lock.albumId, fault: refusal?.message }))
}

/** What the page's form sends. The right password is a pass to every page of the album. */
export function postPassword(type: FileType): SiteRoute['handle'] {
  return (app) => async (site, request, reply) => {
    const password = await readPassword(request)
    const file = await fileAt(site, type, (request.params as { name: string }).name)
    const { lock } = await sightOf(site, anybody, file)
    if (lock) {
      const given = { password, address: request.visitor.address }
      const refusal = await checkAlbumPassword(site, lock, given).then(() => undefined, refusalOf)
      if (refusal && !isBrowser(request.headers)) throw refusal
      if (refusal) return askPassword(site, reply, { lock, refusal })
      reply.header('set-cookie', passCookie(app, site, lock))
    }
    return reply
      .code(303)
      .header('location', addressesOf(app, site, file).viewerPath)
      .send()
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal && error.kind !== 'unavailable') return error
  throw error
}

const mostBytes = 4_096

async function readPassword({ raw }: FastifyRequest): Promise<string> {
  const bytes = await readBody(raw, mostBytes)
  if (mediaTypeOf(raw.headers['content-type']) !== 'application/x-www-form-urlencoded')
    throw wrongContentType('The body must be a form: Content-Type: application/x-www-form-urlencoded.')
  return new URLSearchParams(bytes.toString()).get('password') ?? ''
}
