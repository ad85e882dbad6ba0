import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { Refusal } from '../../lib/refusal.ts'
import type { Site } from '../../site/index.ts'
import { readProven } from '../../storage/index.ts'
import { longerThanUpload } from '../errors.ts'
import type { SpooledFile } from '../upload/upload-request.ts'
import type { ResumableUpload } from './resumable-uploads-table.ts'
import { knownPiece, piecesOfUpload, type UploadPiece } from './upload-pieces-table.ts'

/** Most bytes of one piece. */
const pieceBytes = 8 * 1_048_576

/** A file that is being received. Written bytes are buffered until `flush`. */
interface PieceWriter {
  write(bytes: Uint8Array): void
  /** Backpressure: if it returns a promise, the caller must await it before the next write. */
  flush(): Promise<void> | undefined
  finish(): Promise<SpooledBytes>
}

/** With the checksums that were asked for; the MD5 is empty if it was not. */
type SpooledBytes = Omit<SpooledFile, 'name'> & { sha256?: string }

/** A folder for the files of one request. */
export interface PieceSpool {
  newFile(maxBytes: number, options?: { sums?: readonly ('md5' | 'sha256')[] }): PieceWriter
}

/** Calls `take` with each chunk of the bytes, and waits if it returns a promise. Rejects if the sender breaks off. */
export type ReceiveBytes = (take: (chunk: Buffer) => Promise<void> | undefined) => Promise<void>

/** Bytes of an upload on local disk. */
export interface SpooledPiece {
  offsetBytes: number
  sizeBytes: number
  path: string
  /** Of a piece that is the whole upload; empty otherwise. */
  md5: string
  sha256?: string
}

interface Receiving {
  offsetBytes: number
  lengthBytes: number
  spool: PieceSpool
  receive: ReceiveBytes
  /** Called with each piece but the one that ends the upload. */
  onPiece: (piece: SpooledPiece) => Promise<void>
}

interface Received {
  /** Where the pieces end that are no last one. */
  offsetBytes: number
  /** The piece that ends the upload. */
  last: SpooledPiece | undefined
  /** Why the sender broke off; what came before is kept. */
  brokenBy: unknown
}

/** Cuts the bytes of a request into pieces. A sender that breaks off leaves a shorter piece. */
export async function receivePieces({
  offsetBytes: start,
  lengthBytes,
  spool,
  receive,
  onPiece,
}: Receiving): Promise<Received> {
  let offsetBytes = start
  let writer: PieceWriter | undefined
  let sizeBytes = 0
  let last: SpooledPiece | undefined
  let refused: { reason: unknown } | undefined

  function write(bytes: Buffer): Promise<void> | undefined {
    // The first piece of a short upload may be all of it, or may be cut off.
    const mayBeWhole = offsetBytes === 0 && lengthBytes <= pieceBytes
    writer ??= spool.newFile(pieceBytes, { sums: mayBeWhole ? ['md5', 'sha256'] : ['sha256'] })
    writer.write(bytes)
    sizeBytes += bytes.length
    return writer.flush()
  }

  async function endPiece(): Promise<void> {
    if (!writer) return
    const piece = { offsetBytes, ...(await writer.finish()) }
    writer = undefined
    offsetBytes += sizeBytes
    sizeBytes = 0
    if (offsetBytes === lengthBytes) last = piece
    else await onPiece(piece)
  }

  async function takeAcross(chunk: Buffer): Promise<void> {
    for (let rest = chunk; rest.length > 0; ) {
      const part = rest.subarray(0, pieceBytes - sizeBytes)
      rest = rest.subarray(part.length)
      await write(part)
      if (sizeBytes === pieceBytes) await endPiece()
    }
  }

  function take(chunk: Buffer): Promise<void> | undefined {
    if (offsetBytes + sizeBytes + chunk.length > lengthBytes) throw longerThanUpload(lengthBytes)
    return sizeBytes + chunk.length < pieceBytes ? write(chunk) : takeAcross(chunk)
  }

  const brokenBy = await receive((chunk) => {
    const refuse = (reason: unknown) => {
      refused = { reason }
      throw reason
    }
    try {
      return take(chunk)?.catch(refuse)
    } catch (reason) {
      return refuse(reason)
    }
  }).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (refused) throw refused.reason
  await endPiece()
  return { offsetBytes: last?.offsetBytes ?? offsetBytes, last, brokenBy }
}

/** Puts the pieces of an upload together on local disk, as if it had been sent at once. */
export async function assembleFile(
  site: Site,
  { id, lengthBytes }: ResumableUpload,
  { last, spool }: { last: SpooledPiece; spool: PieceSpool },
): Promise<Omit<SpooledFile, 'name'>> {
  const { path, md5, sizeBytes } = last
  if (last.offsetBytes === 0) return { path, md5, sizeBytes }
  const file = spool.newFile(lengthBytes)
  let offsetBytes = 0
  const append = async (chunks: Iterable<Buffer> | Readable) => {
    for await (const chunk of chunks) {
      offsetBytes += chunk.length
      file.write(chunk)
      await file.flush()
    }
  }
  for (const piece of await piecesOfUpload(site.db, id)) {
    if (piece.offsetBytes !== offsetBytes) throw pieceMissing(id, offsetBytes)
    await append([await readPiece(site, piece)])
  }
  if (last.offsetBytes !== offsetBytes) throw pieceMissing(id, offsetBytes)
  await append(createReadStream(path, { highWaterMark: 262_144 }))
  if (offsetBytes !== lengthBytes) throw pieceMissing(id, last.offsetBytes)
  return file.finish()
}

/** A piece is short enough for the memory, so that none of its bytes is used before all of them are proven. */
async function readPiece(site: Site, piece: UploadPiece): Promise<Buffer> {
  const bytes = await readProven(site.storage, knownPiece(piece))
  if (!Buffer.isBuffer(bytes)) throw pieceMissing(piece.uploadId, piece.offsetBytes)
  return bytes
}

const pieceMissing = (id: string, offsetBytes: number) =>
  new Refusal(
    'unavailable',
    'storage-unavailable',
    'A piece of this upload cannot be read. Try again shortly.',
    {
      cause: `upload ${id}, offset ${offsetBytes}`,
    },
  )
