import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { test } from 'vitest'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { askPage, tokenIn, visitAs } from '../support/pages.ts'
import { runHere } from '../support/tool.ts'
import { upload, userWithKey } from '../support/uploads.ts'

type Member = Awaited<ReturnType<typeof visitAs>>

/** Sets the second step up as a person does, and returns codes that were not used yet. */
async function setUp(app: TestApp, here: Member) {
  const { text } = await here.show('/settings/security/totp')
  const [, secret = ''] = /id="secret"[^>]* value="([A-Z2-7]+)"/.exec(text) ?? []
  const [, setup = ''] = /name="setup" value="([^"]+)"/.exec(text) ?? []
  const code = () => new TOTP({ secret }).generate({ timestamp: app.app.control.clock.now().getTime() })
  const on = await here.send('/settings/security/totp', { setup, code: code() })
  assert.equal(on.status, 200, on.text)
  return () => {
    app.wait(60)
    return code()
  }
}

const sameOrigin = ({ cookie }: Member) => ({ headers: { cookie, 'sec-fetch-site': 'same-origin' } })

onEachStore('the setting require_second_step', (store) => {
  test('staff without one may only set it up and log out', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { userId } = await userWithKey(app, cats, 'mia', 'manager')
    await userWithKey(app, cats, 'bob')
    const [admin, write] = [await keyOf(app, cats, 'admin', userId), await keyOf(app, cats, 'write', userId)]
    const password = 'a long password'
    const mia = await visitAs(app, cats, { login: 'mia', password })
    const bob = await visitAs(app, cats, { login: 'bob', password })
    const needed = [403, 'second-step-needed']

    const on = await runHere(
      ['site', '--tenant', 'cats', 'setting:set', 'require_second_step', '1'],
      app.environment,
    )
    assert.equal(on.code, 0)
    for (const call of ['GET users', 'GET stats', 'GET files', 'POST albums']) {
      const body = call === 'POST albums' ? { title: 'New' } : undefined
      assert.deepEqual(problem(await ask5(app, cats, call, { body, ...sameOrigin(mia) })), needed, call)
      assert.deepEqual(problem(await ask5(app, cats, call, { body, key: admin })), needed, call)
    }
    const sent = await upload(app, cats, { key: admin })
    assert.equal(sent.status, 403, sent.text)
    assert.equal((await ask5(app, cats, 'GET files', { key: write })).status, 200)
    assert.equal((await ask5(app, cats, 'GET me', sameOrigin(bob))).status, 200)
    assert.equal((await bob.show('/settings')).status, 200)

    for (const path of ['/', '/dashboard', '/settings', '/mine', '/explore', '/dashboard/queue']) {
      const { status, headers } = await mia.show(path)
      assert.deepEqual([status, headers.location], [303, '/settings/security/totp'], path)
    }
    const form = await askPage(app, cats, 'POST /albums/new', {
      cookie: mia.cookie,
      form: { csrf: mia.csrf, title: 'New', privacy: 'public' },
    })
    assert.equal(form.headers.location, '/settings/security/totp')
    assert.equal((await mia.show('/robots.txt')).status, 200)

    const nextCode = await setUp(app, mia)
    assert.equal((await mia.show('/dashboard')).status, 200)
    assert.equal((await ask5(app, cats, 'GET users', { key: admin })).status, 200)
    const kept = await mia.send('/settings/security/totp/off', { code: nextCode() })
    assert.equal(kept.status, 409, kept.text)
    assert.equal((await mia.show('/dashboard')).status, 200)

    const ada = await askPage(app, cats, 'POST /login', { form: { login: 'ada', password } })
    const [pair = ''] = String(ada.headers['set-cookie']).split(';')
    const page = await askPage(app, cats, 'GET /settings/security/totp', { cookie: pair })
    const out = await askPage(app, cats, 'POST /logout', { cookie: pair, form: { csrf: tokenIn(page) } })
    assert.equal(out.status, 303)
    assert.equal((await askPage(app, cats, 'GET /dashboard', { cookie: pair })).status, 302)
  })

  test('is switched on by API only by a caller who has one, and own ones stay on meanwhile', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    const patch = (value: boolean) =>
      ask5(app, cats, 'PATCH settings', { body: { require_second_step: value }, ...sameOrigin(here) })
    assert.equal((await patch(true)).status, 409)
    const key = await keyOf(app, cats, 'admin')
    const byKey = await ask5(app, cats, 'PATCH settings', { key, body: { require_second_step: true } })
    assert.equal(byKey.status, 409)
    const shown = await here.send('/dashboard/settings/security', {
      require_second_step: '1',
      seen_require_second_step: '0',
    })
    assert.equal(shown.status, 409)
    const nextCode = await setUp(app, here)
    assert.equal((await patch(true)).status, 200)
    const { id } = (await ask5(app, cats, 'GET me', { key })).json.user
    assert.equal((await ask5(app, cats, `DELETE users/${id}/totp`, { key })).status, 409)
    assert.equal((await here.send('/settings/security/totp/off', { code: nextCode() })).status, 409)
    assert.equal((await patch(false)).status, 200)
    assert.equal((await here.send('/settings/security/totp/off', { code: nextCode() })).status, 303)
  })
})
