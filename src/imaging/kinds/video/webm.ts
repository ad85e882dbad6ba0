import {
  checkSegment,
  dateOfSegment,
  docTypeOf,
  endOfElements,
} from '../../../formats/containers/ebml-head.ts'
import type { VideoKind } from '../kind.ts'

export const webm: VideoKind<'webm'> = {
  type: 'video',
  name: 'webm',
  mime: 'video/webm',
  extensions: ['webm'],
  demuxer: 'matroska',
  parser: 'WEBM',

  matches: (head) => docTypeOf(head) === 'webm',
  verify: checkSegment,
  readableEnd: endOfElements,
  createdAt: dateOfSegment,
}
