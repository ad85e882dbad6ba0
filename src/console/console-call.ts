import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import type { Control, OperatorCaller } from '../control/index.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Reader } from '../ui/reader.ts'

export { consolePath, consolePrefix } from '../http/addresses/console-address.ts'

/** Who may open a page. The role is read with each request; a viewer sees everything and changes only his own account. */
export type ConsoleAccess = 'anyone' | 'viewer' | 'operator'

/** A request to the console that has passed the guard. */
export interface ConsoleCall {
  app: App
  /** The installation, changed in the name of the operator. */
  control: Control
  request: FastifyRequest
  reply: FastifyReply
  /** Undefined where nobody is logged in. */
  caller: OperatorCaller | undefined
  reader: Reader
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The fields of a form; with GET those of one that was sent without a session or proof, or none. */
  form: URLSearchParams
}

export type ConsoleAnswer =
  | { page: string; status?: number; headers?: Readonly<Record<string, string | string[]>> }
  /** Of the console's own addresses; 303 by default. */
  | { to: string; status?: 302 | 303; headers?: Readonly<Record<string, string | string[]>> }
  /** For scripts of the console's pages. */
  | { json: unknown }
  /** A download, with its own headers. */
  | FastifyReply

export type ConsoleHandler = (call: ConsoleCall) => Promise<ConsoleAnswer>

export interface ConsoleRoute {
  method: 'GET' | 'POST'
  /** Below the prefix, in the form of OpenAPI: `tenants/{id}`. */
  path: string
  /** By default a GET is for viewers too, and a POST for operators alone. */
  access?: ConsoleAccess
  /** Whether it needs a proof of the last ten minutes. */
  proof?: true | ((call: ConsoleCall) => boolean)
  /** The page to come back to with the proof, in the parts of the path: `tenants/{id}/values`. */
  page?: string
  /** What is given back on that page, if session or proof had ended when the form was sent. Never a secret of its own. */
  keeps?: readonly string[]
  /** Such as the log-in: the token of a session is not asked for, should there be one by now. */
  isForGuests?: true
  /** A script that asks for a proof itself is refused in place of being led to it. */
  isForScript?: true
  /** A page asks for it again and again: that does not keep the session from ending of idleness. */
  isPolled?: true
  handle: ConsoleHandler
}

/** Who is logged in, on pages that let nobody else through. */
export function callerOf({ caller }: ConsoleCall): OperatorCaller {
  if (!caller) throw new Refusal('unauthenticated', 'unauthenticated', 'Log in first.')
  return caller
}

/** Whether a form of this page was sent before, and not taken because session or proof had ended. */
export const isKept = ({ request, form }: Pick<ConsoleCall, 'request' | 'form'>): boolean =>
  request.method !== 'POST' && form.has('kept')

/** For functions that need more than the control rows: changed in the name of the operator, too. */
export const installationOf = ({ app, control }: ConsoleCall): App => ({ ...app, control })

/** Viewers see no form but those of their own account. */
export const mayChange = ({ caller }: ConsoleCall): boolean => caller?.role === 'operator'
