import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { mediaTypeOf } from '../http/requests/headers.ts'
import { badRequest, wrongContentType } from '../http/responses/errors.ts'
import { readBody } from '../http/signed/body.ts'
import { type Html, html } from '../lib/html.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Reader } from './reader.ts'

/** The text of a page has 64 KiB; of those a line break is sent as six bytes. */
const mostBytes = 524_288

/** The fields of a plain form. */
export async function readForm({ raw }: FastifyRequest): Promise<URLSearchParams> {
  const bytes = await readBody(raw, mostBytes)
  const type = mediaTypeOf(raw.headers['content-type'])
  if (bytes.length > 0 && type !== 'application/x-www-form-urlencoded')
    throw wrongContentType('The body must be a form: Content-Type: application/x-www-form-urlencoded.')
  const form = new URLSearchParams(bytes.toString())
  // PostgreSQL takes no NUL.
  for (const [name, value] of form)
    if (value.includes('\0')) throw badRequest(`${name}: must not contain the character U+0000`)
  return form
}

/** The hidden field of every form that is sent with a session. */
export const tokenField = ({ formToken }: Reader): Html =>
  html`<input name="csrf" value="${formToken ?? ''}" type="hidden" autocomplete="off">`

/** Refuses a form of a session without the token of the session. A guest's form is proven by its origin alone. */
export function checkFormToken({ formToken }: Reader, given: string): void {
  if (formToken === undefined) return
  const [sent, wanted] = [Buffer.from(given), Buffer.from(formToken)]
  const isEqual = sent.length === wanted.length && timingSafeEqual(sent, wanted)
  if (!isEqual) throw formOutdated()
}

export const notSameOrigin = () =>
  new Refusal(
    'forbidden',
    'not-same-origin',
    'This form was not sent by a page of this site. Open the page again and send it from there.',
  )

const formOutdated = () =>
  new Refusal(
    'forbidden',
    'form-outdated',
    'This form belongs to a session that has ended. Go back, reload the page and send it again.',
  )
