import {
  addPasskey,
  type Notice,
  type PasskeyAnswer,
  passkeyCreation,
  passkeyNotFound,
  passkeyRequest,
  recordProof,
  removeOwnPasskey,
  renameOwnPasskey,
  unauthenticated,
  userOfPasskey,
} from '../../../accounts/index.ts'
import { notify } from '../../../http/mails/send-mail.ts'
import { responseOfRefusal, routeNotFound } from '../../../http/responses/errors.ts'
import { originOf } from '../../../http/session/session-cookie.ts'
import { siteKey } from '../../../http/site-key.ts'
import { isId } from '../../../lib/ids.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { changeSite } from '../../../tenants/index.ts'
import { ownPath } from '../../../ui/own-path.ts'
import { hasPasskeys } from '../../../ui/passkey-form.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { refusePasskey, startSession } from '../log-in/log-in.ts'
import { refusedProof } from '../proof.ts'
import { refusedPasskey } from '../settings/security.ts'

/** For a log-in or a proof: what the browser needs to ask for a passkey. */
export const postRequest: PageHandler = async (call) => {
  checkOffered(call)
  return sendJson(call, await passkeyRequest(call.site, keyOf(call)))
}

export const postCreation: PageHandler = async (call) => {
  checkOffered(call)
  const username = call.session?.username ?? ''
  return sendJson(call, await passkeyCreation(call.site, userOf(call), { key: keyOf(call), username }))
}

/** A passkey is both steps, and counts where passwords are throttled. */
export const logInByPasskey: PageHandler = async (call) => {
  const { form } = call
  const to = ownPath(form.get('to') ?? '')
  const isLasting = form.get('stay') === '1'
  const steps = { method: 'passkey', factor: 'passkey' } as const
  const cookie = await orRefusal(
    givenUser(call).then((userId) => startSession(call, { userId, isLasting, ...steps })),
  )
  if (cookie instanceof Refusal) return refusePasskey(call, { isLasting, to, refusal: cookie })
  return { to, headers: { 'set-cookie': cookie } }
}

export const proveByPasskey: PageHandler = async (call) => {
  const to = ownPath(call.form.get('to') ?? '', '/settings')
  const proven = await orRefusal(
    (async () => {
      if ((await givenUser(call)) !== userOf(call).userId) throw unauthenticated()
      await changeSite(call.app.control, call.site, (changing) => recordProof(changing, userOf(call)))
    })(),
  )
  return proven instanceof Refusal ? refusedProof(call, to, proven) : { to }
}

export const makePasskey: PageHandler = async (call) => {
  checkOffered(call)
  const name = call.form.get('name')?.trim() ?? ''
  const made = await orRefusal(
    changeSite(call.app.control, call.site, (changing) =>
      addPasskey(changing, userOf(call), { ...answerOf(call), name }),
    ),
  )
  if (!(made instanceof Refusal)) return changed(call, 'passkey-added')
  const { status, headers } = responseOfRefusal(made)
  return { page: await refusedPasskey(call, made), status, headers }
}

export const removePasskey: PageHandler = async (call) => {
  const id = passkeyIdIn(call)
  const removed = await orRefusal(
    changeSite(call.app.control, call.site, (changing) => removeOwnPasskey(changing, userOf(call), id)),
  )
  if (!(removed instanceof Refusal)) return changed(call, 'passkey-removed')
  if (removed.code !== 'last-way-in') throw removed
  const { status, headers } = responseOfRefusal(removed)
  return { page: await refusedPasskey(call, removed), status, headers }
}

async function changed(call: PageCall, notice: Notice): Promise<PageAnswer> {
  await notify(call, { userId: userOf(call).userId, notice })
  return { to: '/settings/security?saved=1' }
}

/** It opens nothing more than before, so it needs no proof. */
export const renamePasskey: PageHandler = async (call) => {
  const id = passkeyIdIn(call)
  const name = call.form.get('name')?.trim() ?? ''
  const renamed = await orRefusal(
    changeSite(call.app.control, call.site, (changing) =>
      renameOwnPasskey(changing, userOf(call), { id, name }),
    ),
  )
  if (!(renamed instanceof Refusal)) return { to: '/settings/security?saved=1' }
  const { status, headers } = responseOfRefusal(renamed)
  return { page: await refusedPasskey(call, renamed), status, headers }
}

function passkeyIdIn({ params: { id = '' } }: PageCall): string {
  if (!isId(id)) throw passkeyNotFound(id.slice(0, 64))
  return id
}

function givenUser(call: PageCall): Promise<string> {
  checkOffered(call)
  return changeSite(call.app.control, call.site, (changing) => userOfPasskey(changing, answerOf(call)))
}

const answerOf = (call: PageCall): PasskeyAnswer => ({
  response: call.form.get('response') ?? '',
  challenge: call.form.get('challenge') ?? '',
  key: keyOf(call),
  origin: originOf(call.app, call.site, call.request),
})

function checkOffered(call: PageCall): void {
  if (!hasPasskeys(call)) throw routeNotFound()
}

const keyOf = ({ app, site }: PageCall) => siteKey(app, site, 'log-ins')

const sendJson = ({ reply }: PageCall, content: object): PageAnswer =>
  reply.header('cache-control', 'no-store').type('application/json').send(content)
