import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bytes, openBytes } from './containers/bytes.ts'
import { type Edit, withoutOverlaps, writeEdited } from './containers/edits.ts'
import type { Job, StoredPicture } from './job.ts'
import { kinds } from './kinds/index.ts'
import type { Kind, KindName } from './kinds/kind.ts'
import { encode, writeEncoded } from './pixels/encode.ts'
import type { Source } from './pixels/source.ts'

interface Sized extends StoredPicture {
  width: number
  height: number
}

/** Makes the file to store: as it came wherever possible, and never with other pixels unless its size was to change. */
export async function makeStoredFile(kind: Kind, bytes: Bytes, source: Source, job: Job): Promise<Sized> {
  const width = newWidth(kind, source, job)
  if (width !== undefined || kind.storedAs !== undefined) return encodeFile(kind, source, job, width)
  const { width: ownWidth, height } = source
  return { ...stripFile(kind, bytes, source.orientation, job), width: ownWidth, height }
}

function newWidth(kind: Kind, { width, frames }: Source, job: Job): number | undefined {
  const isIgnored = job.width === undefined || frames > 1 || kind.resizedAs === 'none'
  return isIgnored || (job.width ?? 0) >= width ? undefined : job.width
}

function stripFile(kind: Kind, bytes: Bytes, orientation: number, job: Job): StoredPicture {
  const about = describe(kind)
  const edits = editsFor(kind, bytes, orientation, job)
  if (edits.length === 0) return { ...about, path: job.path, isUnchanged: true, sizeBytes: bytes.size }
  const path = join(job.outputFolder, `file.${kind.extensions[0]}`)
  return { ...about, isUnchanged: false, ...writeEdited(bytes, edits, path) }
}

function editsFor(kind: Kind, bytes: Bytes, orientation: number, { policy }: Job): Edit[] {
  return policy === 'keep' ? [] : withoutOverlaps(kind.strip(bytes, policy, orientation))
}

async function encodeFile(kind: Kind, source: Source, job: Job, width: number | undefined): Promise<Sized> {
  const target = kindNamed(kind.storedAs ?? nameAfterResize(kind))
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

const nameAfterResize = ({ name, resizedAs }: Kind): KindName =>
  resizedAs === undefined || resizedAs === 'none' ? name : resizedAs

function kindNamed(name: KindName): Kind {
  const kind = kinds.find((candidate) => candidate.name === name)
  if (kind === undefined) throw new Error(`There is no kind ${name}.`)
  return kind
}

const describe = ({ name, mime, extensions }: Kind) => ({ kind: name, mime, extensions })
