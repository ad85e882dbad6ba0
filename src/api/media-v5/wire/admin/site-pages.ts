import { type Static, Type } from 'typebox'
import type { LooseBody } from '../../../../http/endpoint.ts'
import { Text } from '../../../../http/fields.ts'
import { Closed, Timestamp, writeTime } from '../../../../http/wire/common.ts'
import { broken, type Fault, faultsIf } from '../../../../lib/faults.ts'
import {
  longestPageTitle,
  mostBodyBytes,
  mostSortOrder,
  type Page,
  type PageFields,
  type PageOfList,
  pageBodyFault,
  pageTitleFault,
  urlKeyFault,
  urlKeyForm,
} from '../../../../media/index.ts'

const fields = {
  url_key: Text({
    most: 64,
    description: 'Names the page in addresses: 1 to 64 of a-z 0-9 -',
    pattern: urlKeyForm,
    rule: broken('urlKey'),
  }),
  title: Text({
    least: 1,
    most: longestPageTitle,
    description: `1 to ${longestPageTitle} characters`,
    pattern: '^(?=[\\s\\S]*\\S)\\P{Cc}*$',
    rule: broken('blankOrControlCharacters'),
  }),
  body: Text({ most: mostBodyBytes, description: `Markdown, at most ${mostBodyBytes} bytes` }),
  is_visible: Type.Boolean({ description: 'Whether visitors may read it' }),
  sort_order: Type.Integer({
    minimum: -mostSortOrder,
    maximum: mostSortOrder,
    description: 'Its position in the list, lowest first',
  }),
}

const { body: _, ...listFields } = fields

const rest = {
  created_at: Timestamp('When the page was created'),
  updated_at: Timestamp('When it was last changed'),
  version: Type.Integer({ description: 'Increases with every change; the ETag' }),
}

const Id = Type.String({ description: 'The id' })

export const PageOfListObject = Type.Object({ id: Id, ...listFields, ...rest })
export const SitePageObject = Type.Object({ id: Id, ...fields, ...rest })

export const writePageOfList = (page: PageOfList) => ({
  id: page.id,
  url_key: page.urlKey,
  title: page.title,
  is_visible: page.isVisible,
  sort_order: page.sortOrder,
  created_at: writeTime(page.createdAt),
  updated_at: writeTime(page.updatedAt),
  version: page.version,
})

export const writeSitePage = (page: Page) => ({ ...writePageOfList(page), body: page.body })

export const NewPageBody = Type.Object(
  {
    url_key: fields.url_key,
    title: fields.title,
    body: fields.body,
    is_visible: Type.Optional(fields.is_visible),
    sort_order: Type.Optional(fields.sort_order),
  },
  Closed,
)

export const PageEditBody = Type.Object(
  {
    url_key: Type.Optional(fields.url_key),
    title: Type.Optional(fields.title),
    body: Type.Optional(fields.body),
    is_visible: Type.Optional(fields.is_visible),
    sort_order: Type.Optional(fields.sort_order),
  },
  { ...Closed, minProperties: 1 },
)

const rules = { url_key: urlKeyFault, title: pageTitleFault, body: pageBodyFault }

export function pageFaults(body: LooseBody): Fault[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const text = body[name]
    return faultsIf(name, typeof text === 'string' ? rule(text) : undefined)
  })
}

export function readNewPage(body: unknown): PageFields {
  const page = body as Static<typeof NewPageBody>
  const { is_visible: isVisible = true, sort_order: sortOrder = 0 } = page
  return { urlKey: page.url_key, title: page.title, body: page.body, isVisible, sortOrder }
}

export function readPageEdit(body: unknown): Partial<PageFields> {
  const edit = body as Static<typeof PageEditBody>
  return {
    ...(edit.url_key !== undefined && { urlKey: edit.url_key }),
    ...(edit.title !== undefined && { title: edit.title }),
    ...(edit.body !== undefined && { body: edit.body }),
    ...(edit.is_visible !== undefined && { isVisible: edit.is_visible }),
    ...(edit.sort_order !== undefined && { sortOrder: edit.sort_order }),
  }
}

export const ofPage = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', description: 'The id or the `url_key`' }),
})
