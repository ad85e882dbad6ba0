import { Type } from 'typebox'
import { originNotAllowed, scopeMissing, stillRunning, unauthenticated } from '../../accounts/index.ts'
import type { DescribedResponse } from '../../http/endpoint.ts'
import { ErrorObject, refused } from '../../http/openapi/described-refusal.ts'
import { versionDiffers } from '../../http/requests/conditions.ts'
import {
  bodyTooLarge,
  headersTooLarge,
  responseOfRefusal,
  tooSlowHeaders,
  unknownHost,
  wrongContentType,
} from '../../http/responses/errors.ts'
import { faultOf } from '../../lib/faults.ts'
import { invalidFields, Refusal } from '../../lib/refusal.ts'
import { shareEnded } from '../../media/index.ts'
import { problemOf } from './problem.ts'

const Fault = Type.Object({
  pointer: Type.Optional(Type.String({ description: 'A field of the body, as a JSON pointer' })),
  parameter: Type.Optional(Type.String({ description: 'A parameter of the query' })),
  header: Type.Optional(Type.String({ description: 'A header' })),
  detail: Type.String({ description: 'What is wrong with it' }),
})

/** RFC 9457, with the envelope of all JSON errors beside it. */
export const ProblemObject = Type.Object({
  type: Type.String({ description: 'Where the code is explained' }),
  title: Type.String({ description: 'The name of the status' }),
  status: Type.Integer({ description: 'The HTTP status' }),
  detail: Type.String({ description: 'What went wrong, for a person to read' }),
  instance: Type.String({ description: 'The request id, also in `X-Request-Id`' }),
  code: Type.String({ description: 'A stable word for programs' }),
  errors: Type.Optional(Type.Array(Fault, { description: 'Every fault of the request' })),
  ...ErrorObject.properties,
})

/** Describes a refusal. The example is the body that a caller gets. */
export function refusedAs(description: string, refusal: Refusal): DescribedResponse {
  const { status, headers, body } = responseOfRefusal(refusal)
  const waits = 'retry-after' in headers ? { 'Retry-After': 'Seconds to wait before the next try' } : {}
  const asks = status === 401 ? { 'WWW-Authenticate': 'How to authenticate: `Bearer`' } : {}
  return {
    description,
    contentType: 'application/problem+json',
    schema: ProblemObject,
    example: problemOf({ refusal, status, body, requestId: 'Zk3Qm8vTxLw2' }),
    headers: { ...waits, ...asks },
  }
}

export const noContent: DescribedResponse = { description: 'Done; no body.' }

/** Refusals of every call. */
export const anyRefusals: Readonly<Record<number, DescribedResponse>> = {
  400: refusedAs(
    'The request is not what is expected here; `errors` names every fault.',
    invalidFields([{ ...faultOf('limit', 'numberRange', { least: 1, most: 200 }), in: 'query' }]),
  ),
  401: refusedAs('The key is not valid, or the call needs a key or session.', unauthenticated()),
  403: refusedAs(
    'The key is not allowed from this origin or address, or the site is disabled.',
    originNotAllowed(),
  ),
  404: refusedAs('There is no site at this hostname.', unknownHost()),
  410: refusedAs('The share of `X-Share` has ended.', shareEnded()),
  408: refused('The request is sent too slowly.', tooSlowHeaders()),
  431: refused('The address and the headers are longer than 16,384 bytes together.', headersTooLarge()),
  429: refusedAs(
    'Too many requests of one key or address.',
    new Refusal('too-many', 'rate-limited', 'More than 600 reads in 60 seconds. Try again in 17 seconds.', {
      retryAfterSeconds: 17,
    }),
  ),
  503: refusedAs(
    'The database cannot be reached; try again.',
    new Refusal('unavailable', 'store-unavailable', 'The database cannot be reached. Try again shortly.'),
  ),
}

/** Refusals of every call that needs a scope. */
export const scopedRefusals: Readonly<Record<number, DescribedResponse>> = {
  ...anyRefusals,
  403: refusedAs('The scope of the key or session does not allow this call.', scopeMissing('write')),
}

/** Refusals of every call that changes something. */
export const changeRefusals: Readonly<Record<number, DescribedResponse>> = {
  ...scopedRefusals,
  507: refusedAs(
    'The disk is full; nothing was changed.',
    new Refusal('unavailable', 'disk-full', 'There is no space left to store this.'),
  ),
}

/** Refusals of every call with a body. */
export const bodyRefusals: Readonly<Record<number, DescribedResponse>> = {
  ...changeRefusals,
  413: refusedAs('The body is larger than 1 MiB.', bodyTooLarge(1_048_576)),
  415: refusedAs(
    'The body is not declared as JSON, or is compressed.',
    wrongContentType('The body must be JSON: Content-Type: application/json.'),
  ),
}

/** Refusals of calls that take an Idempotency-Key. */
export const onceRefusals: Readonly<Record<number, DescribedResponse>> = {
  ...bodyRefusals,
  409: refusedAs(
    'The first request with this Idempotency-Key is still running, or there is a conflict with another record.',
    stillRunning(),
  ),
  422: refusedAs(
    'The Idempotency-Key was sent with another request.',
    new Refusal('invalid', 'idempotency-mismatch', 'This Idempotency-Key was sent with another request.'),
  ),
}

/** Answer of a call that takes an If-None-Match. */
export const notModified: DescribedResponse = {
  description: 'The version is the one that `If-None-Match` names; no body.',
  headers: { ETag: 'The version' },
}

/** Refusals of calls that take an If-Match. */
export const versionRefusals: Readonly<Record<number, DescribedResponse>> = {
  412: refusedAs('The version is not the one that `If-Match` names.', versionDiffers(7)),
}
