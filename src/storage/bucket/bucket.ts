import type { Readable } from 'node:stream'
import type { ByteRange, StoredKey } from '../storage.ts'

/** An object as it is sent: a piece of a local file, with the marks by which it is known again. */
export interface Piece {
  path: string
  start: number
  sizeBytes: number
  sha256: Buffer
}

export type Marks = Readonly<Record<string, string>>

export interface ObjectHead {
  sizeBytes: number
  marks: Marks
  /** As the server computed it, when it does. */
  sha256: string | undefined
}

export interface ObjectBody {
  sizeBytes: number
  modifiedAt: Date
  content: Readable
}

export interface PartReceipt {
  number: number
  tag: string
  sha256: Buffer
}

/** The calls that we make to a bucket, each once and without second thoughts; every failure is a `BucketFault`. */
export interface Bucket {
  /** Refuses with status 412 when the key is taken. */
  put(key: string, piece: Piece, marks: Marks, signal: AbortSignal): Promise<void>
  head(key: string, signal: AbortSignal): Promise<ObjectHead>
  get(key: string, range: ByteRange | undefined, signal: AbortSignal): Promise<ObjectBody>
  remove(keys: readonly string[], signal: AbortSignal): Promise<void>
  list(prefix: string, after: string | undefined, limit: number, signal: AbortSignal): Promise<StoredKey[]>
  beginParts(key: string, marks: Marks, signal: AbortSignal): Promise<string>
  putPart(upload: Upload, number: number, piece: Piece, signal: AbortSignal): Promise<PartReceipt>
  completeParts(upload: Upload, parts: readonly PartReceipt[], signal: AbortSignal): Promise<void>
  abortParts(upload: Upload, signal: AbortSignal): Promise<void>
  unfinished(prefix: string, signal: AbortSignal): Promise<(Upload & { beganAt: Date })[]>
  close(): void
}

export interface Upload {
  key: string
  id: string
}

/** How a call to a bucket failed, in a few words of the protocol and none of the library's. */
export class BucketFault extends Error {
  /** Absent when there was no answer. */
  readonly status: number | undefined
  readonly code: string

  constructor(call: string, code: string, status?: number) {
    super(`${call}: ${code}${status === undefined ? '' : ` (${status})`}`)
    this.name = 'BucketFault'
    this.code = code
    this.status = status
  }
}
