import { Type } from 'typebox'
import { schemeOf } from '../http/addresses/public-url.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { refused } from '../http/openapi/described-refusal.ts'
import { hostPrefix, languageCookie, mediaTypeOf } from '../http/requests/headers.ts'
import { wrongContentType } from '../http/responses/errors.ts'
import { readBody } from '../http/signed/body.ts'
import { ownPath } from '../ui/own-path.ts'
import { isTheme, themeCookie } from '../ui/reader.ts'
import { isLanguage } from '../words/languages.ts'

const mostBytes = 20_000
const keptSeconds = 31_536_000
const notForm = () =>
  wrongContentType('The body must be a form: Content-Type: application/x-www-form-urlencoded.')

/** Of every host, because every page has it in its footer. It changes looks alone, so it needs no proof of origin. */
export const postPreferences: Endpoint = {
  tag: 'Pages',
  summary: 'Choose language and theme of the pages',
  description: 'Sent by the footer of every page. Stores both in cookies of the browser.',
  access: 'open',
  forms: {
    'application/x-www-form-urlencoded': Type.Object({
      language: Type.Optional(Type.String({ enum: ['en', 'es', 'de'], description: '`en`, `es` or `de`' })),
      theme: Type.Optional(
        Type.String({ enum: ['auto', 'light', 'dark'], description: '`auto`, `light` or `dark`' }),
      ),
      to: Type.Optional(Type.String({ maxLength: mostBytes, description: 'The path to come back to' })),
    }),
  },
  responses: {
    303: {
      description: 'The choice is stored; unknown values are ignored.',
      headers: { Location: 'The path of the page', 'Set-Cookie': 'Contains the choice' },
    },
    415: refused('The body is not a form.', notForm()),
  },
  handle: (app) => async (request, reply) => {
    const bytes = await readBody(request.raw, mostBytes)
    if (mediaTypeOf(request.headers['content-type']) !== 'application/x-www-form-urlencoded') throw notForm()
    const form = new URLSearchParams(bytes.toString())
    const [language, theme] = [form.get('language') ?? '', form.get('theme') ?? '']
    const isSecure = schemeOf(app.config, request.client.scheme) === 'https'
    const [prefix, secure] = isSecure ? [hostPrefix, '; Secure'] : ['', '']
    const cookie = (name: string, value: string, seconds = keptSeconds) =>
      `${prefix}${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
    // Under https it is kept, so that a cookie of an earlier version, without the prefix, does not count again.
    const autoSeconds = isSecure ? keptSeconds : 0
    const cookies = [
      ...(isLanguage(language) ? [cookie(languageCookie, language)] : []),
      ...(isTheme(theme) ? [cookie(themeCookie, theme, theme === 'auto' ? autoSeconds : keptSeconds)] : []),
    ]
    return reply
      .code(303)
      .headers({
        location: ownPath(form.get('to') ?? ''),
        ...(cookies.length > 0 && { 'set-cookie': cookies }),
      })
      .send()
  },
}
