import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createResetLink } from '../../src/accounts/index.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, problem } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { onSiteOf } from '../support/uploads.ts'

const good = 'wooden spoon 3'

/** For a user bob-the-builder with the address robert.builder@example.com, on kittens.test. */
const refused = [
  ['7 chars', /8 to 128/],
  ['x'.repeat(129), /8 to 128/],
  ['Password1', /This password is common/],
  ['QWERTYUIOP', /This password is common/],
  ['1234567890', /This password is common/],
  ['bob-THE-builder', /Don’t use your user name/],
  ['robert.builder@example.com', /Don’t use your user name/],
  ['Robert.Builder', /Don’t use your user name/],
  ['Kittens.Test', /Don’t use your user name/],
] as const

const bob = { username: 'bob-the-builder', email: 'robert.builder@example.com' }

onEachStore('a password that a person chooses', (store) => {
  test('is refused by the API if it is short, common or a name of the user or site', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('kittens')
    const key = await keyOf(app, cats, 'admin')
    const post = (password: string) => ask5(app, cats, 'POST users', { key, body: { ...bob, password } })
    for (const [password] of refused) {
      const made = await post(password)
      assert.deepEqual(problem(made), [400, 'invalid'], password)
      assert.deepEqual(
        made.json.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['#/password'],
        password,
      )
    }
    const { json } = await post(good)
    for (const [password] of refused) {
      const edited = await ask5(app, cats, `PATCH users/${json.id}`, { key, body: { password } })
      assert.deepEqual(problem(edited), [400, 'invalid'], password)
      assert.equal(edited.json.errors[0].pointer, '#/password', password)
    }
    const { headers } = await logIn(app, cats, { login: bob.username, password: good })
    for (const [password] of [...refused, ['new.address@example.com'], ['New.Address']]) {
      const body = { password, email: 'new.address@example.com', current_password: good }
      const edited = await ask5(app, cats, 'PATCH me', { headers, body })
      assert.deepEqual(problem(edited), [400, 'invalid'], password)
      assert.equal(edited.json.errors[0].pointer, '#/password', password)
    }
    const body = { password: 'eight ch', current_password: good }
    assert.equal((await ask5(app, cats, 'PATCH me', { headers, body })).status, 200)
  })

  test('is refused by sign-up, settings, reset link and dashboard, with the reason', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_ENABLE_SIGNUP: '1' } })
    const cats = await app.tenant('kittens')
    const ada = await visitAs(app, cats)
    for (const [password, reason] of refused) {
      const signedUp = await askPage(app, cats, 'POST /signup', { form: { ...bob, password } })
      assert.equal(signedUp.status, 400, password)
      assert.match(signedUp.text, reason, password)
      const added = await ada.send('/dashboard/users/new', { ...bob, role: 'user', password })
      assert.equal(added.status, 400, password)
      assert.match(added.text, reason, password)
    }
    const added = await ada.send('/dashboard/users/new', { ...bob, role: 'user', password: good })
    assert.equal(added.status, 303)
    const visit = await visitAs(app, cats, { login: bob.username, password: good })
    const asked = { email: bob.email, kind: 'reset' } as const
    const { token = '' } = (await onSiteOf(app, cats, (site) => createResetLink(site, asked))) ?? {}
    for (const [password, reason] of refused) {
      const changed = await visit.send('/settings/security', { current: good, password })
      assert.equal(changed.status, 400, password)
      assert.match(changed.text, reason, password)
      const reset = await askPage(app, cats, `POST /password/${token}`, { form: { password } })
      assert.equal(reset.status, 400, password)
      assert.match(reset.text, reason, password)
    }
    assert.equal(
      (await askPage(app, cats, `POST /password/${token}`, { form: { password: 'eight ch' } })).status,
      303,
    )
  })

  test('has no effect on what operators set, which logs in as before', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const reset = (password: string) =>
      app.call('PATCH', `tenants/${cats.id}/user-password-reset`, { username: 'ada', password })
    for (const password of ['secret', 'ada@example.com', 'password1']) {
      assert.equal((await reset(password)).status, 200, password)
      await logIn(app, cats, { login: 'ada', password })
    }
    assert.equal((await reset('5char')).status, 400)
  })
})
