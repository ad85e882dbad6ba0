import { FFMPEG_PACKAGE } from '../../video/find-ffmpeg.ts'
import { type Log, loadNative } from '../../video/library/libav.ts'

/** The part of FFmpeg's libraries that decodes HEVC, from an optional package with a native Node module. */
export interface HevcLibrary {
  Log: Log
  Option: { set(context: HevcContext, name: string, value: string, flags: number): number }
  Codec: { findDecoder(id: number): object | null }
  CodecContext: new () => HevcContext
  Packet: new () => HevcPacket
  Frame: new () => HevcFrame
}

export interface HevcContext {
  extraData: Buffer | null
  allocContext3(codec: object): void
  open2Sync(codec: object, options: null): number
  sendPacketSync(packet: HevcPacket | null): number
  receiveFrameSync(frame: HevcFrame): number
  freeContext(): void
}

export interface HevcPacket {
  data: Buffer | null
  pts: bigint
  alloc(): void
  free(): void
}

export interface HevcFrame {
  readonly width: number
  readonly height: number
  readonly format: number
  readonly pts: bigint
  readonly flags: number
  readonly decodeErrorFlags: number
  readonly colorSpace: number
  readonly colorRange: number
  readonly linesize: number[]
  readonly data: Buffer[] | null
  alloc(): void
  unref(): void
  free(): void
}

let loaded: HevcLibrary | undefined | null = null

/** Undefined if the package is not installed, or not built for this machine's C library. For child processes only. */
export function loadHevcLibrary(): HevcLibrary | undefined {
  if (loaded !== null) return loaded
  try {
    loaded = loadNative<HevcLibrary>(`${FFMPEG_PACKAGE}/node-av.node`)
  } catch {
    loaded = undefined
  }
  return loaded
}
