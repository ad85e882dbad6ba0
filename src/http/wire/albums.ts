import { type Static, Type } from 'typebox'
import type { Fault } from '../../lib/faults.ts'
import {
  albumSorts,
  longestAlbumText,
  longestPassword,
  type Privacy,
  privacies,
  type SeenAlbum,
} from '../../media/index.ts'
import type { LooseBody } from '../endpoint.ts'
import { Closed, FilledText, givenFaults, Id, orNull, Text, Timestamp, Word, writeTime } from '../fields.ts'

const words = (list: readonly string[]) => list.map((word) => `\`${word}\``).join(', ')
const sortText = `How its files are ordered: ${words(albumSorts.filter((word) => !word.startsWith('-')))}; \`-\` in front reverses it`
const privacyText = `One of ${words(privacies)}; never more open than that of the parent album`

export const AlbumObject = Type.Object({
  id: Type.String({ description: 'Names the album in addresses' }),
  title: Type.String({ description: '1 to 100 characters' }),
  description: orNull(Type.String(), 'At most 5,000 characters'),
  privacy: Word(privacies, privacyText),
  parent_id: orNull(Type.String(), 'The album above it'),
  cover_file_id: orNull(Type.String(), 'The cover file; null: the newest file'),
  sort: Type.String({ description: sortText }),
  file_count: Type.Integer({ description: 'Files in it that the caller sees' }),
  size: Type.Integer({ description: 'Bytes of these files' }),
  views: Type.Integer({ description: 'How often its page was viewed' }),
  likes: Type.Integer({ description: 'How many users like it' }),
  is_liked: Type.Boolean({ description: 'Whether the caller likes it' }),
  user: Type.Object(
    { id: Type.String({ description: 'The id' }), username: Type.String({ description: 'The name' }) },
    { description: 'Its owner' },
  ),
  url: Type.String({ description: 'The address of its page' }),
  created_at: Timestamp('When it was created'),
  updated_at: Timestamp('When it was last edited'),
  version: Type.Integer({ description: 'Rises with every edit; it is the ETag' }),
})

export const writeAlbum =
  (urlOf: (album: SeenAlbum) => string) =>
  (album: SeenAlbum): Static<typeof AlbumObject> => ({
    id: album.id,
    title: album.title,
    description: album.description ?? null,
    privacy: album.privacy,
    parent_id: album.parentId ?? null,
    cover_file_id: album.coverFileId ?? null,
    sort: album.sort,
    file_count: album.fileCount,
    size: album.sizeBytes,
    views: album.views,
    likes: album.likes,
    is_liked: album.isLiked,
    user: { id: album.userId, username: album.username },
    url: urlOf(album),
    created_at: writeTime(album.createdAt) ?? '',
    updated_at: writeTime(album.updatedAt) ?? '',
    version: album.version,
  })

/** The password of an album or a share. */
export const GuestPassword = (description: string) =>
  Text({
    least: 1,
    most: longestPassword,
    description: `${description}; 1 to ${longestPassword} characters, never shown`,
  })

const Title = FilledText({
  most: longestAlbumText.title,
  description: `1 to ${longestAlbumText.title} characters`,
})

const fields = {
  description: Type.Optional(
    orNull(
      Text({ most: longestAlbumText.description, description: 'A text' }),
      'At most 5,000 characters; null: none',
    ),
  ),
  privacy: Type.Optional(Word(privacies, privacyText)),
  password: Type.Optional(GuestPassword('For the privacy `password`, which needs one')),
  parent_id: Type.Optional(
    orNull(Id('An album'), 'An album of the same user; null: none. At most eight levels'),
  ),
  sort: Type.Optional(orNull(Word(albumSorts, 'An order'), `${sortText}; null: \`position\``)),
}

export const NewAlbumBody = Type.Object({ title: Title, ...fields }, Closed)

export const AlbumEditBody = Type.Object(
  {
    title: Type.Optional(Title),
    ...fields,
    cover_file_id: Type.Optional(orNull(Id('A file'), 'A file in the album or below it; null: the newest')),
  },
  { ...Closed, minProperties: 1 },
)

export function readNewAlbum(body: unknown) {
  const { title, description, privacy, password, parent_id, sort } = body as Static<typeof NewAlbumBody>
  return {
    title,
    description: description ?? undefined,
    privacy: privacy as Privacy | undefined,
    password,
    parentId: parent_id ?? undefined,
    sort: sort ?? undefined,
  }
}

/** Undefined fields stay as they are; null clears one. */
export function readAlbumEdit(body: unknown) {
  const { title, description, privacy, password, parent_id, cover_file_id, sort } = body as Static<
    typeof AlbumEditBody
  >
  return {
    title,
    description,
    privacy: privacy as Privacy | undefined,
    password,
    parentId: parent_id,
    coverFileId: cover_file_id,
    sort,
  }
}

/** For forms of pages. */
export const albumFaults = (body: LooseBody): Fault[] => givenFaults(AlbumEditBody, body)
