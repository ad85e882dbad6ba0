import { checkSegment, dateOfSegment, docTypeOf, endOfElements } from '../containers/ebml-head.ts'
import type { VideoKind } from './kind.ts'

export const webm: VideoKind = {
  name: 'webm',
  mime: 'video/webm',
  extensions: ['webm'],
  decodedBy: 'ffmpeg',
  demuxer: 'matroska',

  matches: (head) => docTypeOf(head) === 'webm',
  verify: checkSegment,
  readableEnd: endOfElements,
  createdAt: dateOfSegment,
}
