import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bytes, openBytes } from '../formats/containers/bytes.ts'
import { type Edit, withoutOverlaps, writeEdited } from '../formats/containers/edits.ts'
import type { ExamineJob, StoredBytes } from './children/job.ts'
import { kindsByName } from './kinds/index.ts'
import type { EncodedKindName, PictureKind } from './kinds/kind.ts'
import type { Source } from './pixels/source.ts'
import { encode, writeEncoded } from './pixels/variants.ts'

interface SizedFile extends StoredBytes {
  width: number
  height: number
}

/** Makes the file to store. Its pixels are encoded anew only if the width changes or the kind is stored as another one. */
export async function makeStoredFile(
  kind: PictureKind,
  bytes: Bytes,
  source: Source,
  job: ExamineJob,
): Promise<SizedFile> {
  const resized = resizeTarget(kind, source, job)
  const target = kind.storedAs ?? resized?.kind
  if (target !== undefined) return encodeFile(target, source, job, resized?.width)
  const { width, height } = source
  return { ...stripFile(kind, bytes, source.orientation, job), width, height }
}

interface ResizeTarget {
  kind: EncodedKindName
  width: number
}

/** Undefined if the file keeps its width: pictures are never enlarged, and animations and drawings never resized. */
function resizeTarget(
  { resizedAs }: PictureKind,
  { width, frames }: Source,
  job: ExamineJob,
): ResizeTarget | undefined {
  if (job.width === undefined || job.width >= width || frames > 1 || resizedAs === 'none') return undefined
  return { kind: resizedAs, width: job.width }
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
  kindName: EncodedKindName,
  source: Source,
  job: ExamineJob,
  width: number | undefined,
): Promise<SizedFile> {
  const target = kindsByName[kindName]
  const picture = await source.shrink(width === undefined ? {} : { width })
  const kept = job.policy === 'strip_all' ? picture.keepIccProfile() : picture.keepMetadata()
  const encoded = await encode(kept, kindName, 'file')
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

const describe = ({ name, mime, extensions }: PictureKind) => ({ kind: name, mime, extensions })
