import { boxesIn, brandsOf } from '../containers/iso-boxes.ts'
import { creationOfMovie } from '../containers/movie-creation.ts'
import type { VideoKind } from './kind.ts'

/** What a film begins with that was written before there were brands. */
const FIRST_ATOMS = ['moov', 'mdat', 'wide']
/** Words that a text may have at this place too; then it does not begin with a zero. */
const SMALL_ATOMS = ['free', 'skip', 'pnot']

export const mov: VideoKind = {
  name: 'mov',
  mime: 'video/quicktime',
  extensions: ['mov', 'qt'],
  decodedBy: 'ffmpeg',
  demuxer: 'mov',

  matches: (head) => brandsOf(head)[0] === 'qt  ' || hasNoBrands(head),
  verify: (bytes) => void boxesIn(bytes, 0, bytes.size),
  createdAt: creationOfMovie,
}

function hasNoBrands(head: Buffer): boolean {
  const atom = head.toString('latin1', 4, 8)
  return FIRST_ATOMS.includes(atom) || (head[0] === 0 && SMALL_ATOMS.includes(atom))
}
