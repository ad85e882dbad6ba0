import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Caller } from '../../../accounts/index.ts'
import type { Description } from '../../../http/endpoint.ts'
import { readIdempotencyKey } from '../../../http/requests/once/idempotency-key.ts'
import { parseBody, readBody } from '../../../http/signed/body.ts'
import { type BodyCheck, bodyCheckOf } from '../../../http/signed/body-check.ts'
import { uploadNumbers } from '../../../http/uploads/error-numbers.ts'
import { readQuery } from '../../../http/wire/query.ts'
import { type Fault, faultOf } from '../../../lib/faults.ts'
import { invalidFields, Refusal } from '../../../lib/refusal.ts'
import type { MediaCall, MediaEndpoint } from '../media-endpoint.ts'

export type Input = Pick<MediaCall, 'query' | 'body' | 'idempotency'>

const NoBody = Type.Object({}, { additionalProperties: false })

/** Reads parameters, headers and body of a call; all their faults are refused at once. */
export function inputReader(
  endpoint: MediaEndpoint,
): (request: FastifyRequest, caller: Caller) => Promise<Input> {
  const check = bodyCheckOf(endpoint.body ?? NoBody, endpoint.bodyFaults)
  return async (request, caller) => {
    if (endpoint.isBodyUnread) return readQueryAlone(endpoint, request)
    const bytes = await readBody(request.raw)
    const query = readQuery(endpoint.query, request.url)
    const key = idempotencyKeyOf(endpoint, request)
    const { body, faults } = checkedBody(request, bytes, check)
    const all = [...query.faults, ...key.faults, ...faults]
    if (all.length > 0) throw invalidFields(all)
    const idempotency =
      key.value === undefined
        ? undefined
        : { key: key.value, requestHash: requestHash(request, bytes, caller) }
    return { query: query.values, body, idempotency }
  }
}

/** The Idempotency-Key of such a call is read with the body, which it belongs to. */
function readQueryAlone(endpoint: MediaEndpoint, request: FastifyRequest): Input {
  const { values, faults, valueFaults } = readQuery(endpoint.query, request.url)
  const key = idempotencyKeyOf(endpoint, request)
  const all = [...faults, ...key.faults]
  // The parameters of an upload are refused as the upload API refuses them, with its number.
  if (all.length > 0 && all.length === valueFaults.length) throw refusedParameters(all)
  if (all.length > 0) throw invalidFields(all)
  return { query: values, body: {}, idempotency: undefined }
}

const refusedParameters = (faults: readonly Fault[]): Refusal =>
  invalidFields(faults, 'upload-refused', { number: uploadNumbers['bad-parameter'] })

function checkedBody(
  request: FastifyRequest,
  bytes: Buffer,
  check: BodyCheck,
): { body?: unknown; faults: readonly Fault[] } {
  try {
    return { body: parseBody(request.raw, bytes, check), faults: [] }
  } catch (error) {
    // Another content type has a status of its own.
    if (!(error instanceof Refusal) || error.kind !== 'invalid' || error.code === 'wrong-content-type')
      throw error
    return {
      faults: error.faults.length > 0 ? error.faults : [faultOf('', 'malformed', { detail: error.message })],
    }
  }
}

/** Every POST, and every PUT that sends a file. Other calls are repeatable by themselves, and ignore the header. */
export const takesKey = (method: string, { forms }: Description): boolean =>
  method === 'POST' || (method === 'PUT' && forms !== undefined)

function idempotencyKeyOf(
  endpoint: MediaEndpoint,
  { method, headers }: FastifyRequest,
): { value?: string; faults: readonly Fault[] } {
  if (!takesKey(method, endpoint)) return { faults: [] }
  const read = readIdempotencyKey(headers)
  if ('fault' in read) return { faults: [{ field: 'Idempotency-Key', in: 'header', ...read.fault }] }
  return read.key === undefined ? { faults: [] } : { value: read.key, faults: [] }
}

/** Contains the scope too: a weaker key of the same user must not get the answer that a stronger one was given. */
function requestHash(request: FastifyRequest, bytes: Buffer, caller: Caller): string {
  const own = caller.kind === 'guest' ? [] : [caller.scope, caller.albumId ?? '']
  const right = [...own, ...(caller.share ? [caller.share.shareId] : [])]
  const head = JSON.stringify([request.method, request.url, right, hash('sha256', bytes)])
  return hash('sha256', head)
}
