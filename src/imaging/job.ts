import type { RefusalKind } from '../lib/refusal.ts'
import type { KindName, MetadataPolicy } from './kinds/kind.ts'

/** A file made from the picture. */
export interface Variant {
  path: string
  mime: string
  extension: string
  width: number
  height: number
  sizeBytes: number
}

/** The file to store. */
export interface StoredPicture {
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

/** Everything there is to know about a picture, and the files made from it. */
export interface Examined {
  /** What the bytes are, whatever they are stored as. */
  kind: KindName
  file: StoredPicture
  /** As a viewer sees the stored file. */
  width: number
  height: number
  frames: number
  isAnimated: boolean
  is360: boolean
  /** Exif's number, 1 to 8; versions are upright already. */
  orientation: number
  bits: number
  channels: number
  thumb: Variant
  medium?: Variant | undefined
  title?: string | undefined
  description?: string | undefined
  /** What the camera's clock said, as YYYY-MM-DD HH:MM:SS without a zone. */
  takenAt?: string | undefined
  /** JSON text of the metadata that the policy leaves: flat names, at most 64 kB. */
  metadata?: string | undefined
}

export interface Job {
  path: string
  /** An existing, empty folder. */
  outputFolder: string
  policy: MetadataPolicy
  allowSvg: boolean
  /** All frames together. */
  maxPixels: number
  maxFrames: number
  width?: number | undefined
  misbehave?: Misbehaviour | undefined
}

/** What a test can make a child do, where that was allowed. */
export type Misbehaviour = 'abort' | 'exit' | 'spin' | 'hang' | 'eat-memory'

/** What a child says: that it is ready, or how its job ended. */
export type Message =
  | { type: 'ready' }
  | { type: 'done'; examined: Examined; rssBytes: number }
  | { type: 'refused'; kind: RefusalKind; code: string; message: string; cause: string; rssBytes: number }
  | { type: 'fault'; code: string | undefined; message: string; rssBytes: number }
