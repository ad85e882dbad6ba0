import type { IncomingMessage } from 'node:http'
import { parseJsonObject } from '../../lib/strict-json.ts'
import { badRequest, bodyTooLarge, wrongContentType } from '../errors.ts'
import type { BodyCheck } from './body-check.ts'

const mostJsonBytes = 1_048_576
const nothing = Buffer.alloc(0)

/** The bytes as they came: a signature is checked on them before anything parses them. */
export async function readBody(request: IncomingMessage, mostBytes = mostJsonBytes): Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > mostBytes) throw bodyTooLarge(mostBytes)
  if (length === 0 && !request.headers['transfer-encoding']) return nothing
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
    // To leave the loop must not end the request: its answer goes out on the same connection.
    yield* request.iterator({ destroyOnReturn: false })
  } catch (cause) {
    throw badRequest('The body was broken off.', cause)
  }
}

/** The body as the endpoint expects it. One that takes none is content with an empty object. */
export function parseBody(request: IncomingMessage, bytes: Buffer, check: BodyCheck): unknown {
  if (bytes.length > 0) checkContentType(request)
  else if (check.isRequired) throw badRequest('A JSON body is required.')
  const body = bytes.length === 0 ? {} : parseJsonObject(bytes)
  check.run(body)
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
