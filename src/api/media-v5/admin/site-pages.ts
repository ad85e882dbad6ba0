import { type Static, Type } from 'typebox'
import type { LooseBody } from '../../../http/endpoint.ts'
import { Closed, Text, Timestamp, writeTime } from '../../../http/fields.ts'
import { answerVersion, checkIfMatch, versionHeaders } from '../../../http/requests/conditions.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { answerPage, PageOf, pageParameters } from '../../../http/wire/pages.ts'
import { broken, type Fault, faultsIf } from '../../../lib/faults.ts'
import {
  checkText,
  createPage,
  editPage,
  listPages,
  longestPageTitle,
  mostBodyBytes,
  mostSortOrder,
  noSuchPage,
  type Page,
  type PageFields,
  type PageOfList,
  type PagePosition,
  pageBodyFault,
  pageTitleFault,
  readPage,
  removePage,
  urlKeyFault,
  urlKeyForm,
  urlKeyTaken,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaCall, MediaEndpoint } from '../media-endpoint.ts'
import {
  anyRefusals,
  bodyRefusals,
  changeRefusals,
  noContent,
  notModified,
  onceRefusals,
  refusedAs,
  versionRefusals,
} from '../responses.ts'
import { userOf } from '../rules/call-parts.ts'
import { prepareAndChangeOnce } from '../rules/idempotency.ts'

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

const PageOfListObject = Type.Object({ id: Id, ...listFields, ...rest })
export const SitePageObject = Type.Object({ id: Id, ...fields, ...rest })

const writePageOfList = (page: PageOfList) => ({
  id: page.id,
  url_key: page.urlKey,
  title: page.title,
  is_visible: page.isVisible,
  sort_order: page.sortOrder,
  created_at: writeTime(page.createdAt),
  updated_at: writeTime(page.updatedAt),
  version: page.version,
})

const writeSitePage = (page: Page) => ({ ...writePageOfList(page), body: page.body })

const NewPageBody = Type.Object(
  {
    url_key: fields.url_key,
    title: fields.title,
    body: fields.body,
    is_visible: Type.Optional(fields.is_visible),
    sort_order: Type.Optional(fields.sort_order),
  },
  Closed,
)

const PageEditBody = Type.Object(
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

function pageFaults(body: LooseBody): Fault[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const text = body[name]
    return faultsIf(name, typeof text === 'string' ? rule(text) : undefined)
  })
}

function readNewPage(body: unknown): PageFields {
  const page = body as Static<typeof NewPageBody>
  const { is_visible: isVisible = true, sort_order: sortOrder = 0 } = page
  return { urlKey: page.url_key, title: page.title, body: page.body, isVisible, sortOrder }
}

function readPageEdit(body: unknown): Partial<PageFields> {
  const edit = body as Static<typeof PageEditBody>
  return {
    ...(edit.url_key !== undefined && { urlKey: edit.url_key }),
    ...(edit.title !== undefined && { title: edit.title }),
    ...(edit.body !== undefined && { body: edit.body }),
    ...(edit.is_visible !== undefined && { isVisible: edit.is_visible }),
    ...(edit.sort_order !== undefined && { sortOrder: edit.sort_order }),
  }
}

const ofPage = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', description: 'The id or the `url_key`' }),
})

const unknownPage = refusedAs('The page does not exist, or the caller may not see it.', noSuchPage('imprint'))

export const getPages: MediaEndpoint = {
  tag: 'Site pages',
  summary: 'List the pages of the site',
  description: 'Sorted by `sort_order`, without their bodies. Only administrators see hidden pages.',
  access: 'visitor-read',
  query: Type.Object(pageParameters),
  responses: { 200: { description: 'A page of pages.', schema: PageOf(PageOfListObject) }, ...anyRefusals },
  handle: (call) =>
    answerPage<PageOfList, PagePosition>(call, {
      list: 'pages',
      sort: 'order',
      read: (page) => listPages(call.site, call.caller, page),
      positionOf: ({ id, sortOrder }) => ({ id, sortOrder }),
      write: writePageOfList,
    }),
}

export const postPage: ChangingEndpoint = {
  tag: 'Site pages',
  summary: 'Write a page',
  access: 'write-pages',
  proof: noProof.look,
  body: NewPageBody,
  bodyExample: { url_key: 'imprint', title: 'Imprint', body: '# Imprint\n\nAda, Street 1', sort_order: 10 },
  bodyFaults: pageFaults,
  responses: {
    201: {
      description: 'The page.',
      schema: SitePageObject,
      headers: { Location: 'The address of the page', ETag: 'The version' },
    },
    ...onceRefusals,
    409: refusedAs('The `url_key` is taken, or an equal request is running.', urlKeyTaken('imprint')),
  },
  handle: (call) =>
    prepareAndChangeOnce(call, checkedBody(call), async (site) => {
      const page = await createPage(site, userOf(call), readNewPage(call.body))
      const headers = { location: `/api/5/pages/${page.id}`, ...versionHeaders(page.version) }
      return { status: 201, body: writeSitePage(page), headers }
    }),
}

export const getPage: MediaEndpoint = {
  tag: 'Site pages',
  summary: 'Read a page',
  description: 'By its id or its `url_key`. Hidden pages are 404 except for administrators.',
  access: 'visitor-read',
  requestHeaders: ['IfNoneMatch'],
  params: ofPage,
  responses: {
    200: { description: 'The page.', schema: SitePageObject, headers: { ETag: 'The version' } },
    304: notModified,
    ...anyRefusals,
    404: unknownPage,
  },
  handle: async (call) => {
    const page = await readPage(call.site, call.caller, nameOf(call))
    return answerVersion(call, page.version, writeSitePage(page))
  },
}

export const patchPage: ChangingEndpoint = {
  tag: 'Site pages',
  summary: 'Change a page',
  description: 'Omitted fields keep their values.',
  access: 'write-pages',
  proof: noProof.look,
  requestHeaders: ['IfMatch'],
  params: ofPage,
  body: PageEditBody,
  bodyExample: { title: 'Legal notice', is_visible: false },
  bodyFaults: pageFaults,
  responses: {
    200: { description: 'The page.', schema: SitePageObject, headers: { ETag: 'The version' } },
    ...bodyRefusals,
    ...versionRefusals,
    404: unknownPage,
    409: refusedAs('The `url_key` is taken.', urlKeyTaken('imprint')),
  },
  handle: async (call) => {
    await checkedBody(call)()
    const change = { ...changeOf(call), edit: readPageEdit(call.body) }
    const page = await changeSite(call.app.control, call.site, (site) => editPage(site, userOf(call), change))
    return { status: 200, body: writeSitePage(page), headers: versionHeaders(page.version) }
  },
}

export const deletePage: ChangingEndpoint = {
  tag: 'Site pages',
  summary: 'Delete a page',
  access: 'write-pages',
  proof: noProof.look,
  requestHeaders: ['IfMatch'],
  params: ofPage,
  responses: { 204: noContent, ...changeRefusals, ...versionRefusals, 404: unknownPage },
  handle: async (call) => {
    const change = changeOf(call)
    await changeSite(call.app.control, call.site, (site) => removePage(site, userOf(call), change))
    return { status: 204 }
  },
}

/** Renders the text, outside of any transaction; one that takes too long is refused. */
const checkedBody = (call: MediaCall) => () => checkText(call.site, readPageEdit(call.body).body)

const changeOf = (call: MediaCall) => ({
  name: nameOf(call),
  checkVersion: (version: number) => checkIfMatch(call.request.headers, version),
})

/** A name of another form names nothing, and PostgreSQL refuses some characters (NUL). */
function nameOf({ params: { id = '' } }: MediaCall): string {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) throw noSuchPage(id.slice(0, 64))
  return id
}
