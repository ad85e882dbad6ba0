import { type Bytes, openWhole, readHead } from '../formats/containers/bytes.ts'
import { withoutIptcLocation } from '../formats/metadata/iptc.ts'
import { type ReadMetadata, readMetadata } from '../formats/metadata/read-metadata.ts'
import { withoutShownLocation } from '../formats/metadata/unknown-block.ts'
import { withoutXmpLocation } from '../formats/metadata/xmp/strip-xmp.ts'
import type { ExaminedPicture, ExamineJob, FoundVideo } from './children/job.ts'
import { kindOff, notDecodable, notMedia, tooManyFrames, tooManyPixels } from './errors.ts'
import { kinds } from './kinds/index.ts'
import { type FoundMetadata, HEAD_BYTES, type Header, type Kind } from './kinds/kind.ts'
import { decodeEveryFrame } from './pixels/libvips.ts'
import { withSource } from './pixels/source.ts'
import { MEDIUM_WIDTH, writeVariants } from './pixels/variants.ts'
import { makeStoredFile } from './stored-file.ts'

/**
 * Does everything that needs a decoder for one picture. A video is only recognised: it needs several jobs, each with more
 * time. Runs in a child process only.
 */
export async function examine(job: ExamineJob): Promise<ExaminedPicture | FoundVideo> {
  using bytes = openWhole(job.path)
  const kind = kindOf(bytes)
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

function kindOf(bytes: Bytes): Kind {
  const head = readHead(bytes, HEAD_BYTES)
  const kind = kinds.find((candidate) => candidate.matches(head))
  if (kind === undefined) throw notMedia('the magic numbers match no kind')
  return kind
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
