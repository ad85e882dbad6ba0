import type { IncomingMessage } from 'node:http'
import { readJsonObject } from '../../lib/strict-json.ts'
import { continueBody } from '../connection/request-body.ts'
import { badRequest, bodyTooLarge, wrongContentType } from '../responses/errors.ts'
import type { BodyCheck } from './body-check.ts'

export const mostJsonBytes = 1_048_576
const nothing = Buffer.alloc(0)

/** The raw bytes of the body: the signature is checked on them before they are parsed. */
export async function readBody(request: IncomingMessage, mostBytes = mostJsonBytes): Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > mostBytes) throw bodyTooLarge(mostBytes)
  if (length === 0 && !request.headers['transfer-encoding']) return nothing
  continueBody(request)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of chunksOf(request)) {
    size += chunk.length
    if (size > mostBytes) throw bodyTooLarge(mostBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    // Leaving the loop must not destroy the request: its response is sent on the same connection.
    yield* request.iterator({ destroyOnReturn: false })
  } catch (cause) {
    throw badRequest('The body was broken off.', cause)
  }
}

/** Parses and checks the body. An empty body counts as an empty object. */
export function parseBody(request: IncomingMessage, bytes: Buffer, check: BodyCheck): unknown {
  if (bytes.length > 0) checkContentType(request)
  else if (check.isRequired) throw badRequest('A JSON body is required.')
  const { object, faults } = bytes.length === 0 ? { object: {}, faults: [] } : readJsonObject(bytes)
  const body = withMaps(object)
  check.run(body, faults)
  return body
}

const maps = ['limits', 'env']

/** PHP writes an empty map as `[]`, like any other empty array. */
function withMaps(body: Record<string, unknown>): Record<string, unknown> {
  for (const name of maps) {
    const value = body[name]
    if (Array.isArray(value) && value.length === 0) body[name] = {}
  }
  return body
}

function checkContentType(request: IncomingMessage): void {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map(charsetOf).find(Boolean) ?? 'utf-8'
  if (type.trim() !== 'application/json' || charset !== 'utf-8') {
    throw wrongContentType('The body must be JSON: Content-Type: application/json.')
  }
  if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw wrongContentType('The body must not be compressed.')
  }
}

function charsetOf(parameter: string): string | undefined {
  const [name, value] = parameter.trim().split('=', 2)
  return name === 'charset' ? value?.replaceAll('"', '') : undefined
}
