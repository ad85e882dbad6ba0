import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { Refusal } from '../../../lib/refusal.ts'
import type { Site } from '../../../site/index.ts'
import { readProven } from '../../../storage/index.ts'
import type { SpooledFile } from '../../upload/upload-attempt.ts'
import type { ResumableUpload } from '../resumable-uploads-table.ts'
import type { PieceSpool, SpooledPiece } from '../receive-pieces.ts'
import { knownPiece, piecesOfUpload, type UploadPiece } from '../upload-pieces-table.ts'

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
