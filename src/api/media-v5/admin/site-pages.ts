import { Type } from 'typebox'
import { answerVersion, checkIfMatch, versionHeaders } from '../../../http/requests/conditions.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { PageOf } from '../../../http/wire/common.ts'
import {
  checkText,
  createPage,
  editPage,
  listPages,
  noSuchPage,
  type PageOfList,
  type PagePosition,
  readPage,
  removePage,
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
import { answerPage, pageParameters } from '../rules/pages.ts'
import {
  NewPageBody,
  ofPage,
  PageEditBody,
  PageOfListObject,
  pageFaults,
  readNewPage,
  readPageEdit,
  SitePageObject,
  writePageOfList,
  writeSitePage,
} from '../wire/admin/site-pages.ts'

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
