import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bytes, openBytes } from './containers/bytes.ts'
import { type Edit, withoutOverlaps, writeEdited } from './containers/edits.ts'
import type { ExamineJob, StoredBytes } from './job.ts'
import { pictureKindNamed } from './kinds/find-kind.ts'
import type { PictureKind, PictureKindName } from './kinds/kind.ts'
import { encode, writeEncoded } from './pixels/encode.ts'
import type { Source } from './pixels/source.ts'

interface Sized extends StoredBytes {
  width: number
  height: number
}

/** Makes the file to store: as it came wherever possible, and never with other pixels unless its size was to change. */
export async function makeStoredFile(
  kind: PictureKind,
  bytes: Bytes,
  source: Source,
  job: ExamineJob,
): Promise<Sized> {
  const width = newWidth(kind, source, job)
  if (width !== undefined || kind.storedAs !== undefined) return encodeFile(kind, source, job, width)
  const { width: ownWidth, height } = source
  return { ...stripFile(kind, bytes, source.orientation, job), width: ownWidth, height }
}

function newWidth(kind: PictureKind, { width, frames }: Source, job: ExamineJob): number | undefined {
  const isIgnored = job.width === undefined || frames > 1 || kind.resizedAs === 'none'
  return isIgnored || (job.width ?? 0) >= width ? undefined : job.width
}

function stripFile(kind: PictureKind, bytes: Bytes, orientation: number, job: ExamineJob): StoredBytes {
  const about = describe(kind)
  const edits = editsFor(kind, bytes, orientation, job)
  if (edits.length === 0) return { ...about, path: job.path, isUnchanged: true, sizeBytes: bytes.size }
  const path = join(job.outputFolder, `file.${kind.extensions[0]}`)
  return { ...about, isUnchanged: false, ...writeEdited(bytes, edits, path) }
}

function editsFor(kind: PictureKind, bytes: Bytes, orientation: number, { policy }: ExamineJob): Edit[] {
  return policy === 'keep' ? [] : withoutOverlaps(kind.strip(bytes, policy, orientation))
}

async function encodeFile(
  kind: PictureKind,
  source: Source,
  job: ExamineJob,
  width: number | undefined,
): Promise<Sized> {
  const target = pictureKindNamed(kind.storedAs ?? nameAfterResize(kind))
  const picture = await source.shrink(width === undefined ? {} : { width })
  const kept = job.policy === 'strip_all' ? picture.keepIccProfile() : picture.keepMetadata()
  const encoded = await encode(kept, target.name, 'file')
  const encodedPath = join(job.outputFolder, `encoded.${target.extensions[0]}`)
  writeEncoded(encodedPath, encoded)

  using bytes = openBytes(encodedPath)
  const file = stripFile(target, bytes, 1, { ...job, path: encodedPath })
  const size = { width: encoded.width, height: encoded.height }
  if (!file.isUnchanged) {
    rmSync(encodedPath)
    return { ...file, ...size }
  }
  return { ...file, ...size, isUnchanged: false, md5: createHash('md5').update(encoded.data).digest('hex') }
}

const nameAfterResize = ({ name, resizedAs }: PictureKind): PictureKindName =>
  resizedAs === undefined || resizedAs === 'none' ? name : resizedAs

const describe = ({ name, mime, extensions }: PictureKind) => ({ kind: name, mime, extensions })
