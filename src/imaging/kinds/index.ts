import { type Bytes, readHead } from '../../formats/containers/bytes.ts'
import { notMedia } from '../errors.ts'
import { bmp } from './bmp.ts'
import { gif } from './gif.ts'
import { avif, heic } from './heif/heif.ts'
import { jpeg } from './jpeg.ts'
import {
  HEAD_BYTES,
  type Kind,
  type KindSwitch,
  type PictureKind,
  type PictureKindName,
  type PictureViewer,
  type VideoKind,
  type VideoKindName,
} from './kind.ts'
import { png } from './png.ts'
import { svg } from './svg.ts'
import { tiff } from './tiff.ts'
import { mov, mp4, webm } from './video.ts'
import { webp } from './webp.ts'

type KindsByName = { readonly [Name in PictureKindName]: PictureKind<Name> } & {
  readonly [Name in VideoKindName]: VideoKind<Name>
}

/**
 * Every kind of file. The order counts: a file is of the first kind that matches. AVIF comes before HEIC because AVIF files
 * carry HEIC's general brands too.
 */
export const kindsByName: KindsByName = {
  jpeg,
  png,
  gif,
  webp,
  avif,
  heic,
  mp4,
  mov,
  webm,
  tiff,
  bmp,
  svg,
}

export const kinds: readonly Kind[] = Object.values(kindsByName)

/** The kind of a file, by its bytes. */
export function recognise(bytes: Bytes): Kind {
  const head = readHead(bytes, HEAD_BYTES)
  const kind = kinds.find((candidate) => candidate.matches(head))
  if (kind === undefined) throw notMedia('the magic numbers match no kind')
  return kind
}

/** The names of the picture kinds that these programs show. */
export const kindsShownIn = (viewer: PictureViewer): string[] =>
  kinds.filter((kind) => kind.type === 'image' && kind.shownIn.includes(viewer)).map(({ name }) => name)

/** A kind as a client needs it to choose files. */
export type AcceptedKind = Pick<Kind, 'name' | 'type' | 'mime' | 'extensions'>

/** The kinds that a site takes with these options. */
export const acceptedKinds = (options: Readonly<Record<KindSwitch, boolean>>): AcceptedKind[] =>
  kinds
    .filter((kind) => !('allowedBy' in kind) || kind.allowedBy === undefined || options[kind.allowedBy])
    .map(({ name, type, mime, extensions }) => ({ name, type, mime, extensions }))
