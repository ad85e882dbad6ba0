import { kinds } from './index.ts'
import type { Kind, PictureKind, PictureKindName, VideoKind, VideoKindName } from './kind.ts'

export const isVideoKind = (kind: Kind): kind is VideoKind => kind.decodedBy === 'ffmpeg'

export function pictureKindNamed(name: PictureKindName): PictureKind {
  const kind = kinds.find((candidate) => candidate.name === name)
  if (kind === undefined || isVideoKind(kind)) throw new Error(`There is no kind ${name} of pictures.`)
  return kind
}

export function videoKindNamed(name: VideoKindName): VideoKind {
  const kind = kinds.find((candidate) => candidate.name === name)
  if (kind === undefined || !isVideoKind(kind)) throw new Error(`There is no kind ${name} of videos.`)
  return kind
}
