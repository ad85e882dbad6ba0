import { type Static, Type } from 'typebox'
import {
  type Category,
  type CountedCategory,
  type CountedTag,
  tagFault,
  tagNameOf,
} from '../../../../media/index.ts'
import type { LooseBody } from '../../../endpoint.ts'
import { Closed, orNull } from '../common.ts'
import { textFaults } from '../text-faults.ts'

const fileCount = Type.Integer({ description: 'How many of its files the caller may list' })

export const TagObject = Type.Object({
  name: Type.String({ description: 'The tag' }),
  file_count: fileCount,
})

export const writeTag = ({ name, files }: CountedTag) => ({ name, file_count: files })

export const TagEditBody = Type.Object(
  {
    name: Type.String({
      description: 'The new name, 1 to 32 characters without commas and control characters',
    }),
  },
  Closed,
)

export function tagEditFaults({ name }: LooseBody): string[] {
  const fault = typeof name === 'string' ? tagFault(name) : undefined
  return fault === undefined ? [] : [`name: ${fault}`]
}

export const readTagName = (body: unknown): string => tagNameOf((body as Static<typeof TagEditBody>).name)

export const CategoryObject = Type.Object({
  id: Type.Integer({ description: 'Names the category in addresses' }),
  name: Type.String({ description: '1 to 32 characters' }),
  url_key: Type.String({ description: 'The name in addresses of pages; it stays when the name changes' }),
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

const Name = Type.String({ description: '1 to 32 characters' })
const DescriptionText = Type.Optional(orNull(Type.String(), 'At most 1000 characters'))

export const NewCategoryBody = Type.Object({ name: Name, description: DescriptionText }, Closed)

export const CategoryEditBody = Type.Object(
  { name: Type.Optional(Name), description: DescriptionText },
  { ...Closed, minProperties: 1 },
)

export function categoryFaults(body: LooseBody): string[] {
  const { name } = body
  const trimmed = typeof name === 'string' ? { ...body, name: name.trim() } : body
  return [
    ...textFaults(trimmed, 'name', { least: 1, most: 32 }),
    ...textFaults(body, 'description', { most: 1_000 }),
  ]
}

export function readNewCategory(body: unknown) {
  const { name, description } = body as Static<typeof NewCategoryBody>
  return { name, description: description || undefined }
}

/** An empty description is none. */
export function readCategoryEdit(body: unknown) {
  const { name, description } = body as Static<typeof CategoryEditBody>
  return { name, description: description === '' ? null : description }
}
