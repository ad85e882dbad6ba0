import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FrameJob, TakenFrame } from '../../children/job.ts'
import { noPictures, notDecodable } from '../../errors.ts'
import { kindsByName } from '../../kinds/index.ts'
import { DECODERS, JPEG_QUALITY, pictureFilters, pixelLimit } from '../frame-rules.ts'
import {
  allocated,
  type CodecContext,
  type Container,
  checked,
  dictionaryOf,
  type FilterContext,
  type Frame,
  type Libav,
  loadLibav,
  present,
  type Stream,
  setOptions,
} from './libav.ts'

// Constants of FFmpeg's headers, which are part of its ABI.
const READ_ONLY = 1
const VIDEO = 0
const COVER = 0x400 | 0x800
const DISCARD_ALL = 48
const SEEK_BACKWARD = 1
const DISPLAY_MATRIX = 5
const NO_TIME = -(2n ** 63n)
const MICROSECONDS = 1_000_000

/**
 * One attempt to decode a frame with FFmpeg's libraries and to write it as a JPEG in full size. Runs in a child process only: a
 * faulty codec may crash the process, and the server kills it at its limits of time and memory.
 */
export function decodeFrame(job: FrameJob): TakenFrame {
  const libav = loadLibav(job.library)
  using stack = new DisposableStack()
  const container = openContainer(libav, job, stack)
  const stream = firstVideoStream(container)
  const frame = findFrame(
    libav,
    { container, stream, decoder: openDecoder(libav, stream, job, stack) },
    job,
    stack,
  )
  const filters = [
    ...uprightFilters(stream.codecpar.getCodedSideData(DISPLAY_MATRIX)),
    ...pictureFilters(job.video),
  ]
  const picture = filtered(libav, frame, filters, stack)
  const framePath = join(job.outputFolder, 'frame.jpeg')
  writeFileSync(framePath, encodeJpeg(libav, picture, stack))
  return { path: framePath }
}

/** The file is opened here and passed as a descriptor; all protocols are off, so a container cannot open another file or URL. */
function openContainer(libav: Libav, { path, kind }: FrameJob, stack: DisposableStack): Container {
  const { demuxer } = kindsByName[kind]
  const file = new libav.IOContext()
  checked(libav, 'open', file.open2Sync(`file:${path}`, READ_ONLY))
  stack.defer(() => file.closepSync())
  const container = new libav.FormatContext()
  container.allocContext()
  stack.defer(() => container.closeInputSync())
  container.pb = file
  const format = present(libav.InputFormat.findInputFormat(demuxer), `demuxer ${demuxer}`)
  using options = dictionaryOf(libav, {
    protocol_whitelist: 'none',
    format_whitelist: demuxer,
    codec_whitelist: DECODERS.join(','),
  })
  checked(libav, 'read', container.openInputSync('', format, options))
  return container
}

/** The first video stream that is not a cover picture. */
function firstVideoStream({ streams }: Container): Stream {
  const all = streams ?? []
  const found = all.find(
    ({ codecpar, disposition }) => codecpar.codecType === VIDEO && (disposition & COVER) === 0,
  )
  if (found === undefined) throw noPictures()
  return found
}

function openDecoder(
  libav: Libav,
  { codecpar, timeBase }: Stream,
  job: FrameJob,
  stack: DisposableStack,
): CodecContext {
  const codec = libav.Codec.findDecoder(codecpar.codecId)
  if (codec?.name == null || !DECODERS.includes(codec.name))
    throw notDecodable(`its codec is ${codec?.name ?? codecpar.codecId}`)
  const decoder = stack.use(new libav.CodecContext())
  decoder.allocContext3(codec)
  checked(libav, 'parameters', decoder.parametersToContext(codecpar))
  decoder.pktTimebase = timeBase
  setOptions(libav, decoder, {
    threads: 1,
    max_pixels: pixelLimit(job.maxPixels),
    codec_whitelist: DECODERS.join(','),
  })
  checked(libav, 'decoder', decoder.open2Sync(codec, null))
  return decoder
}

interface Source {
  container: Container
  stream: Stream
  decoder: CodecContext
}

/** A packet that cannot be decoded is skipped, as players do. */
function findFrame(libav: Libav, source: Source, job: FrameJob, stack: DisposableStack): Frame {
  const { container, stream, decoder } = source
  const packet = allocated(stack, libav.Packet)
  const frame = allocated(stack, libav.Frame)
  const earliest = seek(libav, source, job, stack)
  for (let isOver = false; !isOver; ) {
    isOver = container.readFrameSync(packet) < 0
    if (isOver || packet.streamIndex === stream.index) decoder.sendPacketSync(isOver ? null : packet)
    packet.unref()
    while (decoder.receiveFrameSync(frame) >= 0) {
      if (!job.isExact || microsecondsOf(frame.bestEffortTimestamp, stream) >= earliest) return frame
      frame.unref()
    }
  }
  throw notDecodable(`there is no frame at ${job.atSeconds} seconds`)
}

/** Seeks to the key frame before the wanted time, and returns that time in microseconds of the container's clock. */
function seek(
  libav: Libav,
  { container, stream }: Source,
  { atSeconds }: FrameJob,
  stack: DisposableStack,
): number {
  if (atSeconds === 0) return Number.NEGATIVE_INFINITY
  const target = startOf(libav, container, stack) + Math.round(atSeconds * MICROSECONDS)
  for (const each of container.streams ?? []) if (each.index !== stream.index) each.discard = DISCARD_ALL
  // A container that cannot seek is read from its beginning.
  container.seekFrameSync(-1, BigInt(target), SEEK_BACKWARD)
  return target
}

/** The start of the earliest stream; a WebM does not store it, so it is taken from the first packet. */
function startOf(libav: Libav, container: Container, stack: DisposableStack): number {
  const streams = container.streams ?? []
  const withStart = streams.filter(({ startTime }) => startTime !== NO_TIME)
  if (withStart.length > 0)
    return Math.min(...withStart.map((stream) => microsecondsOf(stream.startTime, stream)))
  const packet = allocated(stack, libav.Packet)
  const first = container.readFrameSync(packet) < 0 ? undefined : streams[packet.streamIndex]
  return first === undefined || packet.pts === NO_TIME ? 0 : microsecondsOf(packet.pts, first)
}

const microsecondsOf = (time: bigint, { timeBase: { num, den } }: Stream) =>
  Math.round((Number(time) * MICROSECONDS * num) / den)

/** Passes one frame through a chain of filters, in this thread. */
function filtered(
  libav: Libav,
  frame: Frame,
  filters: readonly [name: string, options: string][],
  stack: DisposableStack,
): Frame {
  const graph = allocated(stack, libav.FilterGraph)
  graph.nbThreads = 1
  const { width, height, format, colorSpace, colorRange } = frame
  const size = `video_size=${width}x${height}:pixel_aspect=1/1:time_base=1/1000`
  const chain = [
    ['buffer', `${size}:pix_fmt=${format}:colorspace=${colorSpace}:range=${colorRange}`] as const,
    ...filters,
    ['buffersink', ''] as const,
  ].map(([name, options], index) => {
    const filter = present(libav.Filter.getByName(name), `filter ${name}`)
    return present(
      graph.createFilter(filter, `${name}${index}`, options === '' ? null : options),
      `filter ${name}=${options}`,
    )
  })
  for (const [index, each] of chain.entries()) {
    const next = chain[index + 1]
    if (next !== undefined) checked(libav, 'link', each.link(0, next, 0))
  }
  checked(libav, 'filters', graph.configSync())
  const [source, sink] = [chain.at(0), chain.at(-1)] as [FilterContext, FilterContext]
  checked(libav, 'filter', source.buffersrcAddFrameSync(frame, 0))
  checked(libav, 'filter', source.buffersrcAddFrameSync(null, 0))
  const result = allocated(stack, libav.Frame)
  checked(libav, 'filter', sink.buffersinkGetFrameSync(result))
  return result
}

/** Filters that rotate and mirror a decoded frame according to the container's display matrix; the program ffmpeg uses the same ones. */
function uprightFilters(matrix: Buffer | null): [name: string, options: string][] {
  if (matrix === null || matrix.length < 36) return []
  const entry = (index: number) => matrix.readInt32LE(index * 4)
  const degrees = degreesOf(entry)
  if (!Number.isFinite(degrees)) return []
  if (isNear(degrees, 90)) return [['transpose', entry(3) > 0 ? 'cclock_flip' : 'clock']]
  if (isNear(degrees, 270)) return [['transpose', entry(3) < 0 ? 'clock_flip' : 'cclock']]
  if (isNear(degrees, 180)) {
    return [...(entry(0) < 0 ? [HORIZONTAL] : []), ...(entry(4) < 0 ? [VERTICAL] : [])]
  }
  if (isNear(degrees, 0)) return entry(4) < 0 ? [VERTICAL] : []
  return [['rotate', String((degrees * Math.PI) / 180)]]
}

const HORIZONTAL: [string, string] = ['hflip', '']
const VERTICAL: [string, string] = ['vflip', '']

const isNear = (degrees: number, wanted: number) => Math.abs(degrees - wanted) < 1

/** Clockwise, from 0 to below 360; NaN for a degenerate matrix. */
function degreesOf(entry: (index: number) => number): number {
  const [across, down] = [Math.hypot(entry(0), entry(3)), Math.hypot(entry(1), entry(4))]
  const degrees = Math.round((Math.atan2(entry(1) / down, entry(0) / across) * 180) / Math.PI)
  return degrees - 360 * Math.floor((degrees + 0.9) / 360)
}

// Constants of FFmpeg's headers: AV_CODEC_FLAG_QSCALE, AV_CODEC_FLAG_BITEXACT, AVCOL_RANGE_JPEG, AV_PICTURE_TYPE_I, FF_QP2LAMBDA.
const FIXED_QUALITY = 0x2
const NO_VERSION_INSIDE = 0x80_0000
const FULL_RANGE = 2
const WHOLE_PICTURE = 1
const LAMBDA_PER_QUALITY = 118

function encodeJpeg(libav: Libav, frame: Frame, stack: DisposableStack): Buffer {
  const codec = present(libav.Codec.findEncoderByName('mjpeg'), 'encoder mjpeg')
  const encoder = stack.use(new libav.CodecContext())
  encoder.allocContext3(codec)
  Object.assign(encoder, {
    width: frame.width,
    height: frame.height,
    pixelFormat: frame.format,
    colorRange: FULL_RANGE,
    timeBase: { num: 1, den: 1 },
    threadCount: 1,
    flags: FIXED_QUALITY | NO_VERSION_INSIDE,
    globalQuality: JPEG_QUALITY * LAMBDA_PER_QUALITY,
  })
  checked(libav, 'JPEG', encoder.open2Sync(codec, null))
  Object.assign(frame, { pts: 0n, quality: encoder.globalQuality, pictType: WHOLE_PICTURE })
  checked(libav, 'JPEG', encoder.sendFrameSync(frame))
  checked(libav, 'JPEG', encoder.sendFrameSync(null))
  const packet = allocated(stack, libav.Packet)
  checked(libav, 'JPEG', encoder.receivePacketSync(packet))
  return present(packet.data, 'bytes in a JPEG')
}
