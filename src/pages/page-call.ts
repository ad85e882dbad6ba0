import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Right, SessionCaller, UserCaller } from '../accounts/index.ts'
import { unauthenticated } from '../accounts/index.ts'
import type { App } from '../app.ts'
import type { WithoutProof } from '../http/requests/proof-rule.ts'
import type { Site } from '../site/index.ts'
import type { Reader } from '../ui/reader.ts'

/**
 * Who may open a page. The role is read with each request.
 * - `anyone`: guests too.
 * - `member`: users who are logged in; guests are led to the log-in and back.
 * - a right: users whose role has it, by the table `accounts/roles.ts`.
 */
export type PageAccess = 'anyone' | 'member' | Right

/** A request to a page that has passed the guard. */
export interface PageCall {
  app: App
  site: Site
  request: FastifyRequest
  reply: FastifyReply
  /** Undefined for guests. */
  session: SessionCaller | undefined
  reader: Reader
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The fields of a form; empty with GET, and for pages that read their body themselves. */
  form: URLSearchParams
}

export type PageHeaders = Readonly<Record<string, string | string[]>>

export type PageAnswer =
  /** `isSecret`: no cache and no history of the browser keeps the page. */
  | { page: string; status?: number; headers?: PageHeaders; isSecret?: boolean }
  /** 303 by default. */
  | { to: string; status?: 301 | 302 | 303; headers?: PageHeaders }
  /** A download, with its own headers. */
  | FastifyReply

export type PageHandler = (call: PageCall) => Promise<PageAnswer>

/** How a page asks for the proof of the last ten minutes. */
export interface PageProof {
  /**
   * - `here`: the form comes back with the field `current`, and keeps what was typed.
   * - a path: leads to `/prove` and back to this page, for forms in which nothing is typed. Parts in braces are those of the address.
   * - `script`: refuses, for a script that asks.
   */
  ask: 'here' | 'script' | `/${string}`
  /** Whether this form needs a proof; all of them by default. */
  isNeeded?: (call: PageCall) => boolean | Promise<boolean>
}

export type PageRoute = PageOfRoute &
  ({ method: 'GET'; proof?: PageProof } | { method: 'POST'; proof: PageProof | WithoutProof })

interface PageOfRoute {
  /** In the form of OpenAPI: `/settings/keys/{id}`. */
  path: string
  access: PageAccess
  handle: PageHandler
  /** Bytes and what a browser loads by itself with each page: they count towards no rate. */
  isAsset?: boolean
  /** For a body that the handler reads itself, such as one with files: it must call `checkFormToken` on the field `csrf`. */
  hasOwnBody?: boolean
  /** For staff that lacks the second step which the site demands, too: its set-up, log-out, and what every page loads. */
  needsNoSecondStep?: true
  /**
   * For guests, such as the log-in: the token of a session is not asked for, should there be one by now, and staff without the
   * second step counts as a guest.
   */
  isForGuests?: boolean
  /** A POST that the browser itself makes, such as that of a phone's share sheet, and no page, not even one of the site. */
  isFromBrowser?: boolean
}

/** The user of a page whose access lets no guest through. */
export function userOf({ session }: PageCall): UserCaller {
  if (!session) throw unauthenticated()
  return session.caller
}
