import { type Static, Type } from 'typebox'
import { albumSorts, type Privacy, passwordFault, privacies, type SeenAlbum } from '../../../media/index.ts'
import type { LooseBody } from '../../endpoint.ts'
import { Closed, orNull, Timestamp, writeTime } from './common.ts'
import { idFaults, textFaults, wordFaults } from './text-faults.ts'

const words = (list: readonly string[]) => list.map((word) => `\`${word}\``).join(', ')
const sortText = `How its files are ordered: ${words(albumSorts.filter((word) => !word.startsWith('-')))}; \`-\` in front turns it round`
const privacyText = `One of ${words(privacies)}; never more open than that of the parent album`

export const AlbumObject = Type.Object({
  id: Type.String({ description: 'Names the album in addresses' }),
  title: Type.String({ description: '1 to 100 characters' }),
  description: orNull(Type.String(), 'At most 5,000 characters'),
  privacy: Type.String({ description: privacyText }),
  parent_id: orNull(Type.String(), 'The album above it'),
  cover_file_id: orNull(Type.String(), 'The file that stands for it; null: the newest one'),
  sort: Type.String({ description: sortText }),
  file_count: Type.Integer({ description: 'Files in it that the caller sees' }),
  size: Type.Integer({ description: 'Bytes of these files' }),
  views: Type.Integer({ description: 'How often its page was seen' }),
  likes: Type.Integer({ description: 'How many users like it' }),
  is_liked: Type.Boolean({ description: 'Whether the caller likes it' }),
  user: Type.Object(
    { id: Type.String({ description: 'The id' }), username: Type.String({ description: 'The name' }) },
    { description: 'Its owner' },
  ),
  url: Type.String({ description: 'The address of its page' }),
  created_at: Timestamp('When it was made'),
  updated_at: Timestamp('When it was last edited'),
  version: Type.Integer({ description: 'Rises with every edit; it is the ETag' }),
})

export const writeAlbum =
  (urlOf: (album: SeenAlbum) => string) =>
  (album: SeenAlbum): Static<typeof AlbumObject> => ({
    ...{ id: album.id, title: album.title, description: album.description ?? null, privacy: album.privacy },
    ...{ parent_id: album.parentId ?? null, cover_file_id: album.coverFileId ?? null, sort: album.sort },
    ...{ file_count: album.fileCount, size: album.sizeBytes, views: album.views, likes: album.likes },
    is_liked: album.isLiked,
    user: { id: album.userId, username: album.username },
    url: urlOf(album),
    created_at: writeTime(album.createdAt) ?? '',
    updated_at: writeTime(album.updatedAt) ?? '',
    version: album.version,
  })

const fields = {
  description: Type.Optional(orNull(Type.String(), 'At most 5,000 characters; null: none')),
  privacy: Type.Optional(Type.String({ description: privacyText })),
  password: Type.Optional(
    Type.String({ description: '1 to 128 characters, for the privacy `password`; never shown' }),
  ),
  parent_id: Type.Optional(
    orNull(Type.String(), 'An album of the same user; null: none. At most eight levels'),
  ),
  sort: Type.Optional(orNull(Type.String(), `${sortText}; null: \`position\``)),
}

export const NewAlbumBody = Type.Object(
  { title: Type.String({ description: '1 to 100 characters' }), ...fields },
  Closed,
)

export const AlbumEditBody = Type.Object(
  {
    title: Type.Optional(Type.String({ description: '1 to 100 characters' })),
    ...fields,
    cover_file_id: Type.Optional(orNull(Type.String(), 'A file in the album or below it; null: the newest')),
  },
  { ...Closed, minProperties: 1 },
)

export const albumFaults = (body: LooseBody): string[] => [
  ...titleFaults(body),
  ...textFaults(body, 'description', { most: 5_000 }),
  ...wordFaults(body, 'privacy', privacies),
  ...passwordFaults(body),
  ...idFaults(body, 'parent_id'),
  ...idFaults(body, 'cover_file_id'),
  ...wordFaults(body, 'sort', albumSorts),
]

function titleFaults({ title }: LooseBody): string[] {
  return typeof title === 'string'
    ? textFaults({ title: title.trim() }, 'title', { least: 1, most: 100 })
    : []
}

export function passwordFaults({ password }: LooseBody): string[] {
  const fault = typeof password === 'string' ? passwordFault(password) : undefined
  return fault === undefined ? [] : [`password: ${fault}`]
}

export function readNewAlbum(body: unknown) {
  const { title, description, privacy, password, parent_id, sort } = body as Static<typeof NewAlbumBody>
  return {
    ...{ title, description: description ?? undefined, privacy: privacy as Privacy | undefined, password },
    ...{ parentId: parent_id ?? undefined, sort: sort ?? undefined },
  }
}

/** Undefined fields stay as they are; null clears one. */
export function readAlbumEdit(body: unknown) {
  const { title, description, privacy, password, parent_id, cover_file_id, sort } = body as Static<
    typeof AlbumEditBody
  >
  return {
    ...{ title, description, privacy: privacy as Privacy | undefined, password },
    ...{ parentId: parent_id, coverFileId: cover_file_id, sort },
  }
}

export const OrderBody = Type.Object(
  {
    ids: Type.Array(Type.String(), { description: 'Files of the album in their new order, at most 500' }),
    before: Type.Optional(orNull(Type.String(), 'The file before which they are put; null: at the end')),
  },
  Closed,
)

const mostOrdered = 500

export function orderFaults(body: LooseBody): string[] {
  const { ids } = body
  const before = idFaults(body, 'before')
  if (!Array.isArray(ids)) return before
  if (ids.length < 1 || ids.length > mostOrdered)
    return [`ids: must be 1 to ${mostOrdered} ids, not ${ids.length}`, ...before]
  const seen = new Set<unknown>()
  const faults = ids.flatMap((id: unknown, index) => {
    const isDoubled = seen.has(id)
    seen.add(id)
    if (isDoubled) return [`ids.${index}: is given twice`]
    return typeof id === 'string' && /^[A-Za-z0-9]{1,64}$/.test(id)
      ? []
      : [`ids.${index}: must be an id of letters and digits`]
  })
  const isAmongThem = typeof body.before === 'string' && ids.includes(body.before)
  return [...faults, ...(isAmongThem ? ['before: must not be one of ids'] : before)]
}

export function readOrder(body: unknown): { ids: readonly string[]; before: string | undefined } {
  const { ids, before } = body as Static<typeof OrderBody>
  return { ids, before: before ?? undefined }
}
