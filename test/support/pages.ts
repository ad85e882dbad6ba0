import assert from 'node:assert/strict'
import { browserHeaders } from './delivered.ts'
import type { Answer, TestApp } from './harness.ts'
import type { TestTenant } from './uploads.ts'

interface PageCall {
  /** The session cookie, as `name=value`. */
  cookie?: string
  /** Fields of a form; with them the request is sent as a page of the site sends it. */
  form?: Record<string, string>
  headers?: Record<string, string>
}

/** A request as a browser sends it: `askPage(app, cats, 'GET /settings', { cookie })`. */
export function askPage(
  app: Pick<TestApp, 'send'>,
  tenant: Pick<TestTenant, 'hostname'>,
  call: string,
  { cookie, form, headers = {} }: PageCall = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = call.split(' ')
  const sent = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  return app.send(method, path, {
    bytes: form === undefined ? '' : new URLSearchParams(form).toString(),
    headers: {
      host: tenant.hostname,
      ...browserHeaders,
      ...(form !== undefined && sent),
      ...(cookie !== undefined && { cookie }),
      ...headers,
    },
  })
}

/** The token in the forms of a page. */
export function tokenIn({ text }: Answer): string {
  const [, token = ''] = /name="csrf" value="(\w+)"/.exec(text) ?? []
  assert.notEqual(token, '', text)
  return token
}

/** The session cookie that an answer sets, as `name=value`. */
export function cookieIn({ headers }: Answer): string {
  const cookies = headers['set-cookie'] ?? []
  const [pair = ''] = (cookies.find((each) => each.includes('terrace-session=')) ?? '').split(';')
  assert.match(pair, /^(__Host-)?terrace-session=\w+$/)
  return pair
}

/** A short-lived cookie of a log-in that an answer sets, as `name=value`. */
export function stepCookieIn({ headers }: Answer, name: string): string {
  const [pair = ''] = ((headers['set-cookie'] ?? []).find((each) => each.startsWith(`${name}=`)) ?? '').split(
    ';',
  )
  assert.match(pair, /=[\w-]+$/)
  return pair
}

/** A browser of a user who is logged in, the first administrator unless told: its forms carry the token of the session. */
export async function visitAs(
  app: Pick<TestApp, 'send'>,
  tenant: Pick<TestTenant, 'hostname'>,
  user: { login: string; password: string } = { login: 'ada', password: 'a long password' },
) {
  let cookie = cookieIn(await askPage(app, tenant, 'POST /login', { form: user }))
  const show = (path: string) => askPage(app, tenant, `GET ${path}`, { cookie })
  const readToken = async () => tokenIn(await show('/settings'))
  let csrf = await readToken()
  return {
    show,
    get cookie() {
      return cookie
    },
    get csrf() {
      return csrf
    },
    async send(path: string, form: Record<string, string>) {
      const answer = await askPage(app, tenant, `POST ${path}`, { cookie, form: { csrf, ...form } })
      if (answer.headers['set-cookie']) {
        cookie = cookieIn(answer)
        csrf = await readToken()
      }
      return answer
    },
  }
}
