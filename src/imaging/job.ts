import type { RefusalKind } from '../lib/refusal.ts'
import type { KindName, MetadataPolicy, PictureKindName, VideoKindName } from './kinds/kind.ts'

/** A file made from the picture, or from a frame of the video. */
export interface Variant {
  path: string
  mime: string
  extension: string
  width: number
  height: number
  sizeBytes: number
}

/** The file to store. */
export interface StoredBytes {
  path: string
  /** It is the file that was given, byte for byte; the other fields then say what it is. */
  isUnchanged: boolean
  kind: KindName
  mime: string
  /** The usual one first. */
  extensions: readonly string[]
  sizeBytes: number
  /** Of a changed file, in hexadecimal digits. */
  md5?: string | undefined
}

/** What there is to know about any file, and the files made from it. */
interface ExaminedFile {
  file: StoredBytes
  /** As a viewer sees the stored file. */
  width: number
  height: number
  isAnimated: boolean
  is360: boolean
  bits: number
  channels: number
  medium?: Variant | undefined
  title?: string | undefined
  description?: string | undefined
  /**
   * What the camera's clock said: of a picture YYYY-MM-DD HH:MM:SS without a zone, of a video YYYY-MM-DDTHH:MM:SS.sssZ.
   */
  takenAt?: string | undefined
  /** JSON text of the metadata that the policy leaves: flat names, at most 64 kB. */
  metadata?: string | undefined
}

export interface ExaminedPicture extends ExaminedFile {
  type: 'image'
  /** What the bytes are, whatever they are stored as. */
  kind: PictureKindName
  frames: number
  /** Exif's number, 1 to 8; versions are upright already. */
  orientation: number
  thumb: Variant
}

/** Where there is no ffmpeg, there is no frame and nothing that is made from it. */
export interface ExaminedVideo extends ExaminedFile {
  type: 'video'
  kind: VideoKindName
  durationSeconds: number
  frame?: Variant | undefined
  thumb?: Variant | undefined
}

export type Examined = ExaminedPicture | ExaminedVideo

/** Looks at a file, and does all that a picture needs. */
export interface ExamineJob {
  task: 'examine'
  path: string
  /** An existing folder, which may hold the file itself: what is made has a name with an extension. */
  outputFolder: string
  policy: MetadataPolicy
  allowSvg: boolean
  /** All frames together. */
  maxPixels: number
  maxFrames: number
  width?: number | undefined
  misbehave?: Misbehaviour | undefined
}

export interface FoundVideo {
  type: 'found-video'
  kind: VideoKindName
  sizeBytes: number
}

/** Reads what a video's container tells. */
export interface ProbeJob {
  task: 'probe-video'
  path: string
  kind: VideoKindName
  /** Of one frame. */
  maxPixels: number
}

/** What was told. */
export interface Video {
  /** As a viewer sees it: upright and with square pixels. */
  width: number
  height: number
  durationSeconds: number
  takenAt: string | undefined
}

/** Makes the file to store, and versions from the frame where there is one. */
export interface FinishJob {
  task: 'finish-video'
  path: string
  outputFolder: string
  policy: MetadataPolicy
  kind: VideoKindName
  video: Video
  framePath: string | undefined
}

export type Job = ExamineJob | ProbeJob | FinishJob

/** What comes of each task. */
export interface Outcomes {
  examine: ExaminedPicture | FoundVideo
  'probe-video': Video
  'finish-video': ExaminedVideo
}

export type Outcome = Outcomes[Job['task']]

/** What a test can make a child do, where that was allowed. */
export type Misbehaviour = 'abort' | 'exit' | 'spin' | 'hang' | 'eat-memory'

/** What a child says: that it is ready, or how its job ended. */
export type Message =
  | { type: 'ready' }
  | { type: 'done'; outcome: Outcome; rssBytes: number }
  | { type: 'refused'; kind: RefusalKind; code: string; message: string; cause: string; rssBytes: number }
  | { type: 'fault'; code: string | undefined; message: string; rssBytes: number }
