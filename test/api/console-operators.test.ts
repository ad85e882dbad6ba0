import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'vitest'
import {
  askConsole,
  consoleAddress,
  consoleHost,
  operatorPassword,
  setUpOperator,
  startConsole,
  type TestConsole,
} from '../support/console.ts'
import { onBothStores, onEachStore, startTestApp } from '../support/harness.ts'

const idOf = async ({ app }: TestConsole, username: string): Promise<string> => {
  const query = app.control.store.control.selectFrom('operator').select('id')
  return (await query.where('username', '=', username).executeTakeFirst())?.id ?? ''
}

const usernames = async ({ app }: TestConsole): Promise<string[]> => {
  const rows = await app.control.store.control.selectFrom('operator').select(['username', 'role']).execute()
  return rows.map(({ username, role }) => `${username} ${role}`).sort()
}

onEachStore('operators', (store) => {
  test('are created with a link of the console, and named by 3 to 32 plain characters', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    const made = await console.post('operators', { username: ' ada.L_1-x ', role: 'viewer' })
    assert.deepEqual([made.status, made.headers['cache-control']], [200, 'no-store'], made.text)
    assert.match(made.text, new RegExp(`value="http://${consoleHost}:${app.port}/_/console/invite/\\w{43}"`))
    assert.doesNotMatch((await console.get('operators')).text, /invite\//, 'shown once')
    const before = await usernames(app)
    for (const [username, role, status] of [
      ['ADA.l_1-x', 'operator', 409],
      ['ab', 'operator', 400],
      ['a'.repeat(33), 'operator', 400],
      ['<b>ada</b>', 'operator', 400],
      ['ada lovelace', 'operator', 400],
      ['', 'operator', 400],
      ['bob', 'admin', 400],
      ['bob', '', 400],
    ] as const) {
      const refused = await console.post('operators', { username, role })
      assert.equal(refused.status, status, `${username} ${role} ${refused.text}`)
      if (status === 409)
        assert.match(
          refused.text,
          /<input(?=[^>]* name="username")(?=[^>]* value="ADA\.l_1-x")/,
          'what was typed',
        )
    }
    assert.deepEqual(await usernames(app), before)
    const row = (await console.get('operators')).text
    assert.match(row, /role="rowheader"[^>]*>(?:(?!<\/td>|<\/th>).)*ada\.L_1-x/)
    assert.match(row, /Not set up/i)
  })

  test('keep one who may change something, and nobody deletes his own account', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    const grace = await idOf(app, 'grace')
    await app.operator('viewer', 'vera')
    const own = await console.post(`operators/${grace}/delete`)
    assert.equal(own.status, 409)
    const demoted = await console.post(`operators/${grace}/role`, { role: 'viewer' })
    assert.equal(demoted.status, 409)
    assert.match(demoted.text, /last/i)
    assert.deepEqual(await usernames(app), ['grace operator', 'vera viewer'])
    assert.equal((await console.post('operators', { username: 'new', role: 'operator' })).status, 200)
    const beside = await console.post(`operators/${grace}/role`, { role: 'viewer' })
    assert.equal(beside.status, 409, 'beside one who has not set up the account')
    assert.equal((await console.post(`operators/${await idOf(app, 'new')}/delete`)).status, 303)
    await app.operator('operator', 'ada')
    assert.equal((await console.post(`operators/${grace}/delete`)).status, 409, 'also beside another')
    assert.equal((await console.post(`operators/${grace}/role`, { role: 'viewer' })).status, 303)
    assert.equal((await console.post(`operators/${grace}/role`, { role: 'operator' })).status, 403, 'at once')
    assert.deepEqual(await usernames(app), ['ada operator', 'grace viewer', 'vera viewer'])
  })

  test('that are not there, in any form of an id, are 404', async () => {
    await using app = await startConsole({ store })
    const before = await usernames(app)
    for (const id of ['AAAAAAAAAAAA', 'x', '%00', '..', "'", 'x'.repeat(300), 'grace'])
      for (const action of ['role', 'reset', 'delete']) {
        const { status } = await app.console.post(`operators/${id}/${action}`, { role: 'viewer' })
        assert.equal(status, 404, `${id}/${action}`)
      }
    assert.deepEqual(await usernames(app), before)
  })

  test('are changed behind a proof of the last ten minutes', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    await app.operator('viewer', 'vera')
    const vera = await idOf(app, 'vera')
    const before = await usernames(app)
    app.wait(601)
    for (const [path, form] of [
      ['operators', { username: 'eve', role: 'operator' }],
      [`operators/${vera}/role`, { role: 'operator' }],
      [`operators/${vera}/reset`, {}],
      [`operators/${vera}/delete`, {}],
    ] as const) {
      const { status, headers } = await console.post(path, form)
      assert.deepEqual(
        [status, headers.location],
        [303, '/_/console/prove?to=%2F_%2Fconsole%2Foperators'],
        path,
      )
    }
    assert.deepEqual(await usernames(app), before)
    const wrong = await console.post('prove', { password: 'wrong', to: '/_/console/operators' })
    assert.equal(wrong.status, 400)
    assert.equal((await console.post(`operators/${vera}/delete`)).status, 303)
    assert.deepEqual(await usernames(app), before)
    const proven = await console.post('prove', { password: operatorPassword, to: '/_/console/operators' })
    assert.equal(proven.headers.location, '/_/console/operators')
    assert.equal(
      (await console.post(`operators/${vera}/delete`)).headers.location,
      '/_/console/operators?saved=1',
    )
    assert.deepEqual(await usernames(app), ['grace operator'])
  })
})

onBothStores('what one operator does to another', (store) => {
  test('counts at the next request of the other, on every server', async () => {
    await using app = await startConsole({ store })
    await using beside = await startTestApp({ beside: app })
    const { console } = app
    const ada = await setUpOperator(app, { role: 'operator', username: 'ada' })
    const id = await idOf(app, 'ada')
    const there = (path: string, form?: Record<string, string>) =>
      askConsole(beside, {
        method: form ? 'POST' : 'GET',
        path,
        cookie: ada.cookie,
        ...(form && { form: { csrf: ada.csrf, ...form } }),
      })
    assert.equal((await there('keys', { name: 'one' })).status, 200)
    assert.equal((await console.post(`operators/${id}/role`, { role: 'viewer' })).status, 303)
    assert.deepEqual(
      [(await there('keys', { name: 'two' })).status, (await there('keys')).status],
      [403, 200],
    )
    assert.equal((await console.post(`operators/${id}/role`, { role: 'operator' })).status, 303)
    assert.equal((await there('keys', { name: 'three' })).status, 200)
    assert.equal((await console.post(`operators/${id}/delete`)).status, 303)
    assert.equal((await there('keys', { name: 'four' })).status, 302)
    const keys = await app.app.control.store.control.selectFrom('controlKey').select('name').execute()
    assert.deepEqual(keys.flatMap(({ name }) => name ?? []).sort(), ['one', 'three'])
    assert.equal((await console.post(`operators/${id}/reset`)).status, 404)
  })

  test('of two who delete each other at once, one stays', async () => {
    await using app = await startConsole({ store })
    await using beside = await startTestApp({ beside: app })
    const ada = await setUpOperator(app, { role: 'operator', username: 'ada' })
    const [ofGrace, ofAda] = [await idOf(app, 'grace'), await idOf(app, 'ada')]
    await Promise.all([
      app.console.post(`operators/${ofAda}/delete`),
      askConsole(beside, {
        method: 'POST',
        path: `operators/${ofGrace}/delete`,
        cookie: ada.cookie,
        form: { csrf: ada.csrf },
      }),
    ])
    assert.equal((await usernames(app)).length, 1)
  })

  test('counts for a form whose rest arrives later', async () => {
    await using app = await startConsole({ store })
    const ada = await app.operator('operator', 'ada')
    const id = await idOf(app, 'ada')
    const slow = async (meanwhile: () => Promise<unknown>) => {
      const body = new URLSearchParams({ csrf: ada.csrf, name: 'late' }).toString()
      const sending = request({
        port: app.port,
        method: 'POST',
        path: consoleAddress('keys'),
        headers: {
          host: consoleHost,
          cookie: ada.cookie,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': body.length,
          expect: '100-continue',
        },
      })
      const answered = once(sending, 'response')
      sending.flushHeaders()
      await once(sending, 'continue')
      await meanwhile()
      sending.end(body)
      const [answer] = await answered
      answer.resume()
      return answer.statusCode
    }
    const keys = () => app.app.control.store.control.selectFrom('controlKey').select('name').execute()
    const before = await keys()
    const asViewer = await slow(() => app.console.post(`operators/${id}/role`, { role: 'viewer' }))
    await app.console.post(`operators/${id}/role`, { role: 'operator' })
    const deleted = await slow(() => app.console.post(`operators/${id}/delete`))
    assert.deepEqual([asViewer, deleted], [403, 302])
    assert.deepEqual(await keys(), before)
  })

  test('of two who become viewers at once, one stays an operator', async () => {
    await using app = await startConsole({ store })
    await using beside = await startTestApp({ beside: app })
    const ada = await setUpOperator(app, { role: 'operator', username: 'ada' })
    const [ofGrace, ofAda] = [await idOf(app, 'grace'), await idOf(app, 'ada')]
    await Promise.all([
      app.console.post(`operators/${ofGrace}/role`, { role: 'viewer' }),
      askConsole(beside, {
        method: 'POST',
        path: `operators/${ofAda}/role`,
        cookie: ada.cookie,
        form: { csrf: ada.csrf, role: 'viewer' },
      }),
    ])
    assert.equal((await usernames(app)).filter((each) => each.endsWith(' operator')).length, 1)
  })
})
