import type { Refusal, RefusalKind } from '../../lib/refusal.ts'
import type { KindName, MetadataPolicy, PictureKindName, VideoKindName } from '../kinds/kind.ts'
import type { TransformOptions } from '../transform-options.ts'

/** A file made from the picture, or from a frame of the video. */
export interface Variant {
  path: string
  mime: string
  extension: string
  width: number
  height: number
  sizeBytes: number
  sha256: string
}

/** More changes of a file, or longer ones, are written into a new file by the decoder. */
export const MAX_PATCHES = 256
export const MAX_PATCH_BYTES = 131_072

/** Bytes that replace as many others at this offset. */
export interface FilePatch {
  at: number
  base64: string
}

/** The file to store. */
export interface StoredBytes {
  path: string
  /** The stored file is the uploaded file, byte for byte. */
  isUnchanged: boolean
  kind: KindName
  mime: string
  /** The first one is the default. */
  extensions: readonly string[]
  sizeBytes: number
  /** Hexadecimal; only of a changed file. */
  md5?: string | undefined
  /** In an answer: what the server changes in the uploaded file, instead of a new file with its MD5. */
  patches?: readonly FilePatch[] | undefined
}

/** What pictures and videos have in common. */
interface ExaminedFile {
  file: StoredBytes
  /** After the orientation is applied. */
  width: number
  height: number
  isAnimated: boolean
  is360: boolean
  bits: number
  channels: number
  medium?: Variant | undefined
  /** A thumbhash in Base64. */
  placeholder?: string | undefined
  title?: string | undefined
  description?: string | undefined
  /** The camera's clock: YYYY-MM-DD HH:MM:SS without a zone for a picture, YYYY-MM-DDTHH:MM:SS.sssZ for a video. */
  takenAt?: string | undefined
  /** JSON text of the metadata that the policy keeps: one object without nesting, at most 64 kB. */
  metadata?: string | undefined
}

export interface ExaminedPicture extends ExaminedFile {
  type: 'image'
  /** The kind of the uploaded bytes; the stored file may be of another kind. */
  kind: PictureKindName
  frames: number
  /** Exif's number, 1 to 8. Variants are upright. */
  orientation: number
  thumb: Variant
}

/** Without FFmpeg there is no frame, no thumb and no medium. */
export interface ExaminedVideo extends ExaminedFile {
  type: 'video'
  kind: VideoKindName
  durationSeconds: number
  frame?: Variant | undefined
  thumb?: Variant | undefined
}

export type Examined = ExaminedPicture | ExaminedVideo

/** Recognises a file; if it is a picture, also makes the stored file and the variants. */
export interface ExamineJob {
  task: 'examine'
  path: string
  /** An existing folder, which may contain the file itself. Output files have a name with an extension. */
  outputFolder: string
  policy: MetadataPolicy
  allowSvg: boolean
  /** For all frames together. */
  maxPixels: number
  maxFrames: number
  width?: number | undefined
  /** Of a picture that is not wider than a medium, too. */
  hasMediumAlways?: boolean
}

export interface FoundVideo {
  type: 'found-video'
  kind: VideoKindName
  sizeBytes: number
}

/** Reads a video's container. */
export interface ProbeJob {
  task: 'probe-video'
  path: string
  kind: VideoKindName
  /** For one frame. */
  maxPixels: number
}

/** What the container says. */
export interface Video {
  /** Display size: after rotation and with square pixels. */
  width: number
  height: number
  durationSeconds: number
  takenAt: string | undefined
}

/** One attempt to take a frame with FFmpeg's libraries. */
export interface FrameJob {
  task: 'take-frame'
  path: string
  outputFolder: string
  kind: VideoKindName
  video: Video
  /** For one frame. */
  maxPixels: number
  /** Path of the native module that contains the libraries. */
  library: string
  atSeconds: number
  /** Decodes up to that time, instead of taking the key frame before it. */
  isExact: boolean
}

/** A JPEG in the output folder. */
export interface TakenFrame {
  path: string
}

/** Makes the file to store, and the variants if there is a frame. */
export interface FinishJob {
  task: 'finish-video'
  path: string
  outputFolder: string
  policy: MetadataPolicy
  kind: VideoKindName
  video: Video
  framePath: string | undefined
}

/** Derives one picture from a stored one. */
export interface TransformJob {
  task: 'transform'
  path: string
  outputFolder: string
  options: TransformOptions
  /** Makes a placeholder of the picture too. */
  hasPlaceholder?: boolean
}

export interface Transformed {
  path: string
  mime: string
  width: number
  height: number
  sizeBytes: number
  sha256: string
  isAnimated: boolean
  /** A thumbhash in Base64, if the job asks for it. */
  placeholder?: string | undefined
}

/** A job for one file, in a folder of its own. */
export type FileJob = ExamineJob | TransformJob

export type Job = ExamineJob | ProbeJob | FrameJob | FinishJob | TransformJob

/** The result of each task. */
export interface Outcomes {
  examine: ExaminedPicture | FoundVideo
  'probe-video': Video
  'take-frame': TakenFrame
  'finish-video': ExaminedVideo
  transform: Transformed
}

export type Outcome = Outcomes[Job['task']]

/** Messages from a child: that it is ready, or how its job ended. */
export type Message =
  | { type: 'ready' }
  | { type: 'done'; outcome: Outcome }
  | {
      type: 'refused'
      kind: RefusalKind
      code: string
      message: string
      params: Refusal['params']
      cause: string
    }
  | { type: 'fault'; code: string | undefined; message: string }
