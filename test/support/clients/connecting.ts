import assert from 'node:assert/strict'
import type { Answer, TestApp } from '../harness.ts'
import { askPage, stepCookieIn, visitAs } from '../pages.ts'
import { clientSecret, type LoginProvider, passThrough } from '../servers/login-provider.ts'
import type { TestTenant } from '../uploads.ts'

type Site = Pick<TestTenant, 'hostname'>

interface NewProvider {
  name: string
  fields?: Record<string, string>
}

/** Enters a provider at the dashboard, and tells it the callback address that is shown there. */
export async function addProvider(
  app: TestApp,
  site: Site,
  login: LoginProvider,
  { name, fields = {} }: NewProvider,
): Promise<void> {
  const here = await visitAs(app, site)
  const made = await here.send('/dashboard/providers/new', {
    name,
    title: `The ${name}`,
    issuer: login.issuer,
    client_id: 'terrace',
    client_secret: clientSecret,
    scopes: 'openid email profile',
    is_enabled: '1',
    is_sign_up_open: '1',
    new_user_role: 'user',
    ...fields,
  })
  assert.equal(made.status, 303, made.text)
  const { text } = await here.show(`/dashboard/providers/${name}`)
  const [, callback = ''] = /id="callback"[^>]* value="([^"]+)"/.exec(text) ?? []
  assert.match(callback, new RegExp(`^http://[^/]+/connect/${name}/back$`))
  login.loggedInAt = () => app.app.control.clock.now()
  login.register(callback)
}

/** A browser's way to the provider: where it is led, and the cookie that it keeps. */
export async function beginAt(app: TestApp, site: Site, path: string, cookie?: string) {
  const begun = await askPage(app, site, `GET ${path}`, cookie === undefined ? {} : { cookie })
  assert.equal(begun.status, 303, begun.text)
  const address = begun.headers.location ?? ''
  return { address, cookie: stepCookieIn(begun, 'terrace-connect') }
}

/** The whole way to the provider and back; `cookie` is that of a session. */
export async function connectBy(app: TestApp, site: Site, path: string, cookie?: string): Promise<Answer> {
  const begun = await beginAt(app, site, path, cookie)
  const back = await passThrough(begun.address)
  return askPage(app, site, `GET ${back.pathname}${back.search}`, {
    cookie: [begun.cookie, ...(cookie === undefined ? [] : [cookie])].join('; '),
  })
}
