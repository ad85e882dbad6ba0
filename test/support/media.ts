import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { createUserKey, type Scope } from '../../src/accounts/index.ts'
import { type Answer, sendRequest, type TestApp } from './harness.ts'
import { onSiteOf, type TestTenant } from './uploads.ts'

interface MediaCall {
  /** The key in the header; none unless told. */
  key?: string
  body?: unknown
  headers?: Record<string, string>
}

/** A call of a site's own API: `ask5(app, cats, 'GET keys', { key })`. */
export function ask5(
  app: Pick<TestApp, 'send'>,
  tenant: Pick<TestTenant, 'hostname'>,
  call: string,
  { key, body, headers = {} }: MediaCall = {},
): Promise<Answer> {
  const [method = 'GET', path = ''] = call.split(' ')
  const bytes = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  return app.send(method, `/api/5/${path}`, {
    bytes,
    headers: {
      host: tenant.hostname,
      ...(bytes !== '' && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'x-api-key': key }),
      ...headers,
    },
  })
}

/** For an app of which thousands of calls are made: `SERVICE_KEEP_ALIVE_SECONDS` outlasts a slow machine. */
export const keepsConnections = { SERVICE_KEEP_ALIVE_SECONDS: '150' }

/** Sends calls over connections that stay open, where connections are not what the test is about. */
export function keptConnections({ port }: TestApp): Pick<TestApp, 'send'> & Disposable {
  const agent = new Agent({ keepAlive: true })
  return {
    send: (method, path, call) => sendRequest(port, method, path, { ...call, agent }),
    [Symbol.dispose]: () => agent.destroy(),
  }
}

/** A key of the scope, for the first administrator unless another user is given. */
export function keyOf(
  app: TestApp,
  tenant: TestTenant,
  scope: Scope,
  userId?: string,
  albumId?: string,
): Promise<string> {
  return onSiteOf(app, tenant, async (site) => {
    const owner = userId ?? (await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()).id
    return createUserKey(site, { userId: owner, name: `${scope} ${Math.random()}`, scope, albumId })
  })
}

/** Status and code of a refusal, which must be a whole problem. */
export function problem({ status, headers, json, text }: Answer): [status: number, code: string] {
  assert.match(headers['content-type'] ?? '', /^application\/problem\+json/, text)
  assert.equal(json.type, `/_/docs#${json.code}`)
  assert.equal(json.status, status)
  assert.equal(json.status_code, status)
  assert.equal(json.title, json.status_txt)
  assert.equal(json.detail, json.error.message)
  assert.equal(json.instance, headers['x-request-id'])
  return [status, json.code]
}

const sameOrigin = { 'sec-fetch-site': 'same-origin' }

export interface LoggedIn {
  id: string
  cookie: string
  /** Headers with which a page of the site calls. */
  headers: Record<string, string>
}

export async function logIn(
  app: TestApp,
  tenant: TestTenant,
  body: Record<string, unknown> = { login: 'ada', password: 'a long password' },
): Promise<LoggedIn> {
  const { status, headers, json, text } = await ask5(app, tenant, 'POST sessions', { body })
  assert.equal(status, 201, text)
  const [cookie = ''] = headers['set-cookie'] ?? []
  const [pair = ''] = cookie.split(';')
  return { id: json.id, cookie, headers: { cookie: pair, ...sameOrigin } }
}

/** Every entry of a list, page by page. */
export async function walk(
  app: Pick<TestApp, 'send'>,
  tenant: Pick<TestTenant, 'hostname'>,
  call: string,
  options: MediaCall = {},
): Promise<any[]> {
  const entries: any[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await ask5(app, tenant, cursor === '' ? call : `${call}&cursor=${cursor}`, options)
    assert.equal(page.status, 200, page.text)
    entries.push(...page.json.data)
    cursor = page.json.next_cursor
  }
  return entries
}
