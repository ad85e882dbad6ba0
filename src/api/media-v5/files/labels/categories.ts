import { Type } from 'typebox'
import { limitReached } from '../../../../accounts/index.ts'
import { noProof } from '../../../../http/requests/proof-rule.ts'
import { PageOf } from '../../../../http/wire/common.ts'
import {
  CategoryEditBody,
  CategoryObject,
  categoryFaults,
  NewCategoryBody,
  readCategoryEdit,
  readNewCategory,
  writeCategory,
} from '../../../../http/wire/labels.ts'
import {
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
import { answerPage, pageParameters } from '../../rules/pages.ts'

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
  bodyFaults: categoryFaults,
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
  bodyFaults: categoryFaults,
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
