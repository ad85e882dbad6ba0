import { boxesIn, brandsOf } from '../../../formats/containers/iso/boxes.ts'
import { creationOfVideo } from '../../../formats/containers/iso/creation-time.ts'
import type { VideoKind } from '../kind.ts'

/** First atoms of QuickTime files that were written before brands existed. */
const FIRST_ATOMS = ['moov', 'mdat', 'wide']
/** Plain words, which text may contain at this offset; a file with such an atom begins with a zero byte. */
const SMALL_ATOMS = ['free', 'skip', 'pnot']

export const mov: VideoKind<'mov'> = {
  type: 'video',
  name: 'mov',
  mime: 'video/quicktime',
  extensions: ['mov', 'qt'],
  demuxer: 'mov',
  parser: 'QTFF',

  matches: (head) => brandsOf(head)[0] === 'qt  ' || hasNoBrands(head),
  verify: (bytes) => void boxesIn(bytes, 0, bytes.size),
  createdAt: creationOfVideo,
}

function hasNoBrands(head: Buffer): boolean {
  const atom = head.toString('latin1', 4, 8)
  return FIRST_ATOMS.includes(atom) || (head[0] === 0 && SMALL_ATOMS.includes(atom))
}
