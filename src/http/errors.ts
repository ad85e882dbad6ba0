import { randomId } from '../lib/ids.ts'
import { Refusal, type RefusalKind } from '../lib/refusal.ts'

/** The only table of statuses. */
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

/** Codes that tell a program more than their kind does. */
const statusOfCode: Readonly<Record<string, number>> = {
  'method-not-allowed': 405,
  'wrong-content-type': 415,
  'wrong-host': 421,
  'headers-too-large': 431,
  'too-slow': 408,
  'disk-full': 507,
}

/** Where a few seconds are no use. */
const retrySecondsOfCode: Readonly<Record<string, string>> = { 'too-many-passwords': '600' }

/** `error.code` is the status, but for the refusals that clients know by a number of their own. */
const numberOfCode: Readonly<Record<string, number>> = { 'limit-reached': 999 }

export const statusTexts: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
}

export interface ErrorAnswer {
  status: number
  headers: Record<string, string>
  body: ErrorBody
}

/** The one envelope of all JSON errors. */
export interface ErrorBody {
  status_code: number
  error: { message: string; code: number; list: readonly string[] }
  status_txt: string
}

export function answerOfRefusal(refusal: Refusal, numbers = numberOfCode): ErrorAnswer {
  const status = statusOfCode[refusal.code] ?? statusOfKind[refusal.kind]
  const number = numbers[refusal.code] ?? status
  const retryAfter = retrySecondsOfCode[refusal.code] ?? '5'
  const headers: Record<string, string> =
    status === 503 || status === 429 ? { 'retry-after': retryAfter } : {}
  return { status, headers, body: envelope(status, number, refusal.message, refusal.list) }
}

/** A bug: told by a number that the log has too. */
export function answerOfBug(): ErrorAnswer & { incident: string } {
  const incident = randomId()
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
  new Refusal('invalid', 'bad-host', 'The request must have one Host header with a host name.')

export const badTarget = () => badRequest('The request target must be a path.')

export const tooManyHeaders = (limit: number) =>
  new Refusal('invalid', 'headers-too-large', `The request must have at most ${limit} headers.`)

export const wrongHost = () =>
  new Refusal('invalid', 'wrong-host', 'The request target names another host than the Host header.')

export const wrongContentType = (message: string) => new Refusal('invalid', 'wrong-content-type', message)

export const bodyTooLarge = (limit: number) =>
  new Refusal('too-large', 'body-too-large', `The body must be at most ${limit} bytes long.`)

export const addressNotAllowed = () =>
  new Refusal('forbidden', 'address-not-allowed', 'This address may not use the management API.')

export const notLocal = () =>
  new Refusal('forbidden', 'not-local', 'This is answered on the machine itself only.')

/** For what only reads: whatever keeps us from it, it is worth another try and no bug of this request. */
export function orCannotRead<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((error) => Promise.reject(error instanceof Refusal ? error : cannotRead(error)))
}

const cannotRead = (cause: unknown) =>
  new Refusal('unavailable', 'store-unavailable', 'The database cannot be read. Try again shortly.', {
    cause,
  })

export const unknownHost = () =>
  new Refusal('not-found', 'unknown-host', 'There is no site at this host name.')

export const siteDisabled = () => new Refusal('forbidden', 'site-disabled', 'This site is disabled.')
