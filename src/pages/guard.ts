import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { lacksSecondStep, mayDo, openSession, type Right, type SessionCaller } from '../accounts/index.ts'
import type { App } from '../app.ts'
import { onBehalfOf, recordRefusal, recordUseSoon } from '../http/requests/caller-records.ts'
import { pathOf } from '../http/requests/paths.ts'
import { type RatePolicy, ratedCaller, takeRate } from '../http/requests/rates.ts'
import { orCannotRead } from '../http/responses/errors.ts'
import { isSameOrigin, sessionTokens } from '../http/session/session-cookie.ts'
import { siteKey } from '../http/site-key.ts'
import type { SiteHandler } from '../http/site-route.ts'
import { Refusal } from '../lib/refusal.ts'
import { listFooterPages, mayListOthers, mayUploadOnPage } from '../media/index.ts'
import { isSwitchedOn, readSettings, type Site } from '../site/index.ts'
import { checkFormToken, notSameOrigin, readForm } from '../ui/form.ts'
import { sendPage } from '../ui/headers.ts'
import { ownPath, profilePicturePath } from '../ui/own-path.ts'
import { type Reader, readerOf } from '../ui/reader.ts'
import { withProof } from './account/proof.ts'
import { brandOf } from './brand.ts'
import type { PageAccess, PageAnswer, PageRoute } from './page-call.ts'

/** The handler of a page: who asks, origin, access, form and its token, answer. */
export function servePage(app: App, route: PageRoute): SiteHandler {
  const { method, access, proof, handle } = route
  const { hasOwnBody = false, isForGuests = false, isFromBrowser = false, needsNoSecondStep } = route
  return async (site, request, reply) => {
    const { session, reader, isWithoutStep } = await pageReader(app, site, request, needsNoSecondStep)
    request.reader = reader
    if (isWithoutStep && !isForGuests) return sendAnswer(app, request, reply, toSecondStep)
    const isOwn = isFromBrowser
      ? request.headers['sec-fetch-site'] === 'none'
      : isSameOrigin(app, site, request)
    if (method === 'POST' && !isOwn) throw notSameOrigin()
    if (!session && access !== 'anyone') return sendAnswer(app, request, reply, toLogIn(reader))
    checkRole(access, session)
    const hasForm = method === 'POST' && !hasOwnBody
    const form = hasForm ? await readForm(request) : new URLSearchParams()
    if (hasForm && !isForGuests)
      checkFormToken(reader, form.get('csrf') ?? String(request.headers['x-csrf-token'] ?? ''))
    const params = request.params as Record<string, string>
    const query = new URLSearchParams(request.url.split('?').slice(1).join('?'))
    const authored = onBehalfOf(site, request, session?.caller)
    // A guest's form does not act by the session, and may end it, as a new password does.
    const checkAuthor = isForGuests ? undefined : authored.checkAuthor
    const call = {
      app,
      site: { ...authored, checkAuthor },
      request,
      reply,
      session,
      reader,
      params,
      query,
      form,
    }
    const proven = await withProof(proof, call)
    // Undefined: a download whose client left, since an awaited reply becomes what it was sent.
    const answer: PageAnswer | undefined = 'question' in proven ? proven.question : await handle(proven.call)
    // A form that is shown again with its refusal.
    if (answer && 'status' in answer && answer.status === 403)
      await recordRefusal(app, request, formRefused())
    return sendAnswer(app, request, reply, answer)
  }
}

const guest = { kind: 'guest', hasPublicKey: false } as const

/**
 * The reader of a page of a site, with who is logged in. Staff without the second step that the site demands counts as a
 * guest, but for pages that need none.
 */
export async function pageReader(
  app: App,
  site: Site,
  request: FastifyRequest,
  needsNoSecondStep = false,
): Promise<{ session: SessionCaller | undefined; reader: Reader; isWithoutStep: boolean }> {
  const found = await sessionOf(app, site, request)
  const isWithoutStep =
    found !== undefined && !needsNoSecondStep && (await orCannotRead(lacksSecondStep(site, found.caller)))
  const session = isWithoutStep ? undefined : found
  if (session) recordUseSoon(app, request, session.caller)
  request.member = session?.caller
  const user = session && readerUser(session)
  const formToken = session && formTokenOf(app, site, session)
  const mayExplore = await orCannotRead(mayListOthers(site, session?.caller ?? guest))
  const isSignUpOpen = isSwitchedOn(site.values, 'SERVICE_ENABLE_SIGNUP')
  const mayUpload = await orCannotRead(mayUploadOnPage(site, session?.caller ?? guest))
  const { preferences } = session ?? {}
  const footer = await orCannotRead(listFooterPages(site))
  const brand = await orCannotRead(brandOf(site))
  const isDemo = (await orCannotRead(readSettings(site))).show_demo_notice === '1'
  const account = {
    user,
    isSignUpOpen,
    mayExplore,
    mayUpload,
    preferences,
    brand,
    footer,
    isDemo,
  }
  return {
    session,
    isWithoutStep,
    reader: { ...readerOf(request), path: pagePathOf(request), formToken, account },
  }
}

const readerUser = ({ username, caller, pictureHash }: SessionCaller) => ({
  username,
  role: caller.role,
  picture: profilePicturePath(caller.userId, pictureHash),
})

/** The page that a form was on: the address of the form itself may take no GET. */
function pagePathOf({ method, url, headers, client }: FastifyRequest): string {
  if (method !== 'POST') return url
  const { referer = '' } = headers
  const page = URL.canParse(referer) ? new URL(referer) : undefined
  return page?.hostname === client.hostname ? ownPath(page.pathname + page.search) : '/'
}

const sessions = new WeakMap<FastifyRequest, Promise<SessionCaller | undefined>>()

/** Looked up once for each request: the rate needs it before the page does. */
function sessionOf(app: App, site: Site, request: FastifyRequest): Promise<SessionCaller | undefined> {
  const known = sessions.get(request) ?? findSession(app, site, request)
  sessions.set(request, known)
  return known
}

/** A link of another site leads here with the cookie (SameSite=Lax), so a GET must change nothing. */
const findSession = (app: App, site: Site, request: FastifyRequest) =>
  orCannotRead(openSession(site, sessionTokens(app, request)))

/** Bound to the token of the session: another session, and this one after a change of password, has another. */
const formTokenOf = (app: App, site: Site, { tokenHash }: SessionCaller): string =>
  createHmac('sha256', siteKey(app, site, 'form tokens'))
    .update(tokenHash)
    .digest('hex')

const toLogIn = ({ path }: Reader): PageAnswer => ({ to: logInPath(path), status: 302 })

const toSecondStep: PageAnswer = { to: '/settings/security/totp' }

export const logInPath = (path: string): string => `/login?to=${encodeURIComponent(ownPath(path))}`

function checkRole(access: PageAccess, session: SessionCaller | undefined): void {
  if (access === 'anyone' || access === 'member') return
  if (!session || !mayDo(session.caller.role, access)) throw roleTooLow(access)
}

/** Pages about accounts and people: no browser keeps them for the next person in front of it. */
const personalPages = /^\/(settings|prove|dashboard)(?![\w-])/

/** A reply can be awaited: a download is undefined here, once its response has ended or its client has left. */
function sendAnswer(app: App, request: FastifyRequest, reply: FastifyReply, answer: PageAnswer | undefined) {
  if (answer === undefined) return undefined
  if (!('page' in answer) && !('to' in answer)) return answer
  reply.headers(answer.headers ?? {})
  if ('to' in answer)
    return reply
      .code(answer.status ?? 303)
      .header('location', answer.to)
      .send()
  const { status = 200 } = answer
  const isKept = status < 400 && !answer.isSecret && !personalPages.test(request.url)
  reply.code(status).header('cache-control', isKept ? 'private, no-cache' : 'no-store')
  return sendPage(app, request, reply, answer.page)
}

const formRefused = () => new Refusal('forbidden', 'forbidden', 'The form was refused.')

const roleTooLow = (right: Right) =>
  mayDo('manager', right)
    ? new Refusal('forbidden', 'role-too-low', 'This page is for administrators and managers of the site.', {
        reason: 'page-for-staff',
      })
    : new Refusal('forbidden', 'role-too-low', 'This page is for administrators of the site.', {
        reason: 'page-for-admins',
      })

/** A handler of a page whose reads and searches count with those of `/api/5`. */
export const withRate =
  (app: App, handler: SiteHandler): SiteHandler =>
  async (site, request, reply) => {
    await checkPageRate(app, site, request)
    return handler(site, request, reply)
  }

/** Counts a GET by the user of the session, else by the network, and refuses one too many. */
export async function checkPageRate(app: App, site: Site, request: FastifyRequest): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return
  const session = await sessionOf(app, site, request)
  const caller = ratedCaller(session?.caller ?? guest, request.client.address)
  const { refusal } = await takeRate(app, site, policyOf(request), caller)
  if (refusal) throw refusal
}

/** Searches: `/search`, a grid of its results, and lists of the dashboard with words. */
function policyOf({ url }: FastifyRequest): RatePolicy {
  const path = pathOf(url).replaceAll(/\/+/g, '/')
  const query = new URLSearchParams(url.split('?').slice(1).join('?'))
  const isSearch =
    /^\/search\/?$/.test(path) ||
    (path.startsWith('/-/files/') && query.get('in')?.startsWith('search:') === true) ||
    (path.startsWith('/dashboard') && (query.get('q') ?? '') !== '')
  return isSearch ? 'search' : 'reads'
}
