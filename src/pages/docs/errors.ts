import type { OpenApi } from '../../http/openapi/openapi-document.ts'
import { statusTexts } from '../../http/responses/errors.ts'
import { problemCodes } from '../../http/responses/problem-codes.ts'
import { type Html, html } from '../../lib/html.ts'
import { fieldsOf } from './fields.ts'
import { jsonBlock, prose, table } from './html.ts'
import { callsOf } from './operation.ts'

/** What a status means for every call. */
const meanings: Readonly<Record<number, string>> = {
  400: 'The request is not understood. Correct what `error.list` names.',
  401: 'The key or the signature is missing or not valid.',
  403: 'The caller or the address is not allowed to do this.',
  404: 'The resource does not exist.',
  405: 'The address does not support this method; the header `Allow` lists those that it supports.',
  408: 'The body was sent too slowly.',
  409: 'There is a conflict with another record.',
  410: 'The resource has ended.',
  412: 'The version is not the one that `If-Match` names.',
  413: 'The body or the file is too large.',
  415: 'The body is of another content type.',
  422: 'The `Idempotency-Key` was sent with another request.',
  429: 'Too many requests from this address. Try again after the seconds in `Retry-After`.',
  500: 'A server error. The message has an incident number that is also in the log.',
  503: 'Try again after the seconds in `Retry-After`.',
  507: 'The disk is full.',
}

/** The envelope of all errors. */
export function errorsSection(description: OpenApi): Html {
  const fields = fieldsOf(description, { $ref: '#/components/schemas/Error' })
  return html`<section aria-labelledby="errors">
<h2 id="errors"><a href="#errors">Errors</a></h2>
<p>Every refusal is a JSON object of one form. A browser on a site gets a page instead, and an upload in a plain format only the message. Programs should use the status; the message is for people.</p>
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
<h3 id="codes"><a href="#codes">Codes of a site’s own API</a></h3>
<p>Below <code>/api/5</code> a refusal is an RFC 9457 problem that also has these fields. Its <code>code</code> is one of:</p>
${table(
  'Codes of problems',
  ['Code', 'Meaning'],
  Object.entries(problemCodes).map(([code, text]) => [html`<code id="${code}">${code}</code>`, prose(text)]),
)}
</section>`
}

function exampleOf(description: OpenApi): unknown {
  const refusals = callsOf(description).map(
    ({ responses }) => responses[400]?.content?.['application/json']?.example,
  )
  return refusals.find((example) => example !== undefined)
}
