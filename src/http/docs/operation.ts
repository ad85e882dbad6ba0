import type { Access } from '../endpoint.ts'
import { type Html, html } from '../html.ts'
import { type Field, fieldsOf, resolved, typeOf } from './fields.ts'
import { breakable, folded, jsonBlock, prose, unfolded } from './html.ts'
import type { MediaType, OpenApi, Operation, Response } from './openapi-document.ts'
import { table } from './table.ts'

/** A call with the address and the method that make it. */
export interface Call extends Operation {
  method: string
  path: string
}

export function callsOf({ paths }: OpenApi): Call[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}

const accessTexts: Record<Access, Html> = {
  open: html`Open to everybody.`,
  local: html`<a href="#local">On the machine itself</a> only; no key.`,
  'local-key': html`<a href="#local">On the machine itself</a> only, with a <a href="#key">key</a>; no signature.`,
  'local-or-key': html`<a href="#local">On the machine itself</a>, or with a <a href="#key">key</a>; no signature.`,
  signed: html`<a href="#key">Key</a> and <a href="#signature">signature</a>.`,
}

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`

/** All that there is to know about one call. */
export function operationSection(description: OpenApi, call: Call): Html {
  return html`<section class="operation" id="${call.operationId}" aria-labelledby="${call.operationId}-name">
<h3 id="${call.operationId}-name"><a href="#${call.operationId}">${call.summary}</a></h3>
<p class="address">${methodBadge(call.method)} <code>${breakable(call.path)}</code></p>
${call.description === undefined ? undefined : html`<p>${prose(call.description)}</p>`}
<p class="access"><strong>Access:</strong> ${accessTexts[call['x-access']]}</p>
${parametersOf(description, call)}
${bodyOf(description, call)}
${answersOf(description, call)}
</section>`
}

function parametersOf(description: OpenApi, call: Call): Html | undefined {
  const fields = (call.parameters ?? []).flatMap((parameter) => {
    // Headers are the same for every signed call and are told once.
    if (!('name' in parameter) || parameter.in === 'header') return []
    const type = `${typeOf(description, parameter.schema)} in the ${parameter.in}`
    return [{ ...parameter, type, isRequired: parameter.required }]
  })
  if (fields.length === 0) return undefined
  return html`<h4>Parameters</h4>
${requestTable(`Parameters of “${call.summary}”`, fields)}`
}

function bodyOf(description: OpenApi, { requestBody, summary }: Call): Html | undefined {
  const { schema, example } = requestBody?.content['application/json'] ?? {}
  if (!requestBody || !schema) return undefined
  const isOneNeeded = resolved(description, schema).minProperties === 1
  const need = isOneNeeded ? 'at least one field' : requestBody.required ? undefined : 'may be left out'
  return html`<h4>Request body ${need && html`<small>${need}</small>`}</h4>
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

function answersOf(description: OpenApi, call: Call): Html {
  const answers = Object.entries(call.responses)
  const good = answers.filter(([status]) => Number(status) < 400)
  const refusals = answers.filter(([status]) => Number(status) >= 400)
  const rows = refusals.map(([status, { description: text }]) => [html`<code>${status}</code>`, prose(text)])
  return html`<h4>Answers</h4>
${good.map(([status, response]) => answerOf(description, call, status, response))}
${refusals.length === 0 ? undefined : table(`Refusals of “${call.summary}”`, ['Status', 'Refused because'], rows)}`
}

function answerOf(description: OpenApi, call: Call, status: string, response: Response): Html {
  const [type, media] = Object.entries(response.content ?? {})[0] ?? []
  const headers = Object.entries(response.headers ?? {}).map(
    ([name, { description: text }]) => html`<p>Header <code>${name}</code>: ${prose(text)}.</p>`,
  )
  return html`<p class="answer"><code class="status">${status}</code> ${prose(response.description)} ${
    type && html`<small>${type}</small>`
  }</p>
${headers}
${media && mediaOf(description, `${status} of “${call.summary}”`, media)}`
}

function mediaOf(description: OpenApi, name: string, { schema, example }: MediaType): Html {
  const fields = schema ? fieldsOf(description, schema) : []
  const summary = schema?.type === 'array' ? 'Fields of each item' : 'Fields of the answer'
  const rows = fields.map((field) => [
    html`<code>${breakable(field.name)}</code>`,
    html`${field.type}`,
    prose(field.description),
  ])
  return html`${rows.length === 0 ? undefined : folded(summary, table(`${summary} ${name}`, ['Name', 'Type', 'Description'], rows))}
${example === undefined ? undefined : folded('Example of the answer', jsonBlock(example))}`
}
