import type { IsoBox } from '../containers/iso-boxes.ts'
import { type BoxTree, walkBoxes } from './box-tree.ts'

/** One track of a movie, with the boxes that say what it is and where its samples lie. */
export interface Track {
  box: IsoBox
  /** What plays it: `vide`, `soun`, `text`, `meta`. */
  handler: string
  /** Names of the sample formats, from the sample descriptions. */
  formats: string[]
  /** Boxes of its sample table, and those around it, by name. */
  parts: Map<string, IsoBox[]>
}

export function readTracks(tree: BoxTree, movie: IsoBox): Track[] {
  const tracks: Track[] = []
  for (const { box, path } of walkBoxes(tree, movie)) {
    if (box.type === 'trak' && path.length === 1) {
      tracks.push({ box, handler: '', formats: [], parts: new Map() })
    }
    const track = path.length > 1 && path[1]?.type === 'trak' ? tracks.at(-1) : undefined
    if (track === undefined) continue
    addPart(track, box)
    if (box.type === 'hdlr' && path.at(-1)?.type === 'mdia' && box.end - box.dataAt >= 12) {
      track.handler = tree.bytes.toString('latin1', box.dataAt + 8, box.dataAt + 12)
    }
    if (box.type === 'stsd') track.formats.push(...formatsIn(tree.bytes, box))
  }
  return tracks
}

export const partOf = ({ parts }: Track, type: string) => parts.get(type)?.[0]

function addPart({ parts }: Track, box: IsoBox): void {
  const alike = parts.get(box.type)
  if (alike === undefined) parts.set(box.type, [box])
  else alike.push(box)
}

/** Sample descriptions are boxes, but nothing in them needs to be followed. */
function formatsIn(bytes: Buffer, { dataAt, end }: IsoBox): string[] {
  const formats: string[] = []
  for (let at = dataAt + 8; at + 8 <= end && formats.length < 64; ) {
    formats.push(bytes.toString('latin1', at + 4, at + 8))
    const size = bytes.readUInt32BE(at)
    if (size < 8) break
    at += size
  }
  return formats
}
