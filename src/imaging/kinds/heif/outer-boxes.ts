import type { Bytes } from '../../../formats/containers/bytes.ts'
import type { Edit } from '../../../formats/containers/edits.ts'
import { type IsoBox, outerBoxes } from '../../../formats/containers/iso/boxes.ts'
import { zeros } from '../../../formats/video/blank-ranges.ts'
import { readTree } from '../../../formats/video/boxes/box-tree.ts'
import { readLayout } from '../../../formats/video/boxes/layout.ts'
import { stripHeader } from '../../../formats/video/strip/strip-video.ts'
import type { Strip } from '../../../formats/video/strip/user-boxes.ts'
import { trailerEdits } from '../trailer.ts'

/** Boxes that are needed to show the picture, or empty. All others describe it or contain the video of a motion photo. */
const NEEDED = new Set(['ftyp', 'styp', 'meta', 'mdat', 'moof', 'sidx', 'free', 'skip', 'mini'])
const FREE = Buffer.from('free', 'latin1')

/** Edits that keep the length, for boxes outside of `meta`: an image sequence, the video of a motion photo, vendors' own boxes. */
export function heifOuterEdits(bytes: Bytes, policy: Strip): Edit[] {
  const { boxes, tailAt } = outerBoxes(bytes)
  const others = boxes.filter(({ type }) => !NEEDED.has(type))
  const edits = others.flatMap((box) =>
    box.type === 'moov' ? sequenceEdits(bytes, box, policy) : otherEdits(bytes, box, policy),
  )
  const tail = { start: tailAt, end: bytes.size }
  return tailAt === bytes.size ? edits : [...edits, ...trailerEdits(bytes, tail, policy)]
}

function sequenceEdits(bytes: Bytes, box: IsoBox, policy: Strip): Edit[] {
  const tree = readTree(bytes, box)
  const samples = stripHeader(bytes, readLayout(bytes), tree, policy)
  return tree.isChanged ? [{ start: box.start, end: box.end, bytes: tree.bytes }, ...samples] : samples
}

function otherEdits(bytes: Bytes, { start, dataAt, end }: IsoBox, policy: Strip): Edit[] {
  if (policy === 'strip_location') return trailerEdits(bytes, { start: dataAt, end }, policy)
  return [{ start: start + 4, end: start + 8, bytes: FREE }, ...zeros({ start: dataAt, end })]
}
