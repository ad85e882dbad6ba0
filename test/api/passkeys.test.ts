import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createUser, editUser } from '../../src/accounts/index.ts'
import { softwarePasskey } from '../support/clients/software-passkey.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { askPage, cookieIn, visitAs } from '../support/pages.ts'
import { onSiteOf, type TestTenant } from '../support/uploads.ts'

const ada = { login: 'ada', password: 'a long password' }
const bob = { login: 'bob', password: 'bobs password' }
const environment = { SERVICE_PUBLIC_SCHEME: 'https', SERVICE_PUBLIC_PORT: '443' }
const at = { rpId: 'cats.test', origin: 'https://cats.test' }

type Member = Awaited<ReturnType<typeof visitAs>>

async function makePasskey(here: Member, name = 'Phone') {
  const passkey = softwarePasskey(at)
  const { json } = await here.send('/-/passkeys/creation', {})
  assert.equal(json.options.authenticatorSelection.residentKey, 'required')
  const form = { name, challenge: json.challenge, response: passkey.create(json.options) }
  const made = await here.send('/settings/security/passkeys', form)
  assert.equal(made.headers.location, '/settings/security?saved=1', made.text)
  return { passkey, form }
}

async function askChallenge(app: TestApp, tenant: TestTenant) {
  const { status, json } = await askPage(app, tenant, 'POST /-/passkeys/request', { form: {} })
  assert.equal(status, 200)
  return json as { challenge: string; options: { challenge: string } }
}

onEachStore('passkeys', (store) => {
  test('a passkey is made behind a proof and logs in by itself, also where passwords are refused', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats, ada)
    app.wait(601)
    assert.equal((await here.send('/-/passkeys/creation', {})).status, 403)
    assert.match(String((await here.send('/settings/security/passkeys', {})).headers.location), /^\/prove/)
    await here.send('/prove', { password: ada.password })
    const { passkey, form } = await makePasskey(here, '<b>Phone"')
    assert.match((await here.show('/settings/security')).text, /&lt;b&gt;Phone&quot;/)
    assert.equal(
      (await here.send('/settings/security/passkeys', form)).status,
      401,
      'a challenge counts once',
    )

    for (let tries = 0; tries < 10; tries += 1)
      await askPage(app, cats, 'POST /login', { form: { ...ada, password: 'wrong' } })
    assert.equal((await askPage(app, cats, 'POST /login', { form: ada })).status, 429)
    const { challenge, options } = await askChallenge(app, cats)
    const sent = { challenge, response: passkey.get(options), to: '/settings', stay: '1' }
    const done = await askPage(app, cats, 'POST /login/passkey', { form: sent, cookie: here.cookie })
    assert.deepEqual([done.status, done.headers.location], [303, '/settings'])
    assert.notEqual(cookieIn(done), here.cookie)
    assert.match(String(done.headers['set-cookie']), /terrace-device=/)
    assert.equal((await askPage(app, cats, 'GET /settings', { cookie: cookieIn(done) })).status, 200)
    assert.equal((await here.show('/settings')).status, 302, 'the session from before has ended')
    assert.equal((await askPage(app, cats, 'POST /login/passkey', { form: sent })).status, 401, 'replayed')
  })

  test('what is old, foreign, unverified or broken is refused', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const dogs = await app.tenant('dogs')
    const here = await visitAs(app, cats, ada)
    const { passkey } = await makePasskey(here)
    const status = async (form: { challenge: string; response: string }, tenant = cats) =>
      (await askPage(app, tenant, 'POST /login/passkey', { form })).status
    const { challenge, options } = await askChallenge(app, cats)
    const response = passkey.get(options)
    assert.equal(await status({ challenge, response: passkey.get(options, { isVerified: false }) }), 401)
    assert.equal(
      await status({ challenge, response: passkey.get(options, { from: 'https://dogs.test' }) }),
      401,
    )
    assert.equal(await status({ challenge, response: passkey.get(options, { userId: 'another' }) }), 401)
    assert.equal(await status({ challenge, response: softwarePasskey(at).get(options) }), 401)
    assert.equal(await status({ challenge, response }, dogs), 401)
    const other = await askChallenge(app, cats)
    assert.equal(await status({ challenge: other.challenge, response }), 401)
    for (const broken of [
      '',
      'null',
      '[]',
      '{}',
      '{"id":"\\u0000","response":{}}',
      '{"id":"x","response":{}}',
    ])
      assert.equal(await status({ challenge, response: broken }), 401, broken)
    assert.equal(await status({ challenge: 'x', response }), 401)
    app.wait(300)
    assert.equal(await status({ challenge, response }), 401, 'older than five minutes')
    const fresh = await askChallenge(app, cats)
    assert.equal(await status({ challenge: fresh.challenge, response: passkey.get(fresh.options) }), 303)
  })

  test('a passkey proves its own user alone, is removed behind a proof, and ends with a ban', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    await onSiteOf(app, cats, (site) =>
      createUser(site, { username: 'bob', email: 'bob@example.com', password: bob.password, role: 'user' }),
    )
    const [here, other] = [await visitAs(app, cats, ada), await visitAs(app, cats, bob)]
    const ofAda = await makePasskey(here)
    const ofBob = await makePasskey(other)
    const [, named = ''] = /passkeys\/(\w+)\/rename/.exec((await here.show('/settings/security')).text) ?? []
    const rename = (who: Member, name: string) =>
      who.send(`/settings/security/passkeys/${named}/rename`, { name })
    assert.equal((await rename(here, '')).status, 400)
    assert.equal((await rename(here, 'x'.repeat(65))).status, 400)
    assert.equal((await rename(other, 'Of bob')).status, 404)
    assert.equal((await rename(here, ' <b>Phone</b> ')).status, 303)
    const renamed = (await here.show('/settings/security')).text
    assert.match(renamed, /<span dir="auto">&lt;b&gt;Phone&lt;\/b&gt;<\/span>/)
    app.wait(601)
    const prove = async (who: Member, { passkey }: typeof ofAda) => {
      const { challenge, options } = await askChallenge(app, cats)
      return who.send('/prove/passkey', { challenge, response: passkey.get(options), to: '/settings/keys' })
    }
    const [, id = ''] = /passkeys\/(\w+)\/remove/.exec((await here.show('/settings/security')).text) ?? []
    assert.match(
      String((await here.send(`/settings/security/passkeys/${id}/remove`, {})).headers.location),
      /^\/prove/,
    )
    assert.equal((await prove(here, ofBob)).status, 401)
    assert.equal((await prove(other, ofBob)).headers.location, '/settings/keys')
    assert.equal((await other.send(`/settings/security/passkeys/${id}/remove`, {})).status, 404)
    assert.equal((await other.send('/settings/security/passkeys/%00/remove', {})).status, 404)
    assert.equal((await prove(here, ofAda)).headers.location, '/settings/keys')
    assert.equal((await here.send(`/settings/security/passkeys/${id}/remove`, {})).status, 303)

    const logInBy = async ({ passkey }: typeof ofAda) => {
      const { challenge, options } = await askChallenge(app, cats)
      const form = { challenge, response: passkey.get(options) }
      return (await askPage(app, cats, 'POST /login/passkey', { form })).status
    }
    assert.equal(await logInBy(ofAda), 401, 'removed')
    assert.equal(await logInBy(ofBob), 303)
    for (const userHandle of [5, {}, ['x'], 'wrong']) {
      const { challenge, options } = await askChallenge(app, cats)
      const answer = JSON.parse(ofBob.passkey.get(options))
      const response = JSON.stringify({ ...answer, response: { ...answer.response, userHandle } })
      const refused = await askPage(app, cats, 'POST /login/passkey', { form: { challenge, response } })
      assert.equal(refused.status, 401, String(userHandle))
    }
    await onSiteOf(app, cats, (site) => editUser(site, { username: 'bob', isBanned: true }))
    assert.equal(await logInBy(ofBob), 401, 'banned')
  })
})

test('passkeys are not offered on an open line', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  assert.equal((await askPage(app, cats, 'POST /-/passkeys/request', { form: {} })).status, 404)
  assert.doesNotMatch((await askPage(app, cats, 'GET /login')).text, /data-passkey/)
  const here = await visitAs(app, cats, ada)
  assert.match((await here.show('/settings/security')).text, /Passkeys need an encrypted connection/)
})
