import type { Bytes } from '../../containers/bytes.ts'
import { isLocationField, showsCoordinates } from '../../metadata/location/video-fields.ts'
import { type BoxTree, freeBox, rootOf } from '../boxes/box-tree.ts'
import { fragmentRanges } from '../boxes/fragment-samples.ts'
import type { VideoLayout } from '../boxes/layout.ts'
import { mergeRanges, type Range, sampleRanges } from '../boxes/track-samples.ts'
import { readTracks, type Track } from '../boxes/tracks.ts'
import type { Strip } from './user-boxes.ts'

/** Sample formats with positions: GoPro, Google's camera format, Sony, DJI, Canon. Their handlers differ, so the format decides. */
const POSITION_FORMATS = new Set(['gpmd', 'camm', 'rtmd', 'djmd', 'dbgi', 'CTMD', 'fdsc', 'gps '])
const TEXT_HANDLERS = new Set(['text', 'sbtl', 'subt'])
/** How much of a subtitle track is searched for coordinates. */
const SEARCHED_RANGES = 8
const SEARCHED_BYTES = 2048
/** How much text of all subtitles is cleaned. */
const MAX_TEXT_BYTES = 16_777_216

/** Blanks tracks that record positions over time, and returns the byte ranges of their samples. */
export function dropTracks(source: Bytes, layout: VideoLayout, tree: BoxTree, policy: Strip): Range[] {
  const tracks = readTracks(tree, rootOf(tree))
  const dropped = tracks.filter((track) => isDropped(source, tree, track, policy))
  const ranges = dropped.flatMap((track) => sampleRanges(tree, track))
  if (!layout.isFragmented) {
    for (const { box } of dropped) freeBox(tree, box)
    return ranges
  }
  // Fragments refer to their track by id, so the track stays and only its samples are blanked.
  return [...ranges, ...fragmentRanges(source, layout, tree, dropped)]
}

function isDropped(source: Bytes, tree: BoxTree, track: Track, policy: Strip): boolean {
  if (track.formats.some((format) => POSITION_FORMATS.has(format))) return true
  if (TEXT_HANDLERS.has(track.handler)) return hasCoordinates(source, tree, track)
  if (track.handler !== 'meta') return false
  // Apple's tracks (mebx) name their content: faces, the moment of a live photo, or a location.
  const isNamed = track.formats.length > 0 && track.formats.every((format) => format === 'mebx')
  return policy === 'strip_all' || !isNamed || isLocationField(descriptionsOf(tree, track))
}

/** The samples of subtitles and chapters that stay, as far as they can be searched. */
export function textSamples(source: Bytes, layout: VideoLayout, tree: BoxTree): Range[] {
  const tracks = readTracks(tree, rootOf(tree)).filter(
    (track) => TEXT_HANDLERS.has(track.handler) && !isDropped(source, tree, track, 'strip_location'),
  )
  const ranges = [
    ...tracks.flatMap((track) => sampleRanges(tree, track)),
    ...(layout.isFragmented && tracks.length > 0 ? fragmentRanges(source, layout, tree, tracks) : []),
  ]
  let remaining = MAX_TEXT_BYTES
  return mergeRanges(ranges).filter(({ start, end }) => {
    remaining -= end - start
    return remaining >= 0 && end <= source.size
  })
}

const descriptionsOf = ({ bytes }: BoxTree, { parts }: Track) =>
  (parts.get('stsd') ?? []).map(({ dataAt, end }) => bytes.toString('latin1', dataAt, end)).join()

/** Drones write their position into subtitles. */
function hasCoordinates(source: Bytes, tree: BoxTree, track: Track): boolean {
  return sampleRanges(tree, track, SEARCHED_RANGES).some(({ start, end }) => {
    const length = Math.min(end, source.size, start + SEARCHED_BYTES) - start
    return length > 0 && showsCoordinates(source.read(start, length).toString('latin1'))
  })
}
