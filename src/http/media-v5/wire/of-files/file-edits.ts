import { type Static, Type } from 'typebox'
import { type FileEdit, fileTextFault, mostTagsGiven, tagFault, tagNameOf } from '../../../../media/index.ts'
import type { LooseBody } from '../../../endpoint.ts'
import { Closed, orNull, readTime } from '../common.ts'

const tagList = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

export const editFields = {
  title: Type.Optional(orNull(Type.String(), '1 to 100 characters')),
  description: Type.Optional(orNull(Type.String(), '1 to 5000 characters')),
  tags: Type.Optional(
    orNull(
      Type.Array(Type.String()),
      `All tags of the file, at most ${mostTagsGiven}, each of 1 to 32 characters without commas and control characters`,
    ),
  ),
  add_tags: tagList('Tags to add; not together with `tags`'),
  remove_tags: tagList('Tags to take off; not together with `tags`'),
  category_id: Type.Optional(orNull(Type.Integer(), 'A category of the site')),
  album_id: Type.Optional(
    orNull(Type.String(), 'Moves the file into this album of its owner; null: out of all'),
  ),
  is_nsfw: Type.Optional(Type.Boolean({ description: 'Shown behind a cover' })),
  is_private: Type.Optional(Type.Boolean({ description: 'Seen by its owner and administrators alone' })),
  expires_at: Type.Optional(orNull(Type.String(), 'When it expires, in the future; null: never')),
  date: Type.Optional(Type.String({ description: 'When the picture was taken; for administrators' })),
  rotate_address: Type.Optional(
    Type.Boolean({ description: 'True ends every signed address of its bytes that was given before' }),
  ),
}

export const FileEditBody = Type.Object(editFields, { ...Closed, minProperties: 1 })

type EditFields = Static<typeof FileEditBody>

const timeText = 'must be a time in UTC like 2027-01-31T12:00:00.000Z'

/** Rules of an edit's fields beyond their types. */
export function fileEditFaults(body: LooseBody): string[] {
  const { title, description, tags, category_id: categoryId, album_id: albumId } = body
  const line = (field: string, fault: string | undefined) =>
    fault === undefined ? [] : [`${field}: ${fault}`]
  const time = (field: 'expires_at' | 'date') => {
    const given = body[field]
    return typeof given === 'string' && !readTime(given) ? [`${field}: ${timeText}`] : []
  }
  const isTogether = Array.isArray(tags) && (body.add_tags !== undefined || body.remove_tags !== undefined)
  return [
    ...(typeof title === 'string' ? line('title', fileTextFault('title', title)) : []),
    ...(typeof description === 'string'
      ? line('description', fileTextFault('description', description))
      : []),
    ...tagListFaults(body),
    ...(isTogether ? ['tags: must not be given together with add_tags or remove_tags'] : []),
    ...(typeof categoryId === 'number' && (categoryId < 0 || categoryId > 2_147_483_647)
      ? ['category_id: must be a category of this site']
      : []),
    ...(typeof albumId === 'string' && !/^[A-Za-z0-9]{1,64}$/.test(albumId)
      ? ['album_id: must be an album of the owner of the file']
      : []),
    ...time('expires_at'),
    ...time('date'),
  ]
}

/** The limit holds for all lists of one body together; the list that reaches it is refused. */
function tagListFaults(body: LooseBody): string[] {
  let left = mostTagsGiven
  return (['tags', 'add_tags', 'remove_tags'] as const).flatMap((field) => {
    const list = body[field]
    if (!Array.isArray(list)) return []
    const most = Math.max(0, left)
    left -= list.length
    return left < 0
      ? [`${field}: must have at most ${most} entries, not ${list.length}`]
      : tagFaults(field, list)
  })
}

function tagFaults(field: string, list: readonly unknown[]): string[] {
  return list.flatMap((entry, index) => {
    const fault = typeof entry === 'string' ? tagFault(entry) : undefined
    return fault === undefined ? [] : [`${field}.${index}: ${fault}`]
  })
}

/** Undefined for a field that is left out, null for one that is cleared. */
export function readFileEdit(body: unknown): FileEdit {
  const fields = body as EditFields
  const { title, description, tags, category_id: categoryId, album_id: albumId } = fields
  const edit = {
    ...{ title, description, categoryId, albumId, isNsfw: fields.is_nsfw, isPrivate: fields.is_private },
    ...{ tags: tags === null ? [] : namesOf(tags), addTags: namesOf(fields.add_tags) },
    removeTags: namesOf(fields.remove_tags),
    expiresAt: fields.expires_at === null ? null : timeOf(fields.expires_at),
    date: timeOf(fields.date),
    rotatesAddress: fields.rotate_address,
  }
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined))
}

const namesOf = (tags: readonly string[] | undefined) => tags && [...new Set(tags.map(tagNameOf))]

const timeOf = (text: string | undefined) => (text === undefined ? undefined : readTime(text))
