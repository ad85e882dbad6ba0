import type {
  DescribedAccess,
  MediaType,
  OpenApi,
  Operation,
  Response,
} from '../../http/openapi/openapi-document.ts'
import { type Html, html } from '../../lib/html.ts'
import { type Field, fieldsOf, resolved, typeOf } from './fields.ts'
import { breakable, folded, jsonBlock, prose, table, unfolded } from './html.ts'

/** A call with the address and the method that make it. */
export interface Call extends Operation {
  method: string
  path: string
}

/** A prefix makes the anchors of a second document differ from those of the first. */
export function callsOf({ paths }: OpenApi, prefix = ''): Call[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      operationId: prefix + operation.operationId,
      method: method.toUpperCase(),
      path,
    })),
  )
}

const accessTexts: Record<DescribedAccess, Html> = {
  open: html`Every caller.`,
  local: html`<a href="#local">On the machine itself</a> only; no key.`,
  'local-key': html`<a href="#local">On the machine itself</a> only, with a <a href="#key">key</a>; no signature.`,
  'local-or-key': html`<a href="#local">On the machine itself</a>, or with a <a href="#key">key</a>; no signature.`,
  signed: html`<a href="#key">Key</a> and <a href="#signature">signature</a>.`,
  anyone: html`Every caller.`,
  viewer: html`Every caller; the privacy of the file’s album decides what is shown.`,
  'album-password': html`Callers that send the password of the album.`,
  uploader: html`<a href="#upload-key">Upload key</a> of a user, or of guests where the site lets them upload.`,
  'link-token': html`Callers that know the secret token in the address.`,
  visitor: html`Every caller.`,
  'visitor-read': html`Every caller; no key of the scope <code>upload</code>.`,
  'guest-upload': html`Users with the scope <code>upload</code>, <code>write</code> or <code>admin</code>, and guests with the public key.`,
  'guest-or-share-upload': html`Users with the scope <code>upload</code>, <code>write</code> or <code>admin</code>, guests with the public key, and visitors with the pass of a share that allows uploads.`,
  upload: html`Users with the scope <code>upload</code>, <code>write</code> or <code>admin</code>.`,
  read: html`Users with the scope <code>read</code>, <code>write</code> or <code>admin</code>.`,
  write: html`Users with the scope <code>write</code> or <code>admin</code>.`,
  admin: html`Administrators and managers with the scope <code>admin</code>.`,
  'account-read': html`Users with the scope <code>read</code>, <code>write</code> or <code>admin</code>; no key of one album.`,
  'account-write': html`Users with the scope <code>write</code> or <code>admin</code>; no key of one album.`,
  staff: html`Administrators and managers with the scope <code>admin</code>; no key of one album.`,
  administrator: html`Administrators with the scope <code>admin</code>; no key of one album.`,
}

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`

/** The whole description of one call. */
export function operationSection(description: OpenApi, call: Call): Html {
  return html`<article class="operation" id="${call.operationId}" aria-labelledby="${call.operationId}-name">
<h3 id="${call.operationId}-name"><a href="#${call.operationId}">${call.summary}</a></h3>
<p class="address">${methodBadge(call.method)} <code>${breakable(call.path)}</code></p>
${call.description === undefined ? undefined : html`<p>${prose(call.description)}</p>`}
<p class="access"><strong>Access:</strong> ${accessTexts[call['x-access']]}</p>
${parametersOf(description, call)}
${bodyOf(description, call)}
${responsesOf(description, call)}
</article>`
}

function parametersOf(description: OpenApi, call: Call): Html | undefined {
  const fields = (call.parameters ?? []).flatMap((parameter) => {
    // Headers are the same for every signed call and are described once.
    if (!('name' in parameter) || parameter.in === 'header') return []
    const type = `${typeOf(description, parameter.schema)} in the ${parameter.in}`
    return [{ ...parameter, type, isRequired: parameter.required }]
  })
  if (fields.length === 0) return undefined
  return html`<h4>Parameters</h4>
${requestTable(`Parameters of “${call.summary}”`, fields)}`
}

function bodyOf(description: OpenApi, { requestBody, summary }: Call): Html | undefined {
  const types = Object.keys(requestBody?.content ?? {})
  const [{ schema } = {}] = Object.values(requestBody?.content ?? {})
  if (!requestBody || !schema) return undefined
  const { example } = requestBody.content['application/json'] ?? {}
  const isOneNeeded = resolved(description, schema).minProperties === 1
  const need = isOneNeeded ? 'at least one field' : requestBody.required ? undefined : 'may be left out'
  return html`<h4>Request body ${need && html`<small>${need}</small>`}</h4>
${types.join() === 'application/json' ? undefined : html`<p>As ${types.map((type) => html`<code>${type}</code>`)}</p>`}
${requestTable(`Fields of the body of “${summary}”`, fieldsOf(description, schema))}
${example === undefined ? undefined : unfolded('Example of a body', jsonBlock(example))}`
}

function requestTable(caption: string, fields: readonly Field[]): Html {
  const rows = fields.map(({ name, type, isRequired, description }) => [
    html`<code>${breakable(name)}</code>`,
    html`${type}`,
    isRequired ? html`<strong>required</strong>` : html`optional`,
    prose(description),
  ])
  return table(caption, ['Name', 'Type', 'Required', 'Description'], rows)
}

function responsesOf(description: OpenApi, call: Call): Html {
  const responses = Object.entries(call.responses)
  const good = responses.filter(([status]) => Number(status) < 400)
  const refusals = responses.filter(([status]) => Number(status) >= 400)
  const rows = refusals.map(([status, { description: text }]) => [html`<code>${status}</code>`, prose(text)])
  return html`<h4>Responses</h4>
${good.map(([status, response]) => responseSection(description, call, status, response))}
${refusals.length === 0 ? undefined : table(`Refusals of “${call.summary}”`, ['Status', 'Refused because'], rows)}`
}

function responseSection(description: OpenApi, call: Call, status: string, response: Response): Html {
  const [[type, media] = [], ...others] = Object.entries(response.content ?? {})
  // Headers of every response are described once.
  const headers = Object.entries(response.headers ?? {}).flatMap(([name, header]) =>
    'description' in header ? [html`<p>Header <code>${name}</code>: ${prose(header.description)}.</p>`] : [],
  )
  return html`<p class="response"><code class="status">${status}</code> ${prose(response.description)} ${
    type && html`<small>${type}</small>`
  }</p>
${others.map(([other, { schema }]) => html`<p>Or <code>${other}</code>: ${prose(schema?.description ?? '')}.</p>`)}
${headers}
${media && mediaOf(description, `${status} of “${call.summary}”`, media)}`
}

function mediaOf(description: OpenApi, name: string, { schema, example }: MediaType): Html {
  const fields = schema ? fieldsOf(description, schema) : []
  const summary = schema?.type === 'array' ? 'Fields of each item' : 'Fields of the response'
  const rows = fields.map((field) => [
    html`<code>${breakable(field.name)}</code>`,
    html`${field.type}`,
    prose(field.description),
  ])
  return html`${rows.length === 0 ? undefined : folded(summary, table(`${summary} ${name}`, ['Name', 'Type', 'Description'], rows))}
${example === undefined ? undefined : folded('Example of the response', jsonBlock(example))}`
}
