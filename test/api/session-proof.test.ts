import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'

const proofSeconds = 600

onEachStore('a session whose proof is old', (store) => {
  test('makes no key but for uploads, and changes no way in, until its user proves it again', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const berta = { username: 'berta', email: 'berta@example.com', password: 'another long one' }
    const { id } = (await ask5(app, cats, 'POST users', { key, body: berta })).json
    const here = await visitAs(app, cats)
    const ask = (call: string, body?: unknown) =>
      ask5(app, cats, call, { body, headers: { cookie: here.cookie, 'sec-fetch-site': 'same-origin' } })
    const stronger = (name: string) => ask('POST keys', { name, scope: 'read' })
    const made = await stronger('with the log-in')
    assert.equal(made.status, 201, made.text)

    app.wait(proofSeconds)
    const refused = [403, 'proof-needed']
    assert.deepEqual(problem(await stronger('a copy of the cookie')), refused)
    assert.deepEqual(problem(await ask(`POST keys/${made.json.id}/rotate`, { overlap_seconds: 0 })), refused)
    assert.deepEqual(problem(await ask(`PATCH keys/${made.json.id}`, { allowed_origins: null })), refused)
    assert.deepEqual(problem(await ask(`PATCH users/${id}`, { password: 'a third long one' })), refused)
    assert.deepEqual(problem(await ask(`PATCH users/${id}`, { email: 'eve@example.com' })), refused)
    assert.deepEqual(problem(await ask(`PATCH users/${id}`, { role: 'admin' })), refused)
    assert.deepEqual(problem(await ask(`DELETE users/${id}/totp`)), refused)
    const eve = { username: 'eve', email: 'eve@example.com', password: 'a long one of eve', role: 'admin' }
    assert.deepEqual(problem(await ask('POST users', eve)), refused)
    const form = await here.send('/dashboard/users/new', eve)
    assert.ok(form.status >= 400 && form.text.includes('value="eve@example.com"'), form.text)
    const role = await here.send(`/dashboard/users/${id}/role`, { role: 'admin', version: '1' })
    assert.equal(role.headers.location, `/prove?to=/dashboard/users/${id}`)
    const users = (await ask5(app, cats, 'GET users', { key })).json.data
    assert.deepEqual(users.map((user: any) => `${user.username} ${user.role}`).sort(), [
      'ada admin',
      'berta user',
    ])
    assert.equal((await ask('POST keys', { name: 'phone', scope: 'upload' })).status, 201)
    assert.equal((await ask(`PATCH users/${id}`, { is_banned: true })).status, 200)
    const byKey = await ask5(app, cats, 'POST keys', { key, body: { name: 'by key', scope: 'admin' } })
    assert.equal(byKey.status, 201, byKey.text)

    const withPassword = await here.send('/dashboard/users/new', { ...eve, current: 'a long password' })
    assert.match(withPassword.headers.location ?? '', /^\/dashboard\/users\/\w+\?saved=1$/)
    app.wait(proofSeconds)
    assert.deepEqual(problem(await stronger('an old proof')), refused)
    const proven = await here.send('/prove', { password: 'a long password', to: '/settings' })
    assert.equal(proven.status, 303)
    assert.equal((await stronger('after the proof')).status, 201)
    assert.equal((await ask(`POST keys/${made.json.id}/rotate`, { overlap_seconds: 0 })).status, 200)
    assert.equal((await ask(`PATCH users/${id}`, { password: 'a third long one' })).status, 200)
  })
})
