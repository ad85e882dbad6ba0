import type { Scene } from './scene.ts'

/** An open upload, and the bytes that each verb sends: from, up to. */
export interface ResumableScene {
  key: string
  host: string
  id: string
  ranges: Readonly<Record<string, readonly [start: number, end: number]>>
}

interface Sent {
  offset?: number
  payload?: Buffer
}

/** A call about the upload, as a client of the protocol makes it. */
export function callOf(
  { key, host, id }: ResumableScene,
  method: Scene['method'],
  { offset = 0, payload = Buffer.alloc(0) }: Sent = {},
): Scene & { payload: Buffer } {
  const isPatch = method === 'PATCH'
  const headers = {
    host,
    'x-api-key': key,
    'tus-resumable': '1.0.0',
    ...(isPatch && {
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
      'content-length': String(payload.length),
    }),
  }
  return { method, url: `/api/5/uploads/${id}`, headers, payload }
}
