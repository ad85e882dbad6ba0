import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createUser } from '../../src/accounts/index.ts'
import { type Answer, onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, problem } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { until } from '../support/until.ts'
import { onSiteOf, type TestTenant } from '../support/uploads.ts'

const right = { login: 'ada', password: 'a long password' }
const wrong = { login: 'ada', password: 'a wrong password' }
const behindProxy = { SERVICE_TRUSTED_PROXIES: '127.0.0.1' }

interface Sender {
  network?: number
  cookie?: string
}

const headersOf = ({ network = 1, cookie }: Sender) => ({
  'x-forwarded-for': `192.0.2.${network}`,
  ...(cookie !== undefined && { cookie }),
})

const post = (app: TestApp, tenant: TestTenant, body: object, sender: Sender = {}) =>
  ask5(app, tenant, 'POST sessions', { body, headers: headersOf(sender) })

/** The cookie of the device that an answer sets, as `name=value`. */
function deviceIn({ headers }: Answer): string {
  const [pair = ''] = (headers['set-cookie'] ?? []).flatMap((cookie) =>
    /^(?:__Host-)?terrace-device=/.test(cookie) ? cookie.split(';', 1) : [],
  )
  assert.match(pair, /^(__Host-)?terrace-device=[\w-]+$/)
  return pair
}

/** Wrong passwords for ada, each from another network. */
async function attack(app: TestApp, tenant: TestTenant, { from = 101, count = 20 } = {}) {
  for (let network = from; network < from + count; network += 1)
    assert.equal((await post(app, tenant, wrong, { network })).status, 401)
}

onEachStore('an account under attack', (store) => {
  test('lets the devices of its user in at once, and slows all others down', async () => {
    await using app = await startTestApp({ store, environment: behindProxy })
    const cats = await app.tenant('cats')
    const cookie = deviceIn(await post(app, cats, right))
    await attack(app, cats)
    assert.equal((await post(app, cats, right, { cookie, network: 2 })).status, 201)
    const page = await askPage(app, cats, 'POST /login', { form: right, headers: headersOf({ cookie }) })
    assert.equal(page.status, 303)

    const slowed = await post(app, cats, right, { network: 3 })
    assert.deepEqual(problem(slowed), [429, 'rate-limited'])
    assert.equal(slowed.headers['retry-after'], '2')
    const byEmail = { ...right, login: 'ADA@example.com' }
    assert.equal((await post(app, cats, byEmail, { network: 4 })).status, 429)
    app.wait(1)
    assert.equal((await post(app, cats, right, { network: 3 })).headers['retry-after'], '1')
    app.wait(1)
    assert.equal((await post(app, cats, right, { network: 3 })).status, 201)
    assert.equal((await post(app, cats, right, { network: 3 })).status, 429, 'each try waits')

    const form = await askPage(app, cats, 'POST /login', { form: right, headers: headersOf({ network: 5 }) })
    assert.equal(form.status, 429)
    assert.match(form.text, /Too many wrong passwords for this account\. Try again in 2 seconds/)
    app.wait(3_601)
    assert.equal((await post(app, cats, right, { network: 6 })).status, 201)
  })

  test('waits longer the longer it lasts, and is never closed to a new network', async () => {
    await using app = await startTestApp({ store, environment: behindProxy })
    const cats = await app.tenant('cats')
    await attack(app, cats)
    const waits = new Set<number>()
    for (let network = 121; network < 181; network += 1) {
      const { status, headers } = await post(app, cats, wrong, { network })
      assert.equal(status, 429)
      waits.add(Number(headers['retry-after']))
      app.wait(Number(headers['retry-after']))
      assert.equal((await post(app, cats, wrong, { network })).status, 401)
    }
    assert.deepEqual([...waits], [2, 4, 8, 16, 32, 60])
    const asked = await post(app, cats, right, { network: 7 })
    // Others go on meanwhile.
    for (let network = 181; network < 191; network += 1) await post(app, cats, wrong, { network })
    app.wait(Number(asked.headers['retry-after']))
    assert.equal((await post(app, cats, right, { network: 7 })).status, 201)
  })

  test('is the same for a name that no user has', async () => {
    await using app = await startTestApp({ store, environment: behindProxy })
    const cats = await app.tenant('cats')
    for (let network = 1; network <= 20; network += 1)
      assert.equal((await post(app, cats, { ...wrong, login: 'nobody' }, { network })).status, 401)
    const slowed = await post(app, cats, { ...wrong, login: 'NOBODY' }, { network: 99 })
    assert.deepEqual([slowed.status, slowed.headers['retry-after']], [429, '2'])
  })

  test('takes the password of a session and of a key, however many others try', async () => {
    await using app = await startTestApp({ store, environment: behindProxy })
    const cats = await app.tenant('cats')
    const { headers } = await logIn(app, cats)
    const key = await keyOf(app, cats, 'write')
    const here = await visitAs(app, cats)
    await attack(app, cats)
    for (let tries = 0; tries < 10; tries += 1) await post(app, cats, wrong, { network: 8 })
    const from = headersOf({ network: 8 })
    const body = { email: 'ada@new.test', current_password: right.password }
    assert.equal((await ask5(app, cats, 'PATCH me', { headers: { ...headers, ...from }, body })).status, 200)
    assert.equal((await ask5(app, cats, 'PATCH me', { key, headers: from, body })).status, 200)
    app.wait(601)
    assert.equal((await here.send('/prove', { password: right.password })).status, 303)
  })

  test('stops the guesses of a session, a key and a device after twenty in an hour', async () => {
    await using app = await startTestApp({ store, environment: behindProxy })
    const cats = await app.tenant('cats')
    const [one, two] = [await logIn(app, cats), await logIn(app, cats)]
    const key = await keyOf(app, cats, 'write')
    const patch = async (caller: { headers: Record<string, string> } | { key: string }, password: string) =>
      (
        await ask5(app, cats, 'PATCH me', {
          ...caller,
          body: { email: 'ada@new.test', current_password: password },
        })
      ).status
    for (let tries = 0; tries < 20; tries += 1) {
      assert.equal(await patch({ headers: one.headers }, 'wrong'), 400)
      assert.equal(await patch({ key }, 'wrong'), 400)
    }
    assert.equal(await patch({ headers: one.headers }, right.password), 429)
    assert.equal(await patch({ key }, right.password), 429)
    assert.equal(await patch({ headers: two.headers }, right.password), 200)

    const cookie = deviceIn(await post(app, cats, right))
    for (let tries = 0; tries < 20; tries += 1)
      assert.equal((await post(app, cats, wrong, { cookie, network: tries })).status, 401)
    const stopped = await post(app, cats, right, { cookie, network: 99 })
    assert.deepEqual([stopped.status, stopped.headers['retry-after']], [429, '3600'])
    assert.equal((await post(app, cats, right, { network: 98 })).status, 201, 'its guesses are its own')
    app.wait(3_601)
    assert.equal((await post(app, cats, right, { cookie })).status, 201)
  })
})

onEachStore('the cookie of a device', (store) => {
  test('is for one user and site, cannot be forged, and lasts 180 days', async () => {
    await using app = await startTestApp({ store, environment: behindProxy })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const bob = { username: 'bob', email: 'bob@example.com', password: 'bobs password' }
    await onSiteOf(app, cats, (site) => createUser(site, { ...bob, role: 'user' }))
    const cookie = deviceIn(await post(app, cats, right))
    const others = [
      deviceIn(await post(app, cats, { login: 'bob', password: bob.password })),
      deviceIn(await post(app, dogs, right)),
      `${cookie.slice(0, -3)}${cookie.endsWith('AAA') ? 'BBB' : 'AAA'}`,
      'terrace-device=ada',
    ]
    await attack(app, cats)
    for (const [index, other] of others.entries())
      assert.equal((await post(app, cats, right, { cookie: other, network: 10 + index })).status, 429, other)
    const planted = Array.from({ length: 40 }, (_, index) => `terrace-device=planted${index}`)
    const many = [...planted, ...others, cookie].join('; ')
    assert.equal((await post(app, cats, right, { cookie: many, network: 20 })).status, 201)

    app.wait(179 * 86_400)
    await attack(app, cats)
    const renewed = deviceIn(await post(app, cats, right, { cookie, network: 21 }))
    app.wait(86_400)
    await attack(app, cats)
    assert.equal((await post(app, cats, right, { cookie, network: 22 })).status, 429)
    assert.equal((await post(app, cats, right, { cookie: renewed, network: 23 })).status, 201)
  })

  test('is set by every log-in, and kept at log-out', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const attributes = /; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/
    const byApi = await ask5(app, cats, 'POST sessions', { body: right })
    const byPage = await askPage(app, cats, 'POST /login', { form: right })
    for (const answer of [byApi, byPage]) {
      deviceIn(answer)
      assert.match(String(answer.headers['set-cookie']?.[1]), attributes)
    }
    const here = await visitAs(app, cats)
    const out = await askPage(app, cats, 'POST /logout', { cookie: here.cookie, form: { csrf: here.csrf } })
    assert.doesNotMatch(String(out.headers['set-cookie']), /terrace-device/)
    await using secure = await startTestApp({ store, environment: { SERVICE_PUBLIC_SCHEME: 'https' } })
    const dogs = await secure.tenant('dogs')
    const answer = await askPage(secure, dogs, 'POST /login', { form: right })
    assert.match(deviceIn(answer), /^__Host-terrace-device=/)
    assert.match(String(answer.headers['set-cookie']?.[1]), /; SameSite=Lax; Secure$/)
  })
})

onEachStore('a clock that jumps ahead and back', (store) => {
  test('keeps no one out, and no one proven', async () => {
    const environment = {
      ...behindProxy,
      SERVICE_SMTP_URL: 'smtp://127.0.0.1:9',
      SERVICE_MAIL_FROM: 'a@b.test',
    }
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const day = 86_400
    app.wait(day)
    const here = await visitAs(app, cats)
    const { headers } = await logIn(app, cats, { ...right, stay: true })
    await attack(app, cats)
    for (let tries = 0; tries < 10; tries += 1) await post(app, cats, wrong, { network: 1 })
    assert.equal((await post(app, cats, right, { network: 1 })).status, 429)
    for (let mails = 0; mails <= 10; mails += 1)
      await askPage(app, cats, 'POST /password', { form: { email: `mail${mails}@example.com` } })
    app.wait(-day)
    assert.equal((await post(app, cats, right, { network: 1 })).status, 201)
    assert.equal((await post(app, cats, right, { network: 2 })).status, 201)
    const mailed = await askPage(app, cats, 'POST /password', { form: { email: 'mail@example.com' } })
    assert.equal(mailed.status, 200)
    const isProven = async () => (await here.show('/settings/security/totp')).status === 200
    assert.equal(await isProven(), false)
    const body = { username: 'eve', email: 'eve@example.com', password: 'eves own words', role: 'admin' }
    const made = await ask5(app, cats, 'POST users', { headers, body })
    assert.deepEqual(problem(made), [403, 'proof-needed'])
    await here.send('/prove', { password: right.password })
    assert.equal(await isProven(), true)
    // Nor when the time of the proof comes.
    const isUsedNow = async () => {
      const { json } = await ask5(app, cats, 'GET sessions', { headers })
      const own = json.data.find(({ is_current }: { is_current: boolean }) => is_current)
      return Date.parse(own.last_used_at) <= app.app.control.clock.now().getTime()
    }
    await until(isUsedNow, 'the use of the session is recorded')
    app.wait(day)
    assert.deepEqual(problem(await ask5(app, cats, 'POST users', { headers, body })), [403, 'proof-needed'])
  })

  test('by less than a minute changes nothing', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    app.wait(50)
    const here = await visitAs(app, cats)
    for (let tries = 0; tries < 10; tries += 1) await ask5(app, cats, 'POST sessions', { body: wrong })
    app.wait(-50)
    assert.equal((await here.show('/settings/security/totp')).status, 200)
    assert.equal((await ask5(app, cats, 'POST sessions', { body: right })).status, 429)
  })
})
