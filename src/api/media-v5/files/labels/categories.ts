import { type Static, Type } from 'typebox'
import { limitReached } from '../../../../accounts/index.ts'
import { Closed, FilledText, orNull, Text } from '../../../../http/fields.ts'
import { noProof } from '../../../../http/requests/proof-rule.ts'
import { answerPage, PageOf, pageParameters } from '../../../../http/wire/pages.ts'
import {
  type Category,
  type CountedCategory,
  categoryExists,
  categoryNotFound,
  createCategory,
  editCategory,
  listCategories,
  removeCategory,
} from '../../../../media/index.ts'
import { changeSite } from '../../../../tenants/index.ts'
import type { ChangingEndpoint, MediaCall, MediaEndpoint } from '../../media-endpoint.ts'
import {
  bodyRefusals,
  changeRefusals,
  noContent,
  onceRefusals,
  refusedAs,
  scopedRefusals,
} from '../../responses.ts'
import { userOf } from '../../rules/call-parts.ts'
import { changeOnce } from '../../rules/idempotency.ts'

export const fileCount = Type.Integer({ description: 'How many of its files the caller may list' })

export const CategoryObject = Type.Object({
  id: Type.Integer({ description: 'Names the category in addresses' }),
  name: Type.String({ description: '1 to 32 characters' }),
  url_key: Type.String({ description: 'The name in addresses of pages; it does not change with the name' }),
  description: orNull(Type.String(), 'At most 1000 characters'),
  file_count: fileCount,
})

const writeCategory = (category: CountedCategory | Category) => ({
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

const NewCategoryBody = Type.Object({ name: Name, description: DescriptionText }, Closed)

const CategoryEditBody = Type.Object(
  { name: Type.Optional(Name), description: DescriptionText },
  { ...Closed, minProperties: 1 },
)

function readNewCategory(body: unknown) {
  const { name, description } = body as Static<typeof NewCategoryBody>
  return { name, description: description || undefined }
}

/** An empty description is none. */
function readCategoryEdit(body: unknown) {
  const { name, description } = body as Static<typeof CategoryEditBody>
  return { name, description: description === '' ? null : description }
}

const unknownCategory = refusedAs('There is no such category.', categoryNotFound(7))
const ofNumber = Type.Object({
  id: Type.String({ pattern: '^[1-9][0-9]{0,9}$', description: 'The number of the category' }),
})

export const getCategories: MediaEndpoint = {
  tag: 'Categories',
  summary: 'List categories',
  description: 'Sorted by number, oldest first. The counts include only files that the caller can list.',
  access: 'visitor-read',
  query: Type.Object(pageParameters),
  responses: {
    200: { description: 'A page of categories.', schema: PageOf(CategoryObject) },
    ...scopedRefusals,
  },
  handle: (call) =>
    answerPage<CountedCategory, number>(call, {
      list: 'categories',
      sort: 'id',
      read: (page) => listCategories(call.site, call.caller, page),
      positionOf: ({ id }) => id,
      write: writeCategory,
    }),
}

export const postCategory: ChangingEndpoint = {
  tag: 'Categories',
  summary: 'Create a category',
  access: 'manage-categories',
  proof: noProof.moderation,
  body: NewCategoryBody,
  bodyExample: { name: 'Street art', description: 'Walls and what is on them' },
  responses: {
    201: { description: 'The category.', schema: CategoryObject },
    ...onceRefusals,
    403: refusedAs(
      'The site has reached its category limit, or the scope is missing.',
      limitReached('SERVICE_MAX_CATEGORIES', 10),
    ),
    409: refusedAs('The category already exists.', categoryExists('Street art')),
  },
  handle: (call) =>
    changeOnce(call, async (site) => {
      const category = await createCategory(site, readNewCategory(call.body), userOf(call))
      return { status: 201, body: writeCategory(category) }
    }),
}

export const patchCategory: ChangingEndpoint = {
  tag: 'Categories',
  summary: 'Change a category',
  description: 'Omitted fields keep their values; null clears the description. `url_key` cannot be changed.',
  access: 'manage-categories',
  proof: noProof.moderation,
  params: ofNumber,
  body: CategoryEditBody,
  bodyExample: { name: 'Murals' },
  responses: {
    200: { description: 'The category.', schema: CategoryObject },
    ...bodyRefusals,
    404: unknownCategory,
  },
  handle: async (call) => {
    const edit = { ...readCategoryEdit(call.body), id: numberOf(call) }
    const category = await changeSite(call.app.control, call.site, (site) =>
      editCategory(site, userOf(call), edit),
    )
    return { status: 200, body: writeCategory(category) }
  },
}

export const deleteCategory: ChangingEndpoint = {
  tag: 'Categories',
  summary: 'Delete a category',
  description: 'Its files are kept.',
  access: 'manage-categories',
  proof: noProof.moderation,
  params: ofNumber,
  responses: { 204: noContent, ...changeRefusals, 404: unknownCategory },
  handle: async (call) => {
    const id = numberOf(call)
    await changeSite(call.app.control, call.site, (site) => removeCategory(site, id, userOf(call)))
    return { status: 204 }
  },
}

/** A number of another form names nothing, and PostgreSQL refuses one of more than 31 bits. */
function numberOf({ params }: MediaCall): number {
  const id = /^[1-9]\d{0,9}$/.test(params.id ?? '') ? Number(params.id) : 0
  if (id === 0 || id > 2_147_483_647) throw categoryNotFound(0)
  return id
}
