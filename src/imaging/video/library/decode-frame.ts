import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FrameJob, TakenFrame } from '../../children/job.ts'
import { noPictures, notDecodable } from '../../errors.ts'
import { kindsByName } from '../../kinds/index.ts'
import { DECODERS, pictureFilters, pixelLimit } from '../frame-rules.ts'
import { encodeJpeg } from './encode-jpeg.ts'
import {
  allocated,
  type CodecContext,
  type Container,
  checked,
  dictionaryOf,
  type Frame,
  type Libav,
  loadLibav,
  present,
  type Stream,
  setOptions,
} from './libav.ts'
import { filtered } from './run-filters.ts'
import { uprightFilters } from './upright-filters.ts'

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
