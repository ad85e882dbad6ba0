import { randomId } from '../../lib/ids.ts'
import { Refusal, type RefusalKind } from '../../lib/refusal.ts'

/** The one table of statuses. */
const statusOfKind: Record<RefusalKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'too-many': 429,
  unavailable: 503,
}

/** Codes with a more specific status than their kind. */
const statusOfCode: Readonly<Record<string, number>> = {
  'method-not-allowed': 405,
  'wrong-content-type': 415,
  'wrong-host': 421,
  'headers-too-large': 431,
  'too-slow': 408,
  gone: 410,
  'version-differs': 412,
  'tus-version': 412,
  'idempotency-mismatch': 422,
  'upload-locked': 423,
  'checksum-mismatch': 460,
  'disk-full': 507,
}

/** Codes that need a longer wait than a few seconds. */
const retrySecondsOfCode: Readonly<Record<string, string>> = { 'too-many-passwords': '600' }

/** `error.code` is the status, but for refusals with a number of their own. */
const numberOfCode: Readonly<Record<string, number>> = { 'limit-reached': 999, 'quota-reached': 999 }

export const statusTexts: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  423: 'Locked',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  460: 'Checksum Mismatch',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
}

export interface ErrorResponse {
  status: number
  headers: Record<string, string>
  body: ErrorBody
  /** Names a bug in the log. */
  incident?: string
}

/** The one envelope of all JSON errors. */
export interface ErrorBody {
  status_code: number
  error: { message: string; code: number; list: readonly string[] }
  status_txt: string
}

export function responseOfRefusal(refusal: Refusal, numbers = numberOfCode): ErrorResponse {
  const status = statusOfCode[refusal.code] ?? statusOfKind[refusal.kind]
  const number = refusal.number ?? numbers[refusal.code] ?? status
  const headers = retryHeaders(refusal, status)
  const list = shownFaults(refusal.list)
  const hasMore = list.length < refusal.list.length
  const message = hasMore
    ? `${list.join('; ')}; there are more faults`
    : cut(refusal.message, mostFaultBytes / 4)
  return { status, headers, body: envelope(status, number, message, list) }
}

const mostFaults = 100
/** As JSON. A problem has its faults four times, and no refusal is longer than 64 kB. */
const mostFaultBytes = 13_000

/** The first faults, as many as a refusal may name. Each may quote what the client sent. */
export function shownFaults<T extends string | Readonly<Record<string, string>>>(
  faults: readonly T[],
): readonly T[] {
  const shown: T[] = []
  let bytes = 0
  for (const fault of faults.slice(0, mostFaults)) {
    const short = shortened(fault)
    bytes += Buffer.byteLength(JSON.stringify(short))
    if (bytes > mostFaultBytes) break
    shown.push(short)
  }
  return shown
}

function shortened<T extends string | Readonly<Record<string, string>>>(fault: T): T {
  if (typeof fault === 'string') return cut(fault) as T
  return Object.fromEntries(Object.entries(fault).map(([name, text]) => [name, cut(text)])) as T
}

const cut = (text: string, most = 1_000) => (text.length > most ? `${text.slice(0, most)}…` : text)

function retryHeaders({ code, retryAfterSeconds }: Refusal, status: number): Record<string, string> {
  if (retryAfterSeconds !== undefined) return { 'retry-after': String(retryAfterSeconds) }
  return status === 503 || status === 429 ? { 'retry-after': retrySecondsOfCode[code] ?? '5' } : {}
}

/** An unexpected error: the response names an incident number that is in the log too. */
export function responseOfBug(incident = randomId()): ErrorResponse & { incident: string } {
  const message = `Something went wrong. Incident ${incident}.`
  return { incident, status: 500, headers: {}, body: envelope(500, 500, message, [message]) }
}

function envelope(status: number, number: number, message: string, list: readonly string[]): ErrorBody {
  return {
    status_code: status,
    error: { message, code: number, list },
    status_txt: statusTexts[status] ?? 'Error',
  }
}

export const routeNotFound = () =>
  new Refusal('not-found', 'route-not-found', 'There is nothing at this address.')

export const methodNotAllowed = (allowed: readonly string[]) =>
  new Refusal('invalid', 'method-not-allowed', `This address takes ${allowed.join(', ')}.`)

export const badRequest = (message: string, cause?: unknown) =>
  new Refusal('invalid', 'bad-request', message, { cause })

export const badHost = () =>
  new Refusal('invalid', 'bad-host', 'The request must have one Host header with a hostname.')

export const badTarget = () => badRequest('The request target must be a path.')

export const tooManyHeaders = (limit: number) =>
  new Refusal('invalid', 'headers-too-large', `The request must have at most ${limit} headers.`)

/** Of the request line and all headers together. */
export const mostHeaderBytes = 16_384

export const headersTooLarge = () =>
  new Refusal(
    'invalid',
    'headers-too-large',
    `The address and the headers of a request must be at most ${mostHeaderBytes} bytes long together. ` +
      'Long values belong into the body of a POST.',
  )

/** From the first byte of a request to the end of its headers. */
export const headersTimeoutMs = 15_000

export const tooSlowHeaders = () =>
  new Refusal(
    'invalid',
    'too-slow',
    `The headers of a request must be there within ${headersTimeoutMs / 1_000} seconds.`,
  )

export const wrongHost = () =>
  new Refusal('invalid', 'wrong-host', 'The request target names another host than the Host header.')

export const wrongContentType = (message: string) => new Refusal('invalid', 'wrong-content-type', message)

export const bodyTooLarge = (limit: number) =>
  new Refusal('too-large', 'body-too-large', `The body must be at most ${limit} bytes long.`)

export const addressNotAllowed = () =>
  new Refusal('forbidden', 'address-not-allowed', 'This address may not use the management API.')

export const notLocal = () =>
  new Refusal('forbidden', 'not-local', 'This is answered only on the machine itself.')

/** For reads: any error is reported as 503, since another try may succeed. */
export function orCannotRead<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((error) => Promise.reject(error instanceof Refusal ? error : cannotRead(error)))
}

export const cannotRead = (cause: unknown) =>
  new Refusal('unavailable', 'store-unavailable', 'The database cannot be read. Try again shortly.', {
    cause,
  })

export const unknownHost = () =>
  new Refusal('not-found', 'unknown-host', 'There is no site at this hostname.')

/** Names the host, which may be mistyped. A caller on this machine also gets the command that lists the hostnames. */
export const noSiteAt = (host: string, isLocal: boolean) =>
  new Refusal(
    'not-found',
    'unknown-host',
    `There is no site at the hostname "${host}".${isLocal ? ' The command "tenants list" shows the hostnames that there are.' : ''}`,
  )

export const siteDisabled = () => new Refusal('forbidden', 'site-disabled', 'This site is disabled.')
