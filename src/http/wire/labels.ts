import { type Static, Type } from 'typebox'
import { broken, type Fault, faultsIf } from '../../lib/faults.ts'
import {
  type Category,
  type CountedCategory,
  type CountedTag,
  longestTag,
  tagFault,
  tagForm,
  tagNameOf,
} from '../../media/index.ts'
import type { LooseBody } from '../endpoint.ts'
import { FilledText, givenFaults, Text } from '../fields.ts'
import { Closed, orNull } from './common.ts'

const fileCount = Type.Integer({ description: 'How many of its files the caller may list' })

export const TagObject = Type.Object({
  name: Type.String({ description: 'The tag' }),
  file_count: fileCount,
})

export const writeTag = ({ name, files }: CountedTag) => ({ name, file_count: files })

/** A tag as it is sent; `tagFault` knows the rest. */
export const TagText = (description: string) =>
  Text({
    least: 1,
    most: longestTag,
    description,
    pattern: tagForm,
    rule: broken('blankOrTagCharacters'),
  })

export const TagEditBody = Type.Object(
  { name: TagText(`The new name, 1 to ${longestTag} characters without commas and control characters`) },
  Closed,
)

export function tagEditFaults({ name }: LooseBody): Fault[] {
  return faultsIf('name', typeof name === 'string' ? tagFault(name) : undefined)
}

export const readTagName = (body: unknown): string => tagNameOf((body as Static<typeof TagEditBody>).name)

export const CategoryObject = Type.Object({
  id: Type.Integer({ description: 'Names the category in addresses' }),
  name: Type.String({ description: '1 to 32 characters' }),
  url_key: Type.String({ description: 'The name in addresses of pages; it does not change with the name' }),
  description: orNull(Type.String(), 'At most 1000 characters'),
  file_count: fileCount,
})

export const writeCategory = (category: CountedCategory | Category) => ({
  id: category.id,
  name: category.name,
  url_key: category.urlKey,
  description: category.description ?? null,
  file_count: 'files' in category ? category.files : 0,
})

const Name = FilledText({ most: 32, description: '1 to 32 characters' })
const DescriptionText = Type.Optional(
  orNull(Text({ most: 1_000, description: 'A text' }), 'At most 1000 characters'),
)

export const NewCategoryBody = Type.Object({ name: Name, description: DescriptionText }, Closed)

export const CategoryEditBody = Type.Object(
  { name: Type.Optional(Name), description: DescriptionText },
  { ...Closed, minProperties: 1 },
)

/** For forms of pages. */
export const categoryFaults = (body: LooseBody): Fault[] => givenFaults(CategoryEditBody, body)

export function readNewCategory(body: unknown) {
  const { name, description } = body as Static<typeof NewCategoryBody>
  return { name, description: description || undefined }
}

/** An empty description is none. */
export function readCategoryEdit(body: unknown) {
  const { name, description } = body as Static<typeof CategoryEditBody>
  return { name, description: description === '' ? null : description }
}
