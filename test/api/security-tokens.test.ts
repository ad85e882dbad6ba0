import assert from 'node:assert/strict'
import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'vitest'
import { addProvider, beginAt } from '../support/clients/connecting.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { askPage } from '../support/pages.ts'
import { clientSecret, type LoginProvider } from '../support/servers/login-provider.ts'

const [own, foreign] = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 })) as [
  { publicKey: KeyObject; privateKey: KeyObject },
  { publicKey: KeyObject; privateKey: KeyObject },
]

const accessToken = 'an-access-token-of-the-provider'

type Claims = Record<string, unknown>
type Sign = (head: Claims, claims: Claims) => string

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const byKey =
  (key: KeyObject): Sign =>
  (head, claims) => {
    const text = `${part({ alg: 'RS256', ...head })}.${part(claims)}`
    return `${text}.${createSign('sha256').update(text).sign(key, 'base64url')}`
  }

const bySecret =
  (secret: string): Sign =>
  (head, claims) => {
    const text = `${part({ alg: 'HS256', ...head })}.${part(claims)}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }

const unsigned: Sign = (_, claims) => `${part({ alg: 'none' })}.${part(claims)}.`

/** A provider that signs whatever a test wants. */
async function startForger() {
  const forger = {
    issuer: '',
    metadataIssuer: '',
    sign: byKey(own.privateKey),
    head: {} as Claims,
    claims: {} as Claims,
    nonce: '',
    /** How often its other keys were asked for. */
    foreignKeys: 0,
  }
  const server = createServer((request, response) => {
    const { issuer } = forger
    const send = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/.well-known/openid-configuration')
      return void send({
        issuer: forger.metadataIssuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      })
    if (request.url === '/keys')
      return void send({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), use: 'sig', kid: 'own' }] })
    if (request.url === '/foreign') {
      forger.foreignKeys += 1
      return void send({
        keys: [{ ...foreign.publicKey.export({ format: 'jwk' }), use: 'sig', kid: 'other' }],
      })
    }
    const now = Math.floor(Date.now() / 1_000)
    const claims = {
      iss: issuer,
      aud: 'terrace',
      sub: 'ada-there',
      iat: now,
      exp: now + 60,
      nonce: forger.nonce,
      email: 'ada@example.com',
      email_verified: true,
      ...forger.claims,
    }
    send({
      access_token: accessToken,
      token_type: 'bearer',
      id_token: forger.sign({ kid: 'own', ...forger.head }, claims),
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  forger.issuer = forger.metadataIssuer = `http://127.0.0.1:${port}`
  return {
    forger,
    allow: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

onEachStore('an ID token', (store) => {
  test('counts only with a signature of its provider, for this client, this log-in and this minute', async () => {
    await using forgery = await startForger()
    const { forger } = forgery
    await using app = await startTestApp({
      store,
      environment: { SERVICE_LOGIN_PROVIDER_ALLOW: forgery.allow },
    })
    const cats = await app.tenant('cats')
    const provider = { issuer: forger.issuer, register: () => undefined } as unknown as LoginProvider
    await addProvider(app, cats, provider, { name: 'office' })
    const comeBack = async (change: Partial<typeof forger> = {}) => {
      const usual = { sign: byKey(own.privateKey), head: {}, claims: {} }
      Object.assign(forger, usual, change)
      const { address, cookie } = await beginAt(app, cats, '/connect/office')
      const { searchParams } = new URL(address)
      forger.nonce = searchParams.get('nonce') ?? ''
      const path = `/connect/office/back?code=x&state=${searchParams.get('state')}`
      return askPage(app, cats, `GET ${path}`, { cookie })
    }
    const known = await comeBack()
    assert.equal(known.headers.location, '/connect/office/account')
    // Tokens of the provider end here: the browser gets a sealed cookie.
    assert.doesNotMatch(JSON.stringify([known.headers, known.text]), /an-access-token|eyJ[\w-]+\.eyJ/)

    const now = Math.floor(Date.now() / 1_000)
    const publicKey = own.publicKey.export({ format: 'pem', type: 'spki' }).toString()
    const forgeries: Record<string, Partial<typeof forger>> = {
      'without a signature': { sign: unsigned },
      'signed with the client secret': { sign: bySecret(clientSecret) },
      'signed with the public key as a secret': { sign: bySecret(publicKey) },
      'signed with another key': { sign: byKey(foreign.privateKey) },
      'with a key of its own': {
        sign: byKey(foreign.privateKey),
        head: { jwk: foreign.publicKey.export({ format: 'jwk' }) },
      },
      'with an address of keys': {
        sign: byKey(foreign.privateKey),
        head: { kid: 'other', jku: `${forger.issuer}/foreign`, x5u: `${forger.issuer}/foreign` },
      },
      'for another client': { claims: { aud: 'another' } },
      'of another issuer': { claims: { iss: 'https://elsewhere.example' } },
      'of another log-in': { claims: { nonce: 'another' } },
      'that has ended': { claims: { iat: now - 7_200, exp: now - 3_600 } },
      'that is for later': { claims: { nbf: now + 3_600 } },
      'without a subject': { claims: { sub: undefined } },
    }
    for (const [what, change] of Object.entries(forgeries)) {
      const answer = await comeBack(change)
      assert.ok(answer.status === 400 || answer.status === 503, `${what}: ${answer.status} ${answer.text}`)
      assert.doesNotMatch(String(answer.headers['set-cookie']), /terrace-(session|account|login)=\w/, what)
    }
    assert.equal(forger.foreignKeys, 0)
  })

  test('is not asked for at a provider whose document names another issuer', async () => {
    await using forgery = await startForger()
    const { forger } = forgery
    await using app = await startTestApp({
      store,
      environment: { SERVICE_LOGIN_PROVIDER_ALLOW: forgery.allow },
    })
    const cats = await app.tenant('cats')
    const provider = { issuer: forger.issuer, register: () => undefined } as unknown as LoginProvider
    await addProvider(app, cats, provider, { name: 'office' })
    for (const issuer of [
      'https://elsewhere.example',
      `${forger.issuer}/other`,
      forger.issuer.replace('127', '128'),
    ]) {
      forger.metadataIssuer = issuer
      const begun = await askPage(app, cats, 'GET /connect/office')
      assert.equal(begun.status, 400, issuer)
      assert.equal(begun.headers.location, undefined)
    }
  })
})
