import { statusTexts } from '../errors.ts'
import { type Html, html } from '../html.ts'
import { fieldsOf } from './fields.ts'
import { jsonBlock, prose } from './html.ts'
import type { OpenApi } from './openapi-document.ts'
import { callsOf } from './operation.ts'
import { table } from './table.ts'

/** What a status means wherever it is met. */
const meanings: Readonly<Record<number, string>> = {
  400: 'The request is not understood. Mend what `error.list` names.',
  401: 'The key or the signature is missing or not valid.',
  403: 'Not for this caller, or not from this address.',
  404: 'Nothing is there.',
  405: 'The address takes other methods; the header `Allow` names them.',
  409: 'Something else stands in the way.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  500: 'A fault of ours. The message tells a number of the incident that the log has too.',
  503: 'Try again after the seconds in `Retry-After`.',
  507: 'The disk is full.',
}

/** The one form of all errors. */
export function errorsSection(description: OpenApi): Html {
  const fields = fieldsOf(description, { $ref: '#/components/schemas/Error' })
  return html`<section aria-labelledby="errors">
<h2 id="errors"><a href="#errors">Errors</a></h2>
<p>Every refusal is a JSON object of one form, whatever the call. Decide by the status; show the message to people.</p>
${jsonBlock(exampleOf(description))}
${table(
  'Fields of an error',
  ['Name', 'Type', 'Description'],
  fields.map(({ name, type, description: text }) => [html`<code>${name}</code>`, html`${type}`, prose(text)]),
)}
<h3 id="statuses"><a href="#statuses">Statuses</a></h3>
${table(
  'Statuses of errors',
  ['Status', 'Name', 'Meaning'],
  Object.entries(meanings).map(([status, text]) => [
    html`<code>${status}</code>`,
    html`${statusTexts[Number(status)]}`,
    prose(text),
  ]),
)}
</section>`
}

function exampleOf(description: OpenApi): unknown {
  const refusals = callsOf(description).map(
    ({ responses }) => responses[400]?.content?.['application/json']?.example,
  )
  return refusals.find((example) => example !== undefined)
}
