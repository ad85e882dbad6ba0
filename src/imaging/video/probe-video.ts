import type { Input, InputVideoTrack } from 'mediabunny'
import { type Bytes, openBytes } from '../../formats/containers/bytes.ts'
import type { ProbeJob, Video } from '../children/job.ts'
import {
  frameTooLarge,
  noDuration,
  noPictures,
  notDecodable,
  sideTooLong,
  tooLong,
  tooManyStreams,
} from '../errors.ts'
import { kinds, kindsByName } from '../kinds/index.ts'
import type { VideoKind } from '../kinds/kind.ts'

const MAX_SECONDS = 6 * 60 * 60
const MAX_STREAMS = 64
const MAX_SIDE = 65_535

/** Reads size, duration and time from the container, and decodes nothing. Runs in a child process only. */
export async function probeVideo({ path, kind: name, maxPixels }: ProbeJob): Promise<Video> {
  using bytes = openBytes(path)
  const kind = kindsByName[name]
  kind.verify?.(bytes)
  using input = await openInput(bytes, kind.readableEnd?.(bytes) ?? bytes.size)
  const track = await firstVideoTrack(input)
  const size = { width: await track.getDisplayWidth(), height: await track.getDisplayHeight() }
  const coded = { width: await track.getCodedWidth(), height: await track.getCodedHeight() }
  for (const each of [size, coded]) checkSize(each, maxPixels)
  await checkLastPacket(track)
  return { ...size, durationSeconds: await durationOf(input), takenAt: takenAt(kind, bytes) }
}

/** Mediabunny is imported at the first video: most files are pictures, and decoders start faster without it. */
async function openInput(bytes: Bytes, end: number): Promise<Input> {
  const mediabunny = await import('mediabunny')
  const formats = kinds.flatMap((kind) => (kind.type === 'video' ? [mediabunny[kind.parser]] : []))
  const source = new mediabunny.CustomSource({
    getSize: () => end,
    // A copy: Mediabunny keeps the array, and our buffer is reused.
    read: (start, end) => Uint8Array.from(bytes.read(start, end - start)),
    prefetchProfile: 'fileSystem',
  })
  return new mediabunny.Input({ source, formats })
}

/** FFmpeg's `0:V:0` selects this track too. */
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

/** A truncated file may have an index that lists packets which are missing. */
async function checkLastPacket(track: InputVideoTrack): Promise<void> {
  const { EncodedPacketSink } = await import('mediabunny')
  const packet = await new EncodedPacketSink(track).getPacket(Number.POSITIVE_INFINITY)
  if (packet === null || packet.data.length === 0) throw notDecodable('the video track has no packets')
}

/** Computed from the packets, because a header can claim any duration. */
async function durationOf(input: Input): Promise<number> {
  const start = Math.max(0, await input.getFirstTimestamp())
  const seconds = (await input.computeDuration()) - start
  if (!Number.isFinite(seconds) || seconds <= 0) throw noDuration(seconds)
  if (seconds > MAX_SECONDS) throw tooLong(seconds, MAX_SECONDS)
  return seconds
}

const EARLIEST = Date.UTC(1980, 0, 1)
const DAY_MS = 86_400_000

/** In UTC. Dates before 1980 come from clocks that were never set; dates in the future are wrong too. */
function takenAt(kind: VideoKind, bytes: Bytes): string | undefined {
  const time = kind.createdAt?.(bytes)?.getTime() ?? Number.NaN
  const isPlausible = time >= EARLIEST && time <= Date.now() + DAY_MS
  return isPlausible ? new Date(time).toISOString() : undefined
}
