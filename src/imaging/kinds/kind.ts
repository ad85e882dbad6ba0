import type { Bytes } from '../containers/bytes.ts'
import type { Edit } from '../containers/edits.ts'

export type PictureKindName = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'heic' | 'bmp' | 'tiff' | 'svg'
export type VideoKindName = 'mp4' | 'mov' | 'webm'
export type KindName = PictureKindName | VideoKindName

/** What happens to the metadata inside a stored file. */
export type MetadataPolicy = 'keep' | 'strip_location' | 'strip_all'

/** What the header claims, before anything is decoded. */
export interface Header {
  width: number
  height: number
  frames: number
  /** Where nothing else in the file has a say in it, so that the decoder need not be asked: stored upright, in these. */
  upright?: { bits: number; channels: number }
}

/** Metadata as it stands in the file, whatever way the file wraps it. */
export interface FoundMetadata {
  /** A TIFF structure, as Exif prescribes. */
  exif?: Buffer | undefined
  xmp?: Buffer | undefined
  /** IPTC-IIM records. */
  iptc?: Buffer | undefined
}

/** How one kind of file is told from others. */
interface AnyKind {
  readonly mime: string
  /** The usual one first. */
  readonly extensions: readonly string[]
  /** By magic numbers in the first bytes. */
  matches(head: Buffer): boolean
  /** Finds damage in parts that the decoder does not look at. */
  verify?(bytes: Bytes): void
}

/** What can be done to a picture without decoding it. */
export interface PictureKind extends AnyKind {
  readonly name: PictureKindName
  readonly decodedBy: 'libvips' | 'librsvg' | 'libheif' | 'ourselves'
  /** The format that thumb and medium are written in. */
  readonly variantFormat: 'jpeg' | 'png' | 'webp'
  /** Stored as this kind instead of its own. */
  readonly storedAs?: PictureKindName
  /** The format of a file whose size was changed, where it cannot or should not stay its own. */
  readonly resizedAs?: PictureKindName | 'none'
  /** What follows the first picture are pages of a document and not an animation. */
  readonly hasPages?: boolean
  /** The decoder reads frames after the first, so that all of them can be checked. */
  readonly hasReadableFrames?: boolean
  /** Accepted only where the site says so. */
  readonly isOffByDefault?: boolean

  /** Counts frames no further than one beyond the limit. */
  header(bytes: Bytes, maxFrames: number): Header
  /** The same file by a name that the decoder knows, when it does not know the file's own. */
  renamed?(bytes: Bytes): Buffer | undefined
  metadata(bytes: Bytes): FoundMetadata
  /** The changes that take location or all metadata away and leave the picture as it is; none, when there is nothing. */
  strip(bytes: Bytes, policy: 'strip_location' | 'strip_all', orientation: number): Edit[]
}

/** Videos are never decoded but for one frame, by a program of its own. */
export interface VideoKind extends AnyKind {
  readonly name: VideoKindName
  readonly decodedBy: 'ffmpeg'
  /** What ffmpeg calls the container: the one reader that it may use. */
  readonly demuxer: 'mov' | 'matroska'
  /** Where the part ends that its parser understands, when that may be before the end of the file. */
  readableEnd?(bytes: Bytes): number
  /** What the camera's clock said, where the container tells it. */
  createdAt?(bytes: Bytes): Date | undefined
}

export type Kind = PictureKind | VideoKind

/** How much of a file `matches` gets to see. */
export const HEAD_BYTES = 4096
