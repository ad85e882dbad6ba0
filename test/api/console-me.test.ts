import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { test } from 'vitest'
import { createOperator } from '../../src/control/index.ts'
import { recoveryCodesIn } from '../support/clients/second-step.ts'
import { softwarePasskey } from '../support/clients/software-passkey.ts'
import {
  askConsole,
  type ConsoleClient,
  consoleCookieIn,
  consoleHost,
  operatorPassword,
  startConsole,
  type TestConsole,
} from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'
import { stepCookieIn, tokenIn } from '../support/pages.ts'

const https = { SERVICE_PUBLIC_SCHEME: 'https', SERVICE_PUBLIC_PORT: '443' }
const here = { rpId: consoleHost, origin: `https://${consoleHost}` }

/** Another session of the same operator, in another browser. */
async function logInAgain(app: TestConsole, client: ConsoleClient, password = operatorPassword) {
  const form = { login: client.username, password }
  const first = await askConsole(app, { method: 'POST', path: 'login', form })
  const step = stepCookieIn(first, first.headers['set-cookie']?.[0]?.split('=')[0] ?? '')
  app.wait(30)
  const timestamp = app.app.control.clock.now().getTime()
  const code = new TOTP({ secret: client.totpSecret }).generate({ timestamp })
  const done = await askConsole(app, { method: 'POST', path: 'login/code', cookie: step, form: { code } })
  assert.equal(done.status, 303, done.text)
  const cookie = consoleCookieIn(done)
  return { cookie, get: (path: string) => askConsole(app, { path, cookie }) }
}

async function challengeFor(app: TestConsole) {
  const { status, json } = await askConsole(app, { method: 'POST', path: '-/passkeys/request' })
  assert.equal(status, 200)
  return json as { challenge: string; options: { challenge: string; userVerification: string } }
}

async function addPasskey({ post }: ConsoleClient, name = 'Laptop') {
  const passkey = softwarePasskey(here)
  const { status, json } = await post('me/passkeys/creation')
  assert.equal(status, 200)
  const { residentKey, userVerification } = json.options.authenticatorSelection
  assert.deepEqual([residentKey, userVerification, json.options.rp.id], ['required', 'required', consoleHost])
  const form = { name, challenge: json.challenge, response: passkey.create(json.options) }
  return { passkey, form, made: await post('me/passkeys', form) }
}

type Passkey = ReturnType<typeof softwarePasskey>

async function logInBy(app: TestConsole, passkey: Passkey, more = {}) {
  const { challenge, options } = await challengeFor(app)
  const form = { challenge, response: passkey.get(options), to: '/_/console/keys', ...more }
  return askConsole(app, { method: 'POST', path: 'login/passkey', form })
}

const passkeyIdIn = (text: string) => /me\/passkeys\/(\w+)\/remove/.exec(text)?.[1] ?? ''

onEachStore('the own account of an operator', (store) => {
  test('gets another password by the one before; other sessions end and this one goes on with a new token', async () => {
    await using app = await startConsole({ store, role: 'viewer' })
    const { console } = app
    const elsewhere = await logInAgain(app, console)
    const before = console.cookie
    for (const [form, field] of [
      [{ current: 'wrong', password: 'another long password' }, 'current'],
      [{ current: operatorPassword, password: 'short' }, 'password'],
      [{ current: operatorPassword, password: 'password123' }, 'password'],
      [{}, 'current'],
    ] as const) {
      const refused = await console.post('me/password', form as Record<string, string>)
      assert.equal(refused.status, 400, JSON.stringify(form))
      assert.match(refused.text, new RegExp(`<input(?=[^>]* name="${field}")(?=[^>]* aria-invalid="true")`))
    }
    assert.equal((await elsewhere.get('me')).status, 200, 'nothing has ended yet')
    const csrf = console.csrf
    const password = 'another long password of hers'
    const changed = await console.post('me/password', { current: operatorPassword, password })
    assert.equal(changed.headers.location, '/_/console/me?saved=1')
    assert.notEqual(console.cookie, before)
    assert.equal((await console.get('me')).status, 200)
    assert.equal((await askConsole(app, { path: 'me', cookie: before })).status, 302)
    assert.equal((await elsewhere.get('me')).status, 302)
    assert.equal(
      (await console.post('me/totp/codes', { csrf })).status,
      403,
      'the token of the form is new too',
    )
    const old = await askConsole(app, {
      method: 'POST',
      path: 'login',
      form: { login: 'grace', password: operatorPassword },
    })
    assert.equal(old.status, 401)
    assert.equal((await (await logInAgain(app, console, password)).get('me')).status, 200)
  })

  test('lists its sessions, marks this one, and ends others, never those of other operators', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    const elsewhere = await logInAgain(app, console)
    const stranger = await app.operator('viewer')
    const idsIn = (text: string) => [...text.matchAll(/me\/sessions\/(\w+)\/end/g)].map(([, id = '']) => id)
    const page = (await console.get('me')).text
    assert.equal(page.match(/This session/g)?.length, 1)
    const own = idsIn(page)
    assert.equal(own.length, 2)
    const [foreign = ''] = idsIn((await stranger.get('me')).text)
    await console.post(`me/sessions/${foreign}/end`)
    assert.equal((await stranger.get('me')).status, 200)
    for (const id of ['AAAAAAAAAAAA', '%00', 'x'])
      assert.ok((await console.post(`me/sessions/${id}/end`)).status < 500)
    const [mine] = idsIn(page.split('role="row"').find((row) => row.includes('This session')) ?? '')
    const other = own.find((id) => id !== mine)
    assert.equal((await console.post(`me/sessions/${other}/end`)).headers.location, '/_/console/me?saved=1')
    assert.equal((await elsewhere.get('me')).status, 302)
    const [last = ''] = idsIn((await console.get('me')).text)
    assert.equal((await console.post(`me/sessions/${last}/end`)).headers.location, '/_/console/login')
    assert.equal((await console.get('me')).status, 302)
  })

  test('gets new codes and a new second step behind a proof, and keeps the last second factor', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    const renewed = await console.post('me/totp/codes')
    assert.deepEqual([renewed.status, renewed.headers['cache-control']], [200, 'no-store'])
    const codes = recoveryCodesIn(renewed.text)
    assert.equal(codes.length, 10)
    assert.ok(codes.every((code) => !console.recoveryCodes.includes(code)))
    const off = await console.post('me/totp/off')
    assert.equal(off.status, 409)
    assert.match(off.text, /second factor/i)

    const { text } = await console.get('me/totp')
    const [, secret = ''] = /id="secret"[^>]* value="([A-Z2-7]+)"/.exec(text) ?? []
    const [, setup = ''] = /<input(?=[^>]* name="setup")[^>]* value="([^"]+)"/.exec(text) ?? []
    assert.notEqual(secret, console.totpSecret)
    const wrong = await console.post('me/totp', { setup, code: '000000' })
    assert.ok(wrong.status === 400 && wrong.text.includes(secret), 'the same secret again')
    assert.equal((await console.post('me/totp', { setup: `${setup}x`, code: '000000' })).status, 400)
    const code = new TOTP({ secret }).generate({ timestamp: app.app.control.clock.now().getTime() })
    const on = await console.post('me/totp', { setup, code })
    assert.equal(recoveryCodesIn(on.text).length, 10, on.text)
    await assert.rejects(logInAgain(app, console), 'the secret before opens nothing')
    assert.equal((await (await logInAgain(app, { ...console, totpSecret: secret })).get('me')).status, 200)

    app.wait(601)
    for (const path of [
      'me/password',
      'me/totp',
      'me/totp/codes',
      'me/totp/off',
      'me/passkeys',
      'me/passkeys/AAAAAAAAAAAA/remove',
    ])
      assert.match(
        String((await console.post(path)).headers.location),
        /^\/_\/console\/prove\?to=%2F_%2Fconsole%2Fme/,
        path,
      )
    assert.equal(
      (await console.get('me/totp')).headers.location,
      '/_/console/prove?to=%2F_%2Fconsole%2Fme%2Ftotp',
    )
    assert.equal(
      (await console.post('me/passkeys/creation')).status,
      403,
      'a script asks for the proof itself',
    )
  })
})

onEachStore('passkeys of operators', (store) => {
  test('log in by themselves, also where passwords are refused, and a challenge counts once', async () => {
    await using app = await startConsole({ store, environment: https })
    const { console } = app
    const { passkey, form, made } = await addPasskey(console, '<b>Laptop"')
    assert.equal(made.headers.location, '/_/console/me?saved=1', made.text)
    assert.match((await console.get('me')).text, /&lt;b&gt;Laptop&quot;/)
    assert.equal((await console.post('me/passkeys', form)).status, 401, 'the challenge was answered')
    for (let tries = 0; tries < 11; tries += 1)
      await askConsole(app, { method: 'POST', path: 'login', form: { login: 'grace', password: 'wrong' } })
    const right = { login: 'grace', password: operatorPassword }
    assert.equal((await askConsole(app, { method: 'POST', path: 'login', form: right })).status, 429)

    const { challenge, options } = await challengeFor(app)
    assert.equal(options.userVerification, 'required')
    const sent = { challenge, response: passkey.get(options), to: '/_/console/keys' }
    const done = await askConsole(app, { method: 'POST', path: 'login/passkey', form: sent })
    assert.deepEqual([done.status, done.headers.location], [303, '/_/console/keys'])
    assert.match(
      String(done.headers['set-cookie']),
      /^__Host-terrace-console=\w+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    assert.equal((await askConsole(app, { path: 'keys', cookie: consoleCookieIn(done) })).status, 200)
    assert.equal(
      (await askConsole(app, { method: 'POST', path: 'login/passkey', form: sent })).status,
      401,
      'replayed',
    )
  })

  test('that are old, foreign, unverified or broken are refused', async () => {
    await using app = await startConsole({ store, environment: https })
    const { passkey } = await addPasskey(app.console)
    const status = async (form: { challenge: string; response: string }) =>
      (await askConsole(app, { method: 'POST', path: 'login/passkey', form })).status
    const { challenge, options } = await challengeFor(app)
    for (const response of [
      passkey.get(options, { isVerified: false }),
      passkey.get(options, { from: 'https://evil.test' }),
      passkey.get(options, { userId: 'another' }),
      softwarePasskey(here).get(options),
      softwarePasskey({ rpId: 'cats.test', origin: 'https://cats.test' }).get(options),
      '',
      'null',
      '{}',
      '{"id":"\\u0000","response":{}}',
      'x'.repeat(100_000),
    ])
      assert.equal(await status({ challenge, response }), 401, response.slice(0, 40))
    assert.equal(await status({ challenge: 'x', response: passkey.get(options) }), 401)
    const fresh = await challengeFor(app)
    assert.equal(await status({ challenge: challenge, response: passkey.get(fresh.options) }), 401)
    app.wait(300)
    assert.equal(
      await status({ challenge: fresh.challenge, response: passkey.get(fresh.options) }),
      401,
      'too old',
    )
    const response = JSON.parse(passkey.get((await challengeFor(app)).options))
    assert.ok(response.id)
    assert.equal((await logInBy(app, passkey)).status, 303)
  })

  test('set an account up in place of a password, prove their own operator, and the last one stays', async () => {
    await using app = await startConsole({ store, environment: https })
    const { token } = await createOperator(app.app.control, { username: 'ada', role: 'operator' })
    const path = `invite/${token}`
    const begun = await askConsole(app, { method: 'POST', path: `${path}/passkeys/creation` })
    const passkey = softwarePasskey(here)
    const form = {
      name: 'Key',
      challenge: begun.json.challenge,
      response: passkey.create(begun.json.options),
    }
    const nameless = await askConsole(app, {
      method: 'POST',
      path: `${path}/passkey`,
      form: { ...form, name: '' },
    })
    assert.equal(nameless.status, 400)
    const foreign = await addPasskey(app.console)
    const stolen = { ...form, challenge: foreign.form.challenge }
    assert.equal(
      (await askConsole(app, { method: 'POST', path: `${path}/passkey`, form: stolen })).status,
      401,
    )
    const done = await askConsole(app, { method: 'POST', path: `${path}/passkey`, form })
    assert.deepEqual([done.status, done.headers.location], [303, '/_/console'], done.text)
    assert.equal((await askConsole(app, { path })).status, 404)

    const cookie = consoleCookieIn(done)
    const csrf = tokenIn(await askConsole(app, { path: 'me', cookie }))
    const send = (to: string, more = {}) =>
      askConsole(app, { method: 'POST', path: to, cookie, form: { csrf, ...more } })
    const id = passkeyIdIn((await askConsole(app, { path: 'me', cookie })).text)
    assert.equal((await send(`me/passkeys/${id}/remove`)).status, 409, 'the last second factor')
    const set = await send('me/password', { password: 'a long password of ada' })
    assert.equal(set.status, 303, set.text)
    const halves = { login: 'ada', password: 'a long password of ada' }
    assert.equal(
      (await askConsole(app, { method: 'POST', path: 'login', form: halves })).status,
      401,
      'no second factor',
    )

    const again = await logInBy(app, passkey)
    const recorded = await app.app.control.store.control
      .selectFrom('controlAudit')
      .select(['verb', 'after'])
      .where('actorName', '=', 'ada')
      .orderBy('sequence')
      .execute()
    const steps = { method: 'passkey', factor: 'passkey' }
    assert.deepEqual(
      [recorded[0]?.verb, JSON.parse(recorded.at(-1)?.after ?? '')],
      ['operator.set_up', steps],
    )
    const renewed = consoleCookieIn(again)
    const token2 = tokenIn(await askConsole(app, { path: 'me', cookie: renewed }))
    const post = (to: string, more = {}) =>
      askConsole(app, { method: 'POST', path: to, cookie: renewed, form: { csrf: token2, ...more } })
    assert.equal((await post(`me/passkeys/${id}/remove`)).status, 409, 'a password without codes is none')
    app.wait(601)
    const prove = async (by: Passkey) => {
      const { challenge, options } = await challengeFor(app)
      return post('prove/passkey', { challenge, response: by.get(options), to: '/_/console/keys' })
    }
    assert.equal((await prove(foreign.passkey)).status, 401, "another operator's")
    assert.equal((await post('keys', { name: 'x' })).status, 303)
    assert.equal((await prove(passkey)).headers.location, '/_/console/keys')
    assert.equal((await post('keys', { name: 'x' })).status, 200)
  })

  test('are renamed and removed by their operator only, and a reset ends them', async () => {
    await using app = await startConsole({ store, environment: https })
    const { console } = app
    const stranger = await app.operator('operator')
    const { passkey } = await addPasskey(console)
    const id = passkeyIdIn((await console.get('me')).text)
    assert.equal((await stranger.post(`me/passkeys/${id}/rename`, { name: 'Mine' })).status, 404)
    assert.equal((await stranger.post(`me/passkeys/${id}/remove`)).status, 404)
    for (const name of ['', 'x'.repeat(65)])
      assert.equal((await console.post(`me/passkeys/${id}/rename`, { name })).status, 400)
    assert.equal((await console.post(`me/passkeys/${id}/rename`, { name: ' Desk ' })).status, 303)
    assert.match((await console.get('me')).text, /<span dir="auto">Desk<\/span>/)
    assert.equal((await console.post('me/totp/off')).status, 303, 'the passkey is a second factor')
    assert.equal((await console.post(`me/passkeys/${id}/remove`)).status, 409)
    await addPasskey(console)
    assert.equal((await console.post(`me/passkeys/${id}/remove`)).status, 303)
    const recorded = await app.app.control.store.control
      .selectFrom('controlAudit')
      .select(['before', 'after'])
      .where('verb', '=', 'operator.updated')
      .where('actorName', '=', 'grace')
      .orderBy('sequence')
      .execute()
    assert.deepEqual(
      recorded.map(({ before, after }) => [JSON.parse(before), JSON.parse(after)]),
      [
        [{}, { passkey: 'Laptop' }],
        [{ passkey: 'Laptop' }, { passkey: 'Desk' }],
        [{ totp: 'old' }, { totp: null }],
        [{}, { passkey: 'Laptop' }],
        [{ passkey: 'Desk' }, {}],
      ],
    )
    const { id: grace = '' } =
      (await app.app.control.store.control
        .selectFrom('operator')
        .select('id')
        .where('username', '=', 'grace')
        .executeTakeFirst()) ?? {}
    assert.equal((await stranger.post(`operators/${grace}/reset`)).status, 200)
    assert.equal((await logInBy(app, passkey)).status, 401)
    assert.equal((await console.get('me')).status, 302)
  })
})

test('passkeys are not offered on an open line', async () => {
  await using app = await startConsole()
  assert.equal((await askConsole(app, { method: 'POST', path: '-/passkeys/request' })).status, 404)
  assert.doesNotMatch((await askConsole(app, { path: 'login' })).text, /data-passkey/)
  assert.match((await app.console.get('me')).text, /Passkeys need an encrypted connection/)
})
