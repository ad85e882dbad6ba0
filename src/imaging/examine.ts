import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bytes, openBytes, openWhole } from '../formats/containers/bytes.ts'
import { type Edit, withoutOverlaps, writeEdited } from '../formats/containers/edits.ts'
import { withoutIptcLocation } from '../formats/metadata/iptc.ts'
import { type ReadMetadata, readMetadata } from '../formats/metadata/read-metadata.ts'
import { withoutShownLocation } from '../formats/metadata/unknown-block.ts'
import { withoutXmpLocation } from '../formats/metadata/xmp/strip-xmp.ts'
import {
  type ExaminedPicture,
  type ExamineJob,
  type FoundVideo,
  MAX_PATCH_BYTES,
  MAX_PATCHES,
  type StoredBytes,
} from './children/job.ts'
import { kindOff, notDecodable, tooManyFrames, tooManyPixels } from './errors.ts'
import { kindsByName, recognise } from './kinds/index.ts'
import type { EncodedKindName, FoundMetadata, Header, PictureKind } from './kinds/kind.ts'
import { encode, writeEncoded } from './pixels/encode.ts'
import { FITTING } from './pixels/layout.ts'
import { decodeEveryFrame } from './pixels/libvips.ts'
import { type Source, withSource } from './pixels/source.ts'
import { MEDIUM_WIDTH, writeVariants } from './pixels/variants.ts'

/**
 * Does everything that needs a decoder for one picture. A video is only recognised: it needs several jobs, each with more
 * time. Runs in a child process only.
 */
export async function examine(job: ExamineJob): Promise<ExaminedPicture | FoundVideo> {
  using bytes = openWhole(job.path)
  const kind = recognise(bytes)
  if (kind.type === 'video') return { type: 'found-video', kind: kind.name, sizeBytes: bytes.size }
  if (kind.allowedBy !== undefined && !job[kind.allowedBy]) throw kindOff(kind.name)
  const header = kind.header(bytes, job.maxFrames)
  checkHeader(header, job)
  kind.verify?.(bytes)

  const metadata = readMetadata(withoutLocation(kind.metadata(bytes), job), job.policy)
  const { path, maxPixels } = job
  return await withSource(
    { kind, path, bytes, header, maxPixels },
    async (source): Promise<ExaminedPicture> => {
      const isAnimated = header.frames > 1 && kind.hasPages !== true
      if (isAnimated && kind.hasReadableFrames === true) await decodeEveryFrame(path, maxPixels)
      const { width, height, ...file } = await makeStoredFile(kind, bytes, source, job)
      const hasMedium = isAnimated || width > MEDIUM_WIDTH || job.hasMediumAlways === true
      const variants = await writeVariants(source, {
        format: kind.variantFormat,
        folder: job.outputFolder,
        hasMedium,
      })
      const { orientation, bits, channels } = source
      return {
        type: 'image',
        kind: kind.name,
        file,
        width,
        height,
        frames: header.frames,
        isAnimated,
        orientation,
        bits,
        channels,
        ...variants,
        ...describe(metadata, job),
      }
    },
  )
}

/** Runs before anything is decoded, so that a header that claims too many pixels costs no memory. */
function checkHeader({ width, height, frames }: Header, { maxPixels, maxFrames }: ExamineJob): void {
  if (width === 0 || height === 0 || frames === 0) throw notDecodable('a picture without pixels')
  const pixels = width * height * frames
  if (frames > maxFrames) throw tooManyFrames(maxFrames)
  if (pixels > maxPixels) throw tooManyPixels(pixels, maxPixels)
}

/** A location that is removed from the file must not be returned in the response's metadata either. */
function withoutLocation(found: FoundMetadata, { policy }: ExamineJob): FoundMetadata {
  if (policy !== 'strip_location') return found
  const { exif, xmp, iptc } = found
  return {
    exif: exif && (withoutShownLocation(exif) ?? exif),
    xmp: xmp && (withoutXmpLocation(xmp) ?? xmp),
    iptc: iptc && (withoutIptcLocation(iptc) ?? iptc),
  }
}

function describe({ json, ...rest }: ReadMetadata, { policy }: ExamineJob) {
  return { ...rest, metadata: policy === 'strip_all' ? undefined : json }
}

interface SizedFile extends StoredBytes {
  width: number
  height: number
}

/** Makes the file to store. Its pixels are encoded anew only if the width changes or the kind is stored as another one. */
async function makeStoredFile(
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

/** A few changes that keep the length are made by the server, in the uploaded file: nothing is copied. */
function stripFile(kind: PictureKind, bytes: Bytes, orientation: number, job: ExamineJob): StoredBytes {
  const edits = editsFor(kind, bytes, orientation, job)
  if (edits.length === 0 || !arePatches(edits)) return writeStripped(kind, bytes, edits, job)
  const patches = edits.map((edit) => ({ at: edit.start, base64: edit.bytes.toString('base64') }))
  return { ...kindFields(kind), path: job.path, isUnchanged: false, sizeBytes: bytes.size, patches }
}

function arePatches(edits: readonly Edit[]): boolean {
  const bytes = edits.reduce((sum, edit) => sum + edit.bytes.length, 0)
  const isLengthKept = edits.every((edit) => edit.end - edit.start === edit.bytes.length)
  return isLengthKept && edits.length <= MAX_PATCHES && bytes <= MAX_PATCH_BYTES
}

function writeStripped(
  kind: PictureKind,
  bytes: Bytes,
  edits: readonly Edit[],
  job: ExamineJob,
): StoredBytes {
  const about = kindFields(kind)
  if (edits.length === 0) return { ...about, path: job.path, isUnchanged: true, sizeBytes: bytes.size }
  const path = join(job.outputFolder, `file.${kind.extensions[0]}`)
  return { ...about, isUnchanged: false, ...writeEdited(bytes, edits, path) }
}

function editsFor(kind: PictureKind, bytes: Bytes, orientation: number, { policy }: ExamineJob): Edit[] {
  return policy === 'keep' ? [] : withoutOverlaps(kind.strip(bytes, policy, orientation))
}

/** Higher than that of variants: the file is all that is kept of the upload. */
const FILE_QUALITY = 90

async function encodeFile(
  kindName: EncodedKindName,
  source: Source,
  job: ExamineJob,
  width: number | undefined,
): Promise<SizedFile> {
  const target = kindsByName[kindName]
  const picture = await source.shrink(width === undefined ? FITTING : { ...FITTING, width })
  const kept = job.policy === 'strip_all' ? picture.keepIccProfile() : picture.keepMetadata()
  const encoded = await encode(kept, kindName, FILE_QUALITY)
  const encodedPath = join(job.outputFolder, `encoded.${target.extensions[0]}`)
  writeEncoded(encodedPath, encoded)

  using bytes = openBytes(encodedPath)
  const file = writeStripped(target, bytes, editsFor(target, bytes, 1, job), { ...job, path: encodedPath })
  const size = { width: encoded.width, height: encoded.height }
  if (!file.isUnchanged) {
    rmSync(encodedPath)
    return { ...file, ...size }
  }
  return { ...file, ...size, isUnchanged: false, md5: createHash('md5').update(encoded.data).digest('hex') }
}

const kindFields = ({ name, mime, extensions }: PictureKind) => ({ kind: name, mime, extensions })
