import type { Static } from 'typebox'
import { isBrowser } from '../../http/requests/user-agents.ts'
import { responseOfRefusal } from '../../http/responses/errors.ts'
import type { SiteHandle } from '../../http/site-route.ts'
import { collect } from '../../http/uploads/collect.ts'
import type { CollectedObject } from '../../http/wire/shares.ts'
import { Refusal } from '../../lib/refusal.ts'
import { shareOfToken, takeBackFile } from '../../media/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { readForm } from '../../ui/form.ts'
import { readPassword } from '../password/ask-password.ts'
import { askSharePassword } from './get-share.ts'
import { keepSent, removalKey, removalOf } from './sent-files.ts'
import { openedBefore, openNow, shareCallOf } from './share-request.ts'

/** Handles the password form. */
export const postSharePassword: SiteHandle = (app) => async (site, request, reply) => {
  const call = await shareCallOf(app, site, request, reply)
  const password = await readPassword(request)
  const { token } = request.params as { token: string }
  const share = await shareOfToken(site, token)
  const refusal = await openNow(call, { token, password }).then(() => undefined, refusalOf)
  if (!refusal) return reply.code(303).header('location', call.reader.path).send()
  if (refusal.code === 'gone' || !isBrowser(request.headers)) throw refusal
  const { status, headers } = responseOfRefusal(refusal)
  reply.code(status).headers(headers)
  return askSharePassword(call, { share, refusal })
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal && error.kind !== 'unavailable') return error
  throw error
}

/** Handles the form of a collection link, and the files of its queue. */
export const postShareForm: SiteHandle = (app) => async (site, request, reply) => {
  const call = await shareCallOf(app, site, request, reply)
  const { token } = request.params as { token: string }
  const share = await shareOfToken(site, token)
  const opened = await openedBefore(call, share)
  const caller = { kind: 'guest', hasPublicKey: false } as const
  const sending = { app, site, request, reply, caller }
  const { status, headers = {}, body } = await collect(sending, share, opened !== undefined)
  const sent = body as Static<typeof CollectedObject>
  // The queue of the page; a plain form asks for HTML.
  if (request.headers.accept === 'application/json')
    return reply
      .code(status)
      .headers({ ...headers, 'content-type': 'application/json; charset=utf-8' })
      .send(JSON.stringify({ ...sent, removal: removalOf(call, share, sent.id) }))
  keepSent(call, share, sent.id)
  return reply.code(303).header('location', `/share/${token}?sent=1`).send()
}

/** The page that has sent a file takes it back. */
export const postShareRemoval: SiteHandle = (app) => async (site, request, reply) => {
  const call = await shareCallOf(app, site, request, reply)
  const { token = '', id = '' } = call.params
  const share = await shareOfToken(site, token)
  const proof = (await readForm(request)).get('proof') ?? ''
  await changeSite(app.control, site, (changing) =>
    takeBackFile(changing, share, { key: removalKey(call), id, proof }),
  )
  // A plain form; the queue of the page asks for no page.
  return /\btext\/html\b/.test(request.headers.accept ?? '')
    ? reply.code(303).header('location', `/share/${token}?removed=1`).send()
    : reply.code(204).send()
}
