import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { proofNeeded } from '../accounts/index.ts'
import type { App } from '../app.ts'
import {
  actingAs,
  installationKey,
  type OperatorCaller,
  openOperatorSession,
  recordOperatorUse,
} from '../control/index.ts'
import { checkAllowList, isLocal } from '../http/requests/guards.ts'
import { pathOf } from '../http/requests/paths.ts'
import { orCannotRead, routeNotFound } from '../http/responses/errors.ts'
import { consoleTokens, isSameOrigin } from '../http/session/session-cookie.ts'
import { randomId } from '../lib/ids.ts'
import { Refusal } from '../lib/refusal.ts'
import { keyMissing, tenantOfHost } from '../tenants/index.ts'
import { checkFormToken, notSameOrigin, readForm } from '../ui/form.ts'
import { sendPage } from '../ui/headers.ts'
import { ownPath } from '../ui/own-path.ts'
import { type Reader, readerOf } from '../ui/reader.ts'
import {
  type ConsoleAnswer,
  type ConsoleCall,
  type ConsoleRoute,
  consolePath,
  consolePrefix,
} from './console-call.ts'
import { keepForm, keptForm } from './kept-form.ts'

/** The handler of a page of the console. The order of the checks decides what a stranger learns. */
export function serveConsole(app: App, route: ConsoleRoute) {
  const { method, access = method === 'GET' ? 'viewer' : 'operator', proof, handle } = route
  return async (request: FastifyRequest, reply: FastifyReply) => {
    await checkHost(app, request)
    if (method === 'POST' && !isSameOrigin(app, app.config.console, request)) throw notSameOrigin()
    // A slow client may send the rest of its form long after its session has ended, or lost its role.
    const { form, fault } = await formOf(request)
    const { caller, reader } = await openSession(app, request)
    const query = new URLSearchParams(request.url.split('?').slice(1).join('?'))
    const params = request.params as Record<string, string>
    const sent = { request, reply, route, params, form }
    if (!caller && access !== 'anyone') return leadAway(app, sent, 'login')
    if (access === 'operator' && caller?.role !== 'operator') throw forViewers()
    if (caller && !route.isPolled) await recordOperatorUse(app.control, caller, request.client.address)
    if (method === 'POST' && !route.isForGuests)
      checkFormToken(reader, form.get('csrf') ?? String(request.headers['x-csrf-token'] ?? ''))
    const control = actingAs(app.control, authorOf(request, caller))
    const call = { app, control, request, reply, caller, reader, params, query, form }
    if (caller && !caller.isProven && (typeof proof === 'function' ? proof(call) : proof)) {
      if (route.isForScript) throw proofNeeded()
      return leadAway(app, sent, 'prove', caller)
    }
    if (fault) throw fault
    const filled = method === 'GET' && caller ? { ...call, form: takeKept(app, sent, caller) } : call
    return sendAnswer(app, { request, reply }, await orKeyMissing(handle(filled)))
  }
}

/** The caller with the language and token of its pages, which also stand around an error. */
async function openSession(app: App, request: FastifyRequest) {
  const caller = await orCannotRead(openOperatorSession(app.control, consoleTokens(app, request)))
  const reader = consoleReader(app, request, caller)
  request.reader = reader
  if (caller) callers.set(request, caller)
  return { caller, reader }
}

const callers = new WeakMap<FastifyRequest, OperatorCaller>()

/** Who was logged in when the request was refused. */
export const callerOfRefused = (request: FastifyRequest): OperatorCaller | undefined => callers.get(request)

/** An address without a page. Only the frame of the error depends on who asks. */
export async function openUnknown(app: App, request: FastifyRequest): Promise<void> {
  await checkHost(app, request)
  await openSession(app, request)
}

type Sent = Pick<ConsoleCall, 'request' | 'reply' | 'params' | 'form'> & { route: ConsoleRoute }

/** To the log-in or the proof, and from there to the page of the form, which shows what was typed. */
async function leadAway(app: App, sent: Sent, step: 'login' | 'prove', caller?: OperatorCaller) {
  const { request, reply, route, params, form } = sent
  const page = pageOf(request, route.page ?? '', params)
  if (request.method === 'POST' && route.page !== undefined && !route.isForScript) {
    const typed = { operatorId: caller?.operatorId, page, form, names: route.keeps ?? [] }
    const cookie = await orCannotRead(keepForm(app, request, typed))
    if (cookie !== undefined) reply.header('set-cookie', cookie)
  }
  const to = `${consolePath(step)}?to=${encodeURIComponent(page)}`
  return sendAnswer(app, { request, reply }, { to, status: step === 'login' ? 302 : 303 })
}

/** What was typed into a form of this page before the log-in or the proof that has led here. */
function takeKept(app: App, { request, reply }: Sent, { operatorId }: OperatorCaller): URLSearchParams {
  const { form, cookie } = keptForm(app, request, operatorId)
  if (cookie !== undefined) reply.header('set-cookie', cookie)
  return form
}

/** What no key decrypts is no outage that ends by itself: the page says so, and asks for no other try. */
async function orKeyMissing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal && error.code === 'cannot-decrypt') throw keyMissing()
    throw error
  }
}

/** Refuses all but the console's own host, and clients that are not on its list. */
export async function checkHost(app: App, request: FastifyRequest): Promise<void> {
  const { hostname, allowList } = app.config.console
  if (request.client.hostname !== hostname) throw routeNotFound()
  // Site and console would be one origin: pages of the site could act with an operator's session.
  const isShared = (await orCannotRead(tenantOfHost(app.control, hostname))) !== undefined
  if (isShared && !isLocal(app, request)) throw routeNotFound()
  request.reader = consoleReader(app, request, undefined)
  checkAllowList(allowList, request)
}

function consoleReader(app: App, request: FastifyRequest, caller: OperatorCaller | undefined): Reader {
  const reader = readerOf(request)
  return caller ? { ...reader, formToken: formTokenOf(app, caller) } : reader
}

/** Bound to the token of the session: another session, and this one after a change of password, has another. */
const formTokenOf = ({ requestSecret }: App, { tokenHash }: OperatorCaller): string =>
  createHmac('sha256', installationKey(requestSecret, 'form tokens')).update(tokenHash).digest('hex')

const authorOf = ({ client, headers }: FastifyRequest, caller: OperatorCaller | undefined) => ({
  kind: 'operator' as const,
  ...(caller && { id: caller.operatorId, name: caller.username }),
  address: client.address,
  userAgent: headers['user-agent'] ?? '',
  requestId: randomId(),
})

/** A form that cannot be read is refused after the session and its token, which may come in a header. */
async function formOf(request: FastifyRequest): Promise<{ form: URLSearchParams; fault?: Refusal }> {
  if (request.method !== 'POST') return { form: new URLSearchParams() }
  try {
    return { form: await readForm(request) }
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault
    return { form: new URLSearchParams(), fault }
  }
}

/** The page that a form was on: its own address may take no GET. */
function pageOf(
  { method, url }: FastifyRequest,
  page: string,
  params: Readonly<Record<string, string>>,
): string {
  if (method !== 'POST') return ownPath(url, consolePrefix)
  const path = page.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  return ownPath(consolePath(path), consolePrefix)
}

const forViewers = () =>
  new Refusal('forbidden', 'role-too-low', 'A viewer can see everything and change nothing.', {
    reason: 'viewers-only-see',
  })

/** No browser and no cache keeps a page of the console for the next person in front of it. */
function sendAnswer(
  app: App,
  { request, reply }: Pick<ConsoleCall, 'request' | 'reply'>,
  answer: ConsoleAnswer,
) {
  if ('json' in answer) return reply.header('cache-control', 'no-store').send(answer.json)
  if (!('page' in answer) && !('to' in answer)) return answer
  reply.headers({ 'cache-control': 'no-store', ...answer.headers })
  if ('to' in answer)
    return reply
      .code(answer.status ?? 303)
      .header('location', answer.to)
      .send()
  reply.code(answer.status ?? 200)
  return sendPage(app, request, reply, answer.page)
}

/** An address of the console, on whatever host. */
export const isConsolePath = (url: string): boolean => /^\/+_\/+console(?:\/|$)/.test(pathOf(url))
