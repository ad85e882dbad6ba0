import { createRequire } from 'node:module'

/**
 * The part of node-av's native module that is needed to take a frame; names are those of FFmpeg's libraries. The native package
 * is used without node-av's JavaScript, because installing that downloads a program.
 */
export interface Libav {
  Log: Log
  FFmpegError: { strerror(code: number): string }
  Dictionary: new () => Dictionary
  Option: { set(context: CodecContext, name: string, value: string, flags: number): number }
  IOContext: new () => InputFile
  InputFormat: { findInputFormat(name: string): object | null }
  FormatContext: new () => Container
  Codec: { findDecoder(id: number): Codec | null; findEncoderByName(name: string): Codec | null }
  CodecContext: new () => CodecContext
  Packet: new () => Packet
  Frame: new () => Frame
  Filter: { getByName(name: string): object | null }
  FilterGraph: new () => FilterGraph
}

export interface Log {
  setLevel(level: number): void
}

interface Rational {
  num: number
  den: number
}

interface Dictionary extends Disposable {
  alloc(): void
  set(key: string, value: string, flags: number): number
}

interface InputFile {
  open2Sync(url: string, flags: number): number
  closepSync(): number
}

export interface Container {
  readonly streams: Stream[] | null
  pb: InputFile
  allocContext(): void
  openInputSync(url: string, format: object, options: Dictionary): number
  closeInputSync(): void
  seekFrameSync(streamIndex: number, timestamp: bigint, flags: number): number
  readFrameSync(packet: Packet): number
}

export interface Stream {
  readonly index: number
  readonly codecpar: CodecParameters
  readonly timeBase: Rational
  readonly startTime: bigint
  readonly disposition: number
  discard: number
}

interface CodecParameters {
  readonly codecType: number
  readonly codecId: number
  getCodedSideData(type: number): Buffer | null
}

interface Codec {
  readonly name: string | null
}

export interface CodecContext extends Disposable {
  width: number
  height: number
  pixelFormat: number
  colorRange: number
  timeBase: Rational
  pktTimebase: Rational
  flags: number
  globalQuality: number
  threadCount: number
  allocContext3(codec: Codec): void
  parametersToContext(parameters: CodecParameters): number
  /** Never with options: node-av frees the dictionary twice. */
  open2Sync(codec: Codec, options: null): number
  sendPacketSync(packet: Packet | null): number
  receiveFrameSync(frame: Frame): number
  sendFrameSync(frame: Frame | null): number
  receivePacketSync(packet: Packet): number
}

export interface Packet extends Disposable {
  readonly streamIndex: number
  readonly pts: bigint
  readonly data: Buffer | null
  alloc(): void
  unref(): void
}

export interface Frame extends Disposable {
  readonly width: number
  readonly height: number
  readonly format: number
  readonly colorSpace: number
  readonly colorRange: number
  readonly bestEffortTimestamp: bigint
  pts: bigint
  quality: number
  pictType: number
  alloc(): void
  unref(): void
}

interface FilterGraph extends Disposable {
  nbThreads: number
  alloc(): void
  createFilter(filter: object, name: string, options: string | null): FilterContext | null
  configSync(): number
}

export interface FilterContext {
  link(outputPad: number, next: FilterContext, inputPad: number): number
  buffersrcAddFrameSync(frame: Frame | null, flags: number): number
  buffersinkGetFrameSync(frame: Frame): number
}

const QUIET = -8

/** For child processes only: the library parses untrusted files. */
export const loadLibav = (path: string): Libav => loadNative<Libav>(path)

/** Loads the native module; `T` describes the part of it that is used. */
export function loadNative<T extends { Log: Log }>(path: string): T {
  const native: T = createRequire(import.meta.url)(path)
  native.Log.setLevel(QUIET)
  return native
}

/** FFmpeg's libraries return a negative number on failure. */
export function checked(libav: Libav, step: string, code: number): void {
  if (code < 0) throw new Error(`${step}: ${libav.FFmpegError.strerror(code)}`)
}

/** Throws if this build of FFmpeg lacks a part. */
export function present<T>(thing: T | null, name: string): T {
  if (thing === null) throw new Error(`This build of FFmpeg has no ${name}.`)
  return thing
}

export function dictionaryOf(libav: Libav, options: Record<string, string | number>): Dictionary {
  const dictionary = new libav.Dictionary()
  dictionary.alloc()
  for (const [name, value] of Object.entries(options)) dictionary.set(name, String(value), 0)
  return dictionary
}

/** Replaces the options of `open2Sync`. Throws if this build does not know an option. */
export function setOptions(
  libav: Libav,
  context: CodecContext,
  options: Record<string, string | number>,
): void {
  for (const [name, value] of Object.entries(options))
    checked(libav, name, libav.Option.set(context, name, String(value), 0))
}

/** Allocates an object in native memory, which is freed when the stack is disposed. */
export function allocated<T extends Disposable & { alloc(): void }>(
  stack: DisposableStack,
  kind: new () => T,
): T {
  const thing = stack.use(new kind())
  thing.alloc()
  return thing
}
