import type { Readable } from 'node:stream'
import type { ByteRange, StoredKey } from '../storage.ts'

/** A piece of a local file that is sent as an object, or as a part of one. */
export interface Piece {
  path: string
  /** In place of the file. */
  bytes?: Buffer
  start: number
  sizeBytes: number
  sha256: Buffer
}

/** User metadata of an object. */
export type Metadata = Readonly<Record<string, string>>

export interface ObjectHead extends PutEcho {
  sizeBytes: number
  modifiedAt: Date
  metadata: Metadata
}

export interface ObjectBody {
  sizeBytes: number
  modifiedAt: Date
  /** If the server says it. */
  md5: string | undefined
  content: Readable
}

export interface PutOptions {
  signal: AbortSignal
  overwrites?: boolean
}

/** What a server says of the bytes that it stored. Only an echo of their checksum proves that it has them. */
export interface PutEcho {
  /** Without its quotation marks; of a single put, usually the MD5. */
  etag: string | undefined
  /** In Base64. */
  sha256: string | undefined
}

export interface PartReceipt extends PutEcho {
  number: number
  piece: Piece
}

/** The calls to a bucket, without retries; every failure is a `BucketFault`. */
export interface Bucket {
  /** Fails with status 412 if the key is taken, unless it may be overwritten. */
  put(key: string, piece: Piece, metadata: Metadata, options: PutOptions): Promise<PutEcho>
  head(key: string, signal: AbortSignal): Promise<ObjectHead>
  get(key: string, range: ByteRange | undefined, signal: AbortSignal): Promise<ObjectBody>
  remove(keys: readonly string[], signal: AbortSignal): Promise<void>
  list(prefix: string, from: ListFrom, limit: number, signal: AbortSignal): Promise<ListPage>
  beginParts(key: string, metadata: Metadata, signal: AbortSignal): Promise<string>
  putPart(upload: Upload, number: number, piece: Piece, signal: AbortSignal): Promise<PartReceipt>
  completeParts(upload: Upload, parts: readonly PartReceipt[], signal: AbortSignal): Promise<PutEcho>
  abortParts(upload: Upload, signal: AbortSignal): Promise<void>
  unfinished(prefix: string, from: Upload | undefined, signal: AbortSignal): Promise<UploadPage>
  /** When the last part of an upload arrived; undefined if none has. */
  lastPartAt(upload: Upload, signal: AbortSignal): Promise<Date | undefined>
  close(): void
}

/** After a key, or the server's continuation token of the page before. */
export type ListFrom = { after: string | undefined } | { token: string }

/**
 * A page may have fewer entries than the limit, or none, and not be the last: only `isTruncated` tells.
 * Times are corrected by the offset of the bucket's clock.
 */
export interface ListPage {
  entries: StoredKey[]
  isTruncated: boolean
  token: string | undefined
}

export interface UploadPage {
  uploads: (Upload & { beganAt: Date })[]
  /** Where the next page begins; undefined after the last one. */
  next: Upload | undefined
}

export interface Upload {
  key: string
  id: string
}

/** How a call to a bucket failed, by the protocol's error code and without the library's messages. */
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
