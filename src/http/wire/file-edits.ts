import { type Static, Type } from 'typebox'
import { broken, type Fault, faultOf, faultsIf } from '../../lib/faults.ts'
import {
  type FileEdit,
  longestFileText,
  longestTag,
  mostTagsGiven,
  tagFault,
  tagForm,
  tagNameOf,
} from '../../media/index.ts'
import type { LooseBody } from '../endpoint.ts'
import { Closed, Id, largestRowNumber, orNull, readTime, Text, Time, Whole } from '../fields.ts'

/** A tag as it is sent; `tagFault` knows the rest. */
export const TagText = (description: string) =>
  Text({
    least: 1,
    most: longestTag,
    description,
    pattern: tagForm,
    rule: broken('blankOrTagCharacters'),
  })

const Tags = (description: string) => Type.Array(TagText('A tag'), { maxItems: mostTagsGiven, description })

const FileText = (field: keyof typeof longestFileText) =>
  Text({ least: 1, most: longestFileText[field], description: 'A text' })

export const editFields = {
  title: Type.Optional(orNull(FileText('title'), `1 to ${longestFileText.title} characters`)),
  description: Type.Optional(
    orNull(FileText('description'), `1 to ${longestFileText.description} characters`),
  ),
  tags: Type.Optional(
    orNull(
      Tags('Tags'),
      `All tags of the file, at most ${mostTagsGiven}, each of 1 to ${longestTag} characters without commas and control characters`,
    ),
  ),
  add_tags: Type.Optional(Tags('Tags to add; not together with `tags`')),
  remove_tags: Type.Optional(
    Tags(`Tags to remove; not together with \`tags\`, and at most ${mostTagsGiven} with those to add`),
  ),
  category_id: Type.Optional(orNull(Whole(0, largestRowNumber, 'A category'), 'A category of the site')),
  album_id: Type.Optional(
    orNull(Id('An album'), 'Moves the file to this album of its owner; null: to no album'),
  ),
  is_nsfw: Type.Optional(Type.Boolean({ description: 'Sensitive content, covered on pages' })),
  is_private: Type.Optional(
    Type.Boolean({ description: 'Only the owner, administrators and managers can see it' }),
  ),
  expires_at: Type.Optional(orNull(Time('A time'), 'When it expires, in the future; null: never')),
  date: Type.Optional(Time('When the picture was taken; for administrators')),
  rotate_address: Type.Optional(
    Type.Boolean({ description: 'True invalidates every signed address of its bytes' }),
  ),
}

export const FileEditBody = Type.Object(editFields, { ...Closed, minProperties: 1 })

type EditFields = Static<typeof FileEditBody>

/** Rules of an edit's fields beyond their schema. */
export function fileEditFaults(body: LooseBody): Fault[] {
  const { tags, add_tags: added, remove_tags: removed } = body
  const isTogether = Array.isArray(tags) && (added !== undefined || removed !== undefined)
  return [...tagListFaults(body), ...(isTogether ? [faultOf('tags', 'tagsTogether')] : [])]
}

/** The limit holds for all lists of one body together; the list that reaches it is refused. */
function tagListFaults(body: LooseBody): Fault[] {
  let left = mostTagsGiven
  return (['tags', 'add_tags', 'remove_tags'] as const).flatMap((field) => {
    const list = body[field]
    if (!Array.isArray(list)) return []
    const most = Math.max(0, left)
    left -= list.length
    return left < 0 ? [faultOf(field, 'mostEntries', { most, count: list.length })] : tagFaults(field, list)
  })
}

function tagFaults(field: string, list: readonly unknown[]): Fault[] {
  return list.flatMap((entry, index) =>
    faultsIf(`${field}.${index}`, typeof entry === 'string' ? tagFault(entry) : undefined),
  )
}

/** Undefined for a field that is left out, null for one that is cleared. */
export function readFileEdit(body: unknown): FileEdit {
  const fields = body as EditFields
  const { title, description, tags, category_id: categoryId, album_id: albumId } = fields
  const edit = {
    title,
    description,
    categoryId,
    albumId,
    isNsfw: fields.is_nsfw,
    isPrivate: fields.is_private,
    tags: tags === null ? [] : namesOf(tags),
    addTags: namesOf(fields.add_tags),
    removeTags: namesOf(fields.remove_tags),
    expiresAt: fields.expires_at === null ? null : timeOf(fields.expires_at),
    date: timeOf(fields.date),
    rotatesAddress: fields.rotate_address,
  }
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined))
}

const namesOf = (tags: readonly string[] | undefined) => tags && [...new Set(tags.map(tagNameOf))]

const timeOf = (text: string | undefined) => (text === undefined ? undefined : readTime(text))
