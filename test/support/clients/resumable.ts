import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { crc32 } from 'node:zlib'
import type { Answer, TestApp } from '../harness.ts'
import { ask5 } from '../media.ts'
import type { TestTenant } from '../uploads.ts'

type Ends = [app: Pick<TestApp, 'send'>, tenant: Pick<TestTenant, 'hostname'>]

/** `Upload-Metadata` of a file. */
export const metadataOf = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')

interface Creating {
  key?: string | undefined
  length: number | string
  metadata?: Record<string, string>
  /** Sent with the creation. */
  bytes?: Buffer
  headers?: Record<string, string>
}

export function create(
  [app, tenant]: Ends,
  { key, length, metadata = { filename: 'cat.png' }, bytes, headers = {} }: Creating,
): Promise<Answer> {
  return app.send('POST', '/api/5/uploads', {
    ...(bytes && { bytes }),
    headers: {
      host: tenant.hostname,
      'tus-resumable': '1.0.0',
      'upload-length': String(length),
      ...(Object.keys(metadata).length > 0 && { 'upload-metadata': metadataOf(metadata) }),
      ...(bytes && { 'content-type': 'application/offset+octet-stream' }),
      ...(key !== undefined && { 'x-api-key': key }),
      ...headers,
    },
  })
}

/** The id of a new upload; whatever else is answered fails the test. */
export async function created(ends: Ends, creating: Creating): Promise<string> {
  const answer = await create(ends, creating)
  assert.equal(answer.status, 201, answer.text)
  return String(answer.headers.location).replace('/api/5/uploads/', '')
}

interface Patching {
  key?: string | undefined
  offset: number | string
  bytes: Buffer
  headers?: Record<string, string>
}

export function patch(
  [app, tenant]: Ends,
  id: string,
  { key, offset, bytes, headers = {} }: Patching,
): Promise<Answer> {
  return app.send('PATCH', `/api/5/uploads/${id}`, {
    bytes,
    headers: {
      host: tenant.hostname,
      'tus-resumable': '1.0.0',
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
      ...(key !== undefined && { 'x-api-key': key }),
      ...headers,
    },
  })
}

export const head = ([app, tenant]: Ends, id: string, key?: string): Promise<Answer> =>
  ask5(app, tenant, `HEAD uploads/${id}`, { ...(key && { key }), headers: { 'tus-resumable': '1.0.0' } })

export const terminate = ([app, tenant]: Ends, id: string, key?: string): Promise<Answer> =>
  ask5(app, tenant, `DELETE uploads/${id}`, { ...(key && { key }), headers: { 'tus-resumable': '1.0.0' } })

/** The answer of a finished upload. */
export const finishedAs = ([app, tenant]: Ends, id: string, key?: string): Promise<Answer> =>
  ask5(app, tenant, `GET uploads/${id}`, { ...(key && { key }) })

export const checksumOf = (bytes: Buffer, algorithm = 'sha1'): string =>
  `${algorithm} ${createHash(algorithm).update(bytes).digest('base64')}`

/** A picture with as many bytes that no decoder reads as make it this long: a file of any size that is quick to decode. */
export function padded(picture: Buffer, sizeBytes: number, seed = 1): Buffer {
  const isJpeg = picture.readUInt16BE(0) === 0xffd8
  const paddedBytes = sizeBytes - picture.length
  // Before the first segment of a JPEG, and before the last chunk of a PNG.
  const at = isJpeg ? 2 : picture.length - 12
  const padding = isJpeg ? paddingSegments(paddedBytes, seed) : paddingChunk(paddedBytes, seed)
  return Buffer.concat([picture.subarray(0, at), padding, picture.subarray(at)])
}

function filler(sizeBytes: number, seed: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes, seed)
  for (let at = 0; at + 4 <= sizeBytes; at += 4_096) bytes.writeUInt32LE((at * 31 + seed) >>> 0, at)
  return bytes
}

/** Segments of an application that nobody knows, each of at most 65,537 bytes. */
function paddingSegments(sizeBytes: number, seed: number): Buffer {
  const segments: Buffer[] = []
  for (let left = sizeBytes; left > 0; ) {
    const most = Math.min(left, 65_537)
    const length = left - most > 0 && left - most < 4 ? most - 4 : most
    const head = Buffer.from([0xff, 0xe9, 0, 0])
    head.writeUInt16BE(length - 2, 2)
    segments.push(head, filler(length - 4, seed + segments.length))
    left -= length
  }
  return Buffer.concat(segments)
}

function paddingChunk(sizeBytes: number, seed: number): Buffer {
  const content = Buffer.concat([Buffer.from('teSt'), filler(sizeBytes - 12, seed)])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(sizeBytes - 12)
  sum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, sum])
}

interface Cutting extends Patching {
  port: number
  hostname: string
  /** How long the body claims to be. */
  announced: number
}

/** Sends a PATCH whose body never ends; the connection stays until the test destroys it. */
export function sendUnfinished(
  id: string,
  { port, hostname, key = '', offset, bytes, announced }: Cutting,
): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  const lines = [
    `PATCH /api/5/uploads/${id} HTTP/1.1`,
    `Host: ${hostname}`,
    'Tus-Resumable: 1.0.0',
    `Upload-Offset: ${offset}`,
    `X-API-Key: ${key}`,
    'Content-Type: application/offset+octet-stream',
    `Content-Length: ${announced}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  socket.write(bytes)
  return socket
}
