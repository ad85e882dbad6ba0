import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface Person {
  sub: string
  email?: string
  email_verified?: unknown
  preferred_username?: string
  name?: string
}

export const clientSecret = 'a secret of a client, long enough'

export interface LoginProvider extends AsyncDisposable {
  issuer: string
  /** For `SERVICE_LOGIN_PROVIDER_ALLOW`. */
  allow: string
  /** Who is in front of its log-in. */
  person: Person
  /** How many requests it got. */
  requests: number
  /** How many of them were for its discovery document. */
  discoveries: number
  /** When its person has logged in. */
  loggedInAt: () => Date
  /** Whether its discovery document promises to tell that. */
  tellsLogInTime: boolean
  /** Whether its log-in waits for a click. */
  asks: boolean
  /** Whether the person refuses there. */
  refuses: boolean
  /** Takes the place of every answer. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** Lets browsers come back to these addresses. */
  register(...redirectUris: string[]): void
}

const key = {
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  use: 'sig',
}

const discoveryPath = '/.well-known/openid-configuration'

/** A real OpenID Connect provider on this machine. It is at work after `register`. */
export async function startLoginProvider(): Promise<LoginProvider> {
  let handle: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  const server = createServer((request, response) => {
    login.requests += 1
    if (request.url === discoveryPath) login.discoveries += 1
    const { answer } = login
    if (answer) answer(request, response)
    else if (handle) handle(request, response)
    else response.writeHead(503).end()
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const login: LoginProvider = {
    issuer,
    allow: `127.0.0.1:${port}`,
    requests: 0,
    discoveries: 0,
    asks: false,
    refuses: false,
    answer: undefined,
    loggedInAt: () => new Date(),
    tellsLogInTime: true,
    person: { sub: 'ada-there', email: 'ada@example.com', email_verified: true, preferred_username: 'ada' },
    register(...redirectUris) {
      handle = handlerOf(issuer, login, redirectUris)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return login
}

function handlerOf(issuer: string, login: LoginProvider, redirectUris: readonly string[]) {
  const people = new Map<string, Person>()
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'terrace', client_secret: clientSecret, redirect_uris: redirectUris }],
    jwks: { keys: [key] },
    cookies: { keys: ['a key for cookies'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    discovery: { prompt_values_supported: ['none', 'login', 'consent'] },
    pkce: { required: () => true },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: async () => people.get(id) ?? { sub: id },
    }),
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 600,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    async loadExistingGrant({
      oidc,
    }: {
      oidc: { client: { clientId: string }; session: { accountId: string } }
    }) {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  return (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', issuer)
    if (url.pathname === discoveryPath && !url.search && !login.tellsLogInTime)
      return void sendWithoutTime(issuer, response)
    if (!url.pathname.startsWith('/interaction/')) return answer(request, response)
    if (login.asks && !url.searchParams.has('go'))
      return void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Log in there</title><a href="?go=1">It is me</a>')
    people.set(login.person.sub, login.person)
    const result = login.refuses
      ? { error: 'access_denied' }
      : { login: { accountId: login.person.sub, ts: timeOf(login) } }
    void provider.interactionFinished(request, response, result)
  }
}

const timeOf = (login: LoginProvider) => Math.floor(login.loggedInAt().getTime() / 1_000)

/** The discovery document of a provider that never says when a person has logged in, such as Google's. */
async function sendWithoutTime(issuer: string, response: ServerResponse): Promise<void> {
  const document: any = await (await fetch(`${issuer}${discoveryPath}?whole`)).json()
  document.claims_supported = document.claims_supported.filter((name: string) => name !== 'auth_time')
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
}

/** What a browser does at the provider: it follows redirects until it is sent back. */
export async function passThrough(address: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let at = new URL(address)
  const { origin } = at
  for (let steps = 0; steps < 10; steps += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie } })
    for (const each of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    assert.ok(location !== null, `${answer.status} ${await answer.text()}`)
    at = new URL(location, at)
    if (at.origin !== origin) return at
  }
  throw new Error('The provider leads in a circle.')
}
