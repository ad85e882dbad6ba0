import type { IsoBox } from '../../containers/iso/boxes.ts'
import { type BoxTree, walkBoxes } from './box-tree.ts'

/** A track of a video, with the boxes that describe it and locate its samples. */
export interface Track {
  box: IsoBox
  /** Its media type: `vide`, `soun`, `text`, `meta`. */
  handler: string
  /** The types of its sample descriptions. */
  formats: string[]
  /** Its boxes by type, those of the sample table included. */
  parts: Map<string, IsoBox[]>
}

export function readTracks(tree: BoxTree, moov: IsoBox): Track[] {
  const tracks: Track[] = []
  for (const { box, path } of walkBoxes(tree, moov)) {
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
  const siblings = parts.get(box.type)
  if (siblings === undefined) parts.set(box.type, [box])
  else siblings.push(box)
}

/** Only the types of the sample descriptions are read, not their content. */
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
