import type { Bytes } from '../containers/bytes.ts'
import { type BoxTree, freeBox, rootOf } from './box-tree.ts'
import { fragmentRanges } from './fragment-samples.ts'
import type { MovieLayout } from './movie-layout.ts'
import { namesPlace, showsCoordinates } from './place-names.ts'
import { type Range, sampleRanges } from './track-samples.ts'
import { readTracks, type Track } from './tracks.ts'
import type { Strip } from './user-boxes.ts'

/** Positions of GoPro, of Google's camera format, of Sony, DJI and Canon; told by format, as the handler differs. */
const RECORDS = new Set(['gpmd', 'camm', 'rtmd', 'djmd', 'dbgi', 'CTMD', 'fdsc', 'gps '])
const TEXTS = new Set(['text', 'sbtl', 'subt'])
const FEW_RANGES = 8
const LOOKED_AT_BYTES = 2048

/** Blanks tracks that record positions over time, and says where their samples lie. */
export function dropTracks(source: Bytes, layout: MovieLayout, tree: BoxTree, policy: Strip): Range[] {
  const tracks = readTracks(tree, rootOf(tree))
  const dropped = tracks.filter((track) => isDropped(source, tree, track, policy))
  const ranges = dropped.flatMap((track) => sampleRanges(tree, track))
  if (!layout.isFragmented) {
    for (const { box } of dropped) freeBox(tree, box)
    return ranges
  }
  // Fragments say of which track they are, so the track stays and says nothing.
  return [...ranges, ...fragmentRanges(source, layout, tree, dropped)]
}

function isDropped(source: Bytes, tree: BoxTree, track: Track, policy: Strip): boolean {
  if (track.formats.some((format) => RECORDS.has(format))) return true
  if (TEXTS.has(track.handler)) return showsPlace(source, tree, track)
  if (track.handler !== 'meta') return false
  // Apple's say by name what is in them: faces, moments of a live photo, or a location.
  const isNamed = track.formats.length > 0 && track.formats.every((format) => format === 'mebx')
  return policy === 'strip_all' || !isNamed || namesPlace(descriptionsOf(tree, track))
}

const descriptionsOf = ({ bytes }: BoxTree, { parts }: Track) =>
  (parts.get('stsd') ?? []).map(({ dataAt, end }) => bytes.toString('latin1', dataAt, end)).join()

/** Drones write their position into subtitles. */
function showsPlace(source: Bytes, tree: BoxTree, track: Track): boolean {
  return sampleRanges(tree, track, FEW_RANGES).some(({ start, end }) => {
    const length = Math.min(end, source.size, start + LOOKED_AT_BYTES) - start
    return length > 0 && showsCoordinates(source.read(start, length).toString('latin1'))
  })
}
