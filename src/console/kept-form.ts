import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { installationKey, operatorOfEndedSession } from '../control/index.ts'
import { pathOf } from '../http/requests/paths.ts'
import {
  consoleTokens,
  cookieName,
  cookieValues,
  endedStepCookie,
  stepCookie,
} from '../http/session/session-cookie.ts'
import { isRecent } from '../lib/clock.ts'
import { openSealedText, sealText } from '../lib/sealed-text.ts'

const keptSeconds = 600

/** Sealed, with what browsers take beside it in one cookie. A longer form keeps nothing but that it was not taken. */
const mostBytes = 2_000

interface Kept {
  at: number
  fields: [name: string, value: string][]
}

/**
 * The cookie that keeps what was typed into a form whose session or proof has ended meanwhile, for its operator alone. No
 * session, no text: whose it is must be known. Undefined for requests that are no form of a page.
 */
export async function keepForm(
  app: App,
  request: FastifyRequest,
  typed: { operatorId: string | undefined; page: string; form: URLSearchParams; names: readonly string[] },
): Promise<string | undefined> {
  const { page, form, names } = typed
  const operatorId =
    typed.operatorId ?? (await operatorOfEndedSession(app.control, consoleTokens(app, request)))
  if (operatorId === undefined) return undefined
  const at = app.control.clock.now().getTime()
  const write = (fields: Kept['fields']) => JSON.stringify({ at, fields } satisfies Kept)
  const whole = write([...form].filter(([name]) => names.includes(name)))
  const text = Buffer.byteLength(whole) > mostBytes ? write([]) : whole
  const value = sealText(keyOf(app), text, ownerOf(operatorId, page))
  return stepCookie(app, request, { name: 'terrace-console-form', value, seconds: keptSeconds })
}

/** What the operator had typed on this page, once; with `kept`, by which pages know it. Empty if there is nothing. */
export function keptForm(
  app: App,
  request: FastifyRequest,
  operatorId: string,
): { form: URLSearchParams; cookie?: string } {
  const none = new URLSearchParams()
  const name = 'terrace-console-form'
  for (const sealed of cookieValues(request, cookieName(app, request, name), /^[\w-]{1,3000}$/)) {
    const text = openSealedText(keyOf(app), sealed, ownerOf(operatorId, request.url))
    if (text === undefined) continue
    const { at, fields } = JSON.parse(text) as Kept
    const cookie = endedStepCookie(app, request, name)
    const isKept = isRecent(at, keptSeconds * 1_000, app.control.clock.now())
    return { form: isKept ? new URLSearchParams([['kept', '1'], ...fields]) : none, cookie }
  }
  return { form: none }
}

const keyOf = ({ requestSecret }: App) => installationKey(requestSecret, 'kept forms')

const ownerOf = (operatorId: string, page: string) => `${operatorId} ${pathOf(page)}`
