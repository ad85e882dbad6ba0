import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { createOperator, type OperatorRole } from '../../src/control/index.ts'
import { startBrowser, type TestBrowser } from './browsers/browser.ts'
import { browserHeaders } from './delivered.ts'
import { type Answer, type StoreKind, startTestApp, type TestApp } from './harness.ts'
import { tokenIn } from './pages.ts'

export const consoleHost = 'console.test'
export const operatorPassword = 'a long password of an operator'

/** Of a form; several values of one name are sent as so many fields. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>

/** A browser of an operator who is logged in. Paths are below `/_/console`. */
export interface ConsoleClient {
  username: string
  /** Of the authenticator app. */
  totpSecret: string
  recoveryCodes: readonly string[]
  /** The session cookie, as `name=value`. */
  readonly cookie: string
  readonly csrf: string
  get(path?: string, headers?: Record<string, string>): Promise<Answer>
  /** As a form of a page is sent: from the same origin, with its token. */
  post(path: string, fields?: FormFields, headers?: Record<string, string>): Promise<Answer>
}

export interface TestConsole extends TestApp {
  /** Who is logged in from the start. */
  console: ConsoleClient
  /** Another operator, who is logged in. */
  operator(role: OperatorRole, username?: string): Promise<ConsoleClient>
}

interface Options {
  store?: StoreKind
  environment?: Record<string, string>
  role?: OperatorRole
  beside?: Pick<TestApp, 'environment'>
}

/** The real application, with an operator who is logged in to its console. */
export async function startConsole({
  role = 'operator',
  environment,
  ...options
}: Options = {}): Promise<TestConsole> {
  const app = await startTestApp({
    ...options,
    environment: { SERVICE_CONSOLE_HOSTNAME: consoleHost, ...environment },
  })
  let made = 0
  const operator = (asked: OperatorRole, username?: string) => {
    made += 1
    return setUpOperator(app, { role: asked, username: username ?? `${asked}-${made}` })
  }
  return { ...app, operator, console: await operator(role, 'grace') }
}

export const consoleAddress = (path = ''): string => `/_/console${path === '' ? '' : `/${path}`}`

/** A request as a browser sends it that has these cookies. */
export function askConsole(
  app: Pick<TestApp, 'send'>,
  call: {
    method?: 'GET' | 'POST'
    path?: string | undefined
    cookie?: string
    form?: FormFields
    headers?: Record<string, string> | undefined
  },
): Promise<Answer> {
  const { method = 'GET', path = '', cookie, form, headers = {} } = call
  const sent = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  return app.send(method, consoleAddress(path), {
    bytes: form === undefined ? '' : new URLSearchParams(pairsOf(form)).toString(),
    headers: {
      host: consoleHost,
      ...browserHeaders,
      ...(method === 'POST' && sent),
      ...(cookie !== undefined && { cookie }),
      ...headers,
    },
  })
}

const pairsOf = (form: FormFields): string[][] =>
  Object.entries(form).flatMap(([name, value]) => [value].flat().map((each) => [name, each]))

/** Sets an operator up by its link, as a person does. */
export async function setUpOperator(
  app: Pick<TestApp, 'send'> & { app: Pick<TestApp['app'], 'control'> },
  { role, username }: { role: OperatorRole; username: string },
): Promise<ConsoleClient> {
  const { token } = await createOperator(app.app.control, { username, role })
  const { text } = await askConsole(app, { path: `invite/${token}` })
  const [, totpSecret = ''] = /id="secret"[^>]* value="([A-Z2-7]+)"/.exec(text) ?? []
  const code = new TOTP({ secret: totpSecret }).generate({ timestamp: app.app.control.clock.now().getTime() })
  const form = { password: operatorPassword, code }
  const done = await askConsole(app, { method: 'POST', path: `invite/${token}`, form })
  assert.equal(done.status, 200, done.text)
  const recoveryCodes = [...done.text.matchAll(/<li>([^<]+)<\/li>/g)].map(([, each = '']) => each)
  let cookie = consoleCookieIn(done)
  let csrf = tokenIn(await askConsole(app, { path: 'me', cookie }))
  return {
    username,
    totpSecret,
    recoveryCodes,
    get cookie() {
      return cookie
    },
    get csrf() {
      return csrf
    },
    get: (path, headers) => askConsole(app, { path, cookie, headers }),
    async post(path, fields = {}, headers) {
      const form = { csrf, ...fields }
      const answer = await askConsole(app, { method: 'POST', path, cookie, form, headers })
      // A new password has a new token.
      if (isRenewed(answer)) {
        cookie = consoleCookieIn(answer)
        csrf = tokenIn(await askConsole(app, { path: 'me', cookie }))
      }
      return answer
    },
  }
}

const isRenewed = ({ headers }: Answer) =>
  (headers['set-cookie'] ?? []).some((each) => /terrace-console=\w/.test(each))

/** The cookie of the console's session that an answer sets, as `name=value`. */
export function consoleCookieIn({ headers }: Answer): string {
  const cookies = headers['set-cookie'] ?? []
  const [pair = ''] = (cookies.find((each) => each.includes('terrace-console=')) ?? '').split(';')
  assert.match(pair, /^(__Host-)?terrace-console=\w+$/)
  return pair
}

/** What needs attention by the overview, with the pages that it leads to. */
export function attentionIn(text: string): string[] {
  const [, part = ''] = /<h2>Needs attention<\/h2>([\s\S]*?)<\/section>/.exec(text) ?? []
  return [...part.matchAll(/href="\/_\/console\/([^"]*)"[\s\S]*?<span>([^<]*)<\/span>/g)].map(
    ([, path, label]) => `${label} > ${path}`,
  )
}

export interface BrowserConsole extends AsyncDisposable {
  app: TestConsole
  browser: TestBrowser
  /** The address of a page of the console. */
  at(path?: string): string
  /** A tab of a browser of its own, of an operator unless told. */
  open(options?: TabOptions): Promise<Page>
}

interface TabOptions extends BrowserContextOptions {
  /** `guest`: not logged in. */
  role?: OperatorRole | 'guest'
  /** Whose session the tab has, in place of one by role. */
  client?: ConsoleClient
}

/** A console with a browser. */
export async function startBrowserConsole(options: Options = {}): Promise<BrowserConsole> {
  const app = await startConsole(options)
  const browser = await startBrowser()
  const clients = new Map<string, Promise<ConsoleClient>>()
  const clientOf = (role: OperatorRole) => {
    const client =
      clients.get(role) ?? (role === 'operator' ? Promise.resolve(app.console) : app.operator(role))
    clients.set(role, client)
    return client
  }
  return {
    app,
    browser,
    at: (path) => `http://${consoleHost}:${app.port}${consoleAddress(path)}`,
    async open({ role = 'operator', client, ...rest } = {}) {
      const context = await browser.newContext({ userAgent: browserHeaders['user-agent'], ...rest })
      if (role !== 'guest') {
        const [name = '', value = ''] = (client ?? (await clientOf(role))).cookie.split('=')
        await context.addCookies([
          { name, value, domain: consoleHost, path: '/', httpOnly: true, sameSite: 'Strict' },
        ])
      }
      return context.newPage()
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      await app[Symbol.asyncDispose]()
    },
  }
}
