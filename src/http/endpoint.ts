import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import type { Actor, Caller, Right } from '../accounts/index.ts'
import type { App } from '../app.ts'
import type { Control, ControlKey } from '../control/index.ts'
import type { Fault } from '../lib/faults.ts'
import type { ClientInfo } from './requests/client-info.ts'

declare module 'fastify' {
  interface FastifyRequest {
    client: ClientInfo
    /** The management key of the call, set by the guard that checks it. */
    controlKey: ControlKey
    /** The installation, changed in the name of that key. */
    control: Control
    /** The body after the signature and the endpoint's schema were checked. */
    checkedBody: unknown
    /** Set by an upload that asked for a plain format: its errors are sent as text/plain too. */
    hasTextErrors: boolean
    /** Names a request to the management API or a site's own API in the logs, and in the response of the latter. */
    requestId: string | undefined
    /** The number of the site that the host names, once its tenant was read; undefined if it is not installed. */
    siteNumber: number | undefined
    /** Who calls, if it is a user or a key: the audit log of the site records what they were refused. */
    member: Actor | Caller | undefined
  }
}

/**
 * Who may call an address of the control plane.
 * - `open`: every caller.
 * - `local`: callers on this machine.
 * - `local-key`: callers on this machine that send a management key.
 * - `local-or-key`: callers on this machine, and callers elsewhere that send a management key.
 * - `signed`: callers that send a management key and sign the request.
 */
export type Access = 'open' | 'local' | 'local-key' | 'local-or-key' | 'signed'

/**
 * Who may call an address of a site.
 * - `anyone`: every caller.
 * - `viewer`: every caller; the privacy of the file's album decides what is shown.
 * - `album-password`: callers that send the password of the file's album.
 * - `uploader`: callers that send the upload key of a user, or the site's public key where guests may upload.
 * - `link-token`: callers that know the secret token in the address.
 */
export type SiteAccess = 'anyone' | 'viewer' | 'album-password' | 'uploader' | 'link-token'

/**
 * Who may call an address of the site's own API.
 * - `visitor`: every caller.
 * - `guest-upload`: users whose key or session may upload, and guests with the site's public key.
 * - `guest-or-share-upload`: the same, and callers with the pass of a share.
 * - `visitor-read`: every caller but keys that may not read, such as those for uploads.
 * - `upload`, `read`, `write`, `admin`: users whose key or session has this ability.
 * - `account-read`, `account-write`: the same for `read` and `write`, but no key that is bound to an album.
 * - a right: users whose role has it, by the table `accounts/roles.ts`, with the scope `admin`, but no key that is bound to an album.
 */
export type MediaAccess =
  | ('visitor' | 'visitor-read' | 'guest-upload' | 'guest-or-share-upload')
  | ('upload' | 'read' | 'write' | 'admin')
  | ('account-read' | 'account-write')
  | Right

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Methods that change nothing. */
export type ReadingMethod = 'GET' | 'HEAD'

/** The chapters of the OpenAPI document. */
export type Tag =
  | ('Credentials' | 'Tenants' | 'Plans' | 'Proxy' | 'Health' | 'Description')
  | ('Upload' | 'Files' | 'Pages' | 'Deletion')
  | ('Account' | 'Keys' | 'Sessions')
  | ('Albums' | 'Shares')
  | 'Resumable uploads'
  | ('Tags' | 'Categories')
  | ('Users' | 'Settings' | 'Presets' | 'Site pages' | 'Statistics' | 'Audit')

/** A JSON object before its fields are checked. */
export type LooseBody = Readonly<Record<string, unknown>>

export interface DescribedResponse {
  description: string
  /** `application/json` by default. */
  contentType?: string
  schema?: TSchema
  example?: unknown
  /** Further content types that the same status may have, each with a description. */
  alternatives?: Readonly<Record<string, string>>
  /** Header names with their descriptions. */
  headers?: Readonly<Record<string, string>>
}

/** What the OpenAPI document says of a call. */
export interface Description {
  tag: Tag
  summary: string
  description?: string
  access: Access | SiteAccess | MediaAccess
  /** The parts of the path in braces. */
  params?: TObject
  query?: TObject
  /** Headers of the request, by their names in the `components.parameters` of the document. */
  requestHeaders?: readonly string[]
  /** The JSON body. */
  body?: TSchema
  bodyExample?: unknown
  /** Bodies of other content types. */
  forms?: Readonly<Record<string, TSchema>>
  /** Whether a call may leave the form out. */
  isBodyOptional?: true
  responses: Readonly<Record<number, DescribedResponse>>
}

/** An address of the control plane: its description, its guards and its handler. */
export interface Endpoint extends Description {
  access: Access
  /** Rules beyond the schema: returns one line for each fault of the body. */
  bodyFaults?: (body: LooseBody) => Fault[]
  handle: (app: App) => (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}

export interface Route {
  method: Method
  /** In the form of OpenAPI: `/_/api/4/tenants/{id}`. */
  path: string
  endpoint: Endpoint
}

/** A route of any list, as the OpenAPI document and the list of allowed methods need it. */
export interface DescribedRoute {
  method: Method
  path: string
  endpoint: Description
}
