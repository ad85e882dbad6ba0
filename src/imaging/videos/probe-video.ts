import type { Input, InputVideoTrack } from 'mediabunny'
import { type Bytes, openBytes } from '../containers/bytes.ts'
import {
  frameTooLarge,
  noDuration,
  noPictures,
  notDecodable,
  sideTooLong,
  tooLong,
  tooManyStreams,
} from '../errors.ts'
import type { ProbeJob, Video } from '../job.ts'
import { videoKindNamed } from '../kinds/find-kind.ts'
import type { VideoKind } from '../kinds/kind.ts'

const MAX_SECONDS = 6 * 60 * 60
const MAX_STREAMS = 64
const MAX_SIDE = 65_535

/** What the container tells, read piece by piece. Nothing is decoded. Runs in a child process only. */
export async function probeVideo({ path, kind: name, maxPixels }: ProbeJob): Promise<Video> {
  using bytes = openBytes(path)
  const kind = videoKindNamed(name)
  kind.verify?.(bytes)
  using input = await openInput(bytes, kind.readableEnd?.(bytes) ?? bytes.size)
  const track = await firstVideoTrack(input)
  const size = { width: await track.getDisplayWidth(), height: await track.getDisplayHeight() }
  const coded = { width: await track.getCodedWidth(), height: await track.getCodedHeight() }
  for (const each of [size, coded]) checkSize(each, maxPixels)
  await checkLastPacket(track)
  return { ...size, durationSeconds: await durationOf(input), takenAt: takenAt(kind, bytes) }
}

/** Loaded when the first video comes: most files are pictures. */
async function openInput(bytes: Bytes, end: number): Promise<Input> {
  const { CustomSource, Input, MP4, QTFF, WEBM } = await import('mediabunny')
  const source = new CustomSource({
    getSize: () => end,
    // A copy, because what is read from there is kept.
    read: (start, end) => Uint8Array.from(bytes.read(start, end - start)),
    prefetchProfile: 'fileSystem',
  })
  return new Input({ source, formats: [MP4, QTFF, WEBM] })
}

/** The one that ffmpeg takes too. */
async function firstVideoTrack(input: Input): Promise<InputVideoTrack> {
  const tracks = await input.getTracks()
  if (tracks.length > MAX_STREAMS) throw tooManyStreams(tracks.length, MAX_STREAMS)
  const track = tracks.find((each) => each.isVideoTrack())
  if (track === undefined) throw noPictures()
  return track
}

function checkSize({ width, height }: { width: number; height: number }, maxPixels: number): void {
  const isWhole = [width, height].every((side) => Number.isInteger(side) && side > 0)
  if (!isWhole) throw notDecodable(`its size is ${width} x ${height}`)
  if (Math.max(width, height) > MAX_SIDE) throw sideTooLong(Math.max(width, height), MAX_SIDE)
  if (width * height > maxPixels) throw frameTooLarge(width * height, maxPixels)
}

/** An index may tell of more than there is. */
async function checkLastPacket(track: InputVideoTrack): Promise<void> {
  const { EncodedPacketSink } = await import('mediabunny')
  const packet = await new EncodedPacketSink(track).getPacket(Number.POSITIVE_INFINITY)
  if (packet === null || packet.data.length === 0) throw notDecodable('there are no pictures in it')
}

/** From its packets: what a header claims need not be so. */
async function durationOf(input: Input): Promise<number> {
  const start = Math.max(0, await input.getFirstTimestamp())
  const seconds = (await input.computeDuration()) - start
  if (!Number.isFinite(seconds) || seconds <= 0) throw noDuration(seconds)
  if (seconds > MAX_SECONDS) throw tooLong(seconds, MAX_SECONDS)
  return seconds
}

const EARLIEST = Date.UTC(1980, 0, 1)
const DAY_MS = 86_400_000

/** In UTC. Clocks that were never set tell the beginning of their time, and some tell the future. */
function takenAt(kind: VideoKind, bytes: Bytes): string | undefined {
  const at = kind.createdAt?.(bytes)?.getTime() ?? Number.NaN
  const isSensible = at >= EARLIEST && at <= Date.now() + DAY_MS
  return isSensible ? new Date(at).toISOString() : undefined
}
