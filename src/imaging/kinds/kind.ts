import type { Bytes } from '../../formats/containers/bytes.ts'
import type { Edit } from '../../formats/containers/edits.ts'
import type { FoundMetadata } from '../../formats/metadata/found-metadata.ts'

export type { FoundMetadata, MetadataPolicy } from '../../formats/metadata/found-metadata.ts'

/** A name added here makes the compiler ask for the kind in `index.ts` and for a test of it. */
export type PictureKindName = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'heic' | 'bmp' | 'tiff' | 'svg'
export type VideoKindName = 'mp4' | 'mov' | 'webm'
export type KindName = PictureKindName | VideoKindName

/** Kinds that can be written; each has an encoder in `pixels/encode.ts`. */
export type EncodedKindName = 'jpeg' | 'png' | 'gif' | 'webp'

/** Kinds that thumb, medium and frame are written in. */
export const VARIANT_FORMATS = ['jpeg', 'png', 'webp'] as const satisfies EncodedKindName[]
export type VariantFormat = (typeof VARIANT_FORMATS)[number]

/** Formats in which a picture is derived from a stored one; each has an encoder in `pixels/encode.ts`. */
export const DERIVED_FORMATS = ['avif', 'webp', 'jpeg', 'png'] as const
export type DerivedFormat = (typeof DERIVED_FORMATS)[number]

/** Options of a site that allow a kind which is off by default. */
export type KindSwitch = 'allowSvg'

/** Programs that show a picture: browsers in a page, messengers and social networks beside a link. */
export type PictureViewer = 'browsers' | 'link-previews'

/** What the header claims, before anything is decoded. */
export interface Header {
  width: number
  height: number
  frames: number
  /** How to read the samples of a TIFF that libvips reads as another type. */
  samples?: 'lab' | 'icc-lab' | 'unsigned-32' | 'signed-32' | undefined
}

interface AnyKind {
  readonly mime: string
  /** The first one is given to stored files. */
  readonly extensions: readonly string[]
  /** Recognises the kind by the magic numbers in the first `HEAD_BYTES` of a file. */
  matches(head: Buffer): boolean
  /** Throws if a part is damaged that the decoder does not read. */
  verify?(bytes: Bytes): void
}

export type PictureDecoder =
  /** `loader` is allowed in `pixels/libvips.ts`; `format` is the name that libvips must report for the file. */
  | { readonly by: 'libvips'; readonly loader: string; readonly format: string }
  | { readonly by: 'librsvg' | 'libheif' | 'own-code' }

/** A picture, and what can be done to it without decoding it. */
export interface PictureKind<Name extends PictureKindName = PictureKindName> extends AnyKind {
  readonly type: 'image'
  readonly name: Name
  readonly decoder: PictureDecoder
  readonly shownIn: readonly PictureViewer[]
  readonly variantFormat: VariantFormat
  /** Every upload of this kind is stored as that kind. */
  readonly storedAs?: EncodedKindName
  /** The kind of a file whose width was changed; 'none' if the width cannot be changed. */
  readonly resizedAs: EncodedKindName | 'none'
  /** The pictures after the first one are pages of a document, not frames of an animation. */
  readonly hasPages?: boolean
  /** libvips reads the frames after the first one, so all of them are decoded as a check. */
  readonly hasReadableFrames?: boolean
  /** Refused unless the site's settings allow it. */
  readonly allowedBy?: KindSwitch

  /** Stops counting frames at one above the limit. */
  header(bytes: Bytes, maxFrames: number): Header
  /** A copy that the decoder accepts, if it does not accept the file as sent. */
  forDecoder?(bytes: Bytes): Buffer | undefined
  metadata(bytes: Bytes): FoundMetadata
  /** The edits that remove the location, or all metadata, and keep every pixel; empty if there is nothing to remove. */
  strip(bytes: Bytes, policy: 'strip_location' | 'strip_all', orientation: number): Edit[]
}

/** A video. One frame of it is decoded, by FFmpeg: by its libraries in a child process, or by its program. */
export interface VideoKind<Name extends VideoKindName = VideoKindName> extends AnyKind {
  readonly type: 'video'
  readonly name: Name
  /** FFmpeg's name of the container; FFmpeg is allowed no other demuxer. */
  readonly demuxer: 'mov' | 'matroska'
  /** Mediabunny's name of the container. */
  readonly parser: 'MP4' | 'QTFF' | 'WEBM'
  /** Where the part ends that Mediabunny can parse, if that may be before the end of the file. */
  readableEnd?(bytes: Bytes): number
  /** The camera's clock, if the container stores it. */
  createdAt?(bytes: Bytes): Date | undefined
}

export type Kind = PictureKind | VideoKind

export const HEAD_BYTES = 4096
