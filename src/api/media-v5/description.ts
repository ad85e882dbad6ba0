import { Type } from 'typebox'
import type { DescribedRoute } from '../../http/endpoint.ts'
import { type ApiDescription, replayedHeader, schemasOf } from '../../http/openapi/components.ts'
import { openApiOf } from '../../http/openapi/openapi.ts'
import type { OpenApi } from '../../http/openapi/openapi-document.ts'
import { isResumablePath } from '../../http/requests/paths.ts'
import { originOf } from '../../http/session/session-cookie.ts'
import { AlbumObject } from '../../http/wire/albums.ts'
import { FileObject } from '../../http/wire/files.ts'
import { ShareObject } from '../../http/wire/shares.ts'
import { CreatedKeyObject, KeyObject } from './account/keys-wire.ts'
import { MeObject } from './account/me.ts'
import { SessionObject } from './account/sessions.ts'
import { SitePageObject } from './admin/site-pages.ts'
import { UserObject } from './admin/users-wire.ts'
import { CategoryObject } from './files/labels/categories.ts'
import { TagObject } from './files/labels/tags.ts'
import type { MediaEndpoint } from './media-endpoint.ts'
import { requestHeaders } from './request-headers.ts'
import { anyRefusals, ProblemObject } from './responses.ts'
import { takesKey } from './rules/read-input.ts'
import { tusVersion } from './uploads/tus-headers.ts'

const { plainSchema, schemas } = schemasOf({
  Problem: ProblemObject,
  Key: KeyObject,
  CreatedKey: CreatedKeyObject,
  Session: SessionObject,
  Me: MeObject,
  User: UserObject,
  Page: SitePageObject,
  Album: AlbumObject,
  Share: ShareObject,
  File: FileObject,
  Tag: TagObject,
  Category: CategoryObject,
})

/** The document of the site's own API. */
export const mediaApi: ApiDescription = {
  info: {
    title: 'Terrace, the API of a site',
    version: '5',
    description:
      'The API is served on the host of each site. Bodies are JSON objects in UTF-8 of at most 1 ' +
      'MiB; a field or parameter that is unknown, given twice or of another type is refused. ' +
      'Times are RFC 3339 in UTC, sizes are bytes. A refusal is a problem of RFC 9457. ' +
      'Every response has `X-Request-Id`, `RateLimit-Policy` and `RateLimit`. ' +
      'Within version 5 we only add to the API.',
  },
  tags: [
    { name: 'Account', description: 'The caller, and what the caller may do.' },
    { name: 'Keys', description: 'Keys for programs, each with a scope and limits.' },
    { name: 'Sessions', description: 'Log-ins of browsers.' },
    { name: 'Albums', description: 'Albums, their privacy, and the order of their files.' },
    { name: 'Shares', description: 'Links that open an album or a file, or collect files.' },
    { name: 'Files', description: 'Pictures and videos with their details.' },
    { name: 'Resumable uploads', description: 'Files that are sent in several requests, by tus 1.0.0.' },
    { name: 'Users', description: 'The accounts of the site, for administrators and managers.' },
    { name: 'Settings', description: 'Settings that administrators choose for the site.' },
    { name: 'Presets', description: 'Named sizes and formats of pictures, which everybody may ask for.' },
    { name: 'Site pages', description: 'Pages that administrators write, such as an imprint.' },
    { name: 'Audit', description: 'Who changed what, for administrators.' },
    { name: 'Statistics', description: 'The totals of the site.' },
    { name: 'Tags', description: 'Keywords of files.' },
    { name: 'Categories', description: 'Subjects that administrators define; a file has at most one.' },
    { name: 'Description', description: 'This description.' },
  ],
  components: {
    schemas,
    parameters: requestHeaders,
    headers: {
      RequestId: { description: 'Names the request in the log', schema: { type: 'string' } },
      RateLimitPolicy: {
        description: 'The limit for this call: number and seconds; not sent without a limit',
        schema: { type: 'string' },
      },
      RateLimit: {
        description: 'How many requests are left, and for how many seconds; not sent without a limit',
        schema: { type: 'string' },
      },
      IdempotencyReplayed: replayedHeader,
      TusResumable: {
        description: 'The version of the protocol',
        schema: { type: 'string', enum: [tusVersion] },
      },
    },
    securitySchemes: {
      siteKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        description: 'A key of a user (`trc_…`); for uploads of guests the `public_key` of the site.',
      },
      bearer: { type: 'http', scheme: 'bearer', description: 'The same key.' },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'terrace-session',
        description:
          'Set by the log-in; with https its name is `__Host-terrace-session`. Counts only on the site’s own pages.',
      },
      share: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Share',
        description: 'The `pass` of a share that was opened by `POST /api/5/shares/open`.',
      },
    },
  },
  plainSchema,
  headersOf: ({ method, endpoint }) =>
    [
      'Share',
      ...(takesKey(method, endpoint) ? ['IdempotencyKey'] : []),
      ...(endpoint.requestHeaders ?? []),
    ].map((name) => ({ $ref: `#/components/parameters/${name}` })),
  responseHeadersOf: ({ method, path, endpoint }, status) => ({
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
    RateLimit: { $ref: '#/components/headers/RateLimit' },
    ...(status < 400 &&
      takesKey(method, endpoint) && {
        'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' },
      }),
    ...(isResumablePath(path) && { 'Tus-Resumable': { $ref: '#/components/headers/TusResumable' } }),
  }),
}

/** A function, because this endpoint is in the list itself. */
export function descriptionEndpoint(routes: () => readonly DescribedRoute[]): MediaEndpoint {
  let document: OpenApi | undefined
  return {
    tag: 'Description',
    summary: 'Read this description as OpenAPI 3.1',
    access: 'visitor',
    responses: {
      200: {
        description: 'The description.',
        schema: Type.Object({
          openapi: Type.String({ description: 'The version of OpenAPI that it is written in' }),
        }),
      },
      ...anyRefusals,
    },
    handle: async ({ app, site, request }) => {
      // Built with the first request for it: a start of the server should not wait for that.
      document ??= openApiOf(routes(), mediaApi)
      return { status: 200, body: { ...document, servers: [{ url: originOf(app, site, request) }] } }
    },
  }
}
