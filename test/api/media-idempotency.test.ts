import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { startServers } from '../support/servers/several-servers.ts'
import { onSiteOf, userWithKey } from '../support/uploads.ts'

onEachStore('the Idempotency-Key', (store) => {
  test('an equal request has one effect and the same answer, secret included', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const post = (name: string, once: string, by = key) =>
      ask5(app, cats, 'POST keys', { key: by, body: { name }, headers: { 'idempotency-key': once } })
    const first = await post('phone', 'one')
    const again = await post('phone', 'one')
    assert.deepEqual([again.status, again.json], [201, first.json])
    assert.equal(again.headers.location, first.headers.location)
    assert.deepEqual(
      [first.headers['idempotency-replayed'], again.headers['idempotency-replayed']],
      [undefined, 'true'],
    )
    const stored = await onSiteOf(app, cats, (site) =>
      site.db.selectFrom('idempotencyKey').selectAll().execute(),
    )
    assert.equal(stored.length, 1)
    assert.doesNotMatch(JSON.stringify(stored), new RegExp(first.json.key))

    assert.deepEqual(problem(await post('tablet', 'one')), [422, 'idempotency-mismatch'])
    const { userId } = await userWithKey(app, cats, 'bob')
    const bobs = await post('phone', 'one', await keyOf(app, cats, 'write', userId))
    assert.equal(bobs.status, 201)
    assert.notEqual(bobs.json.id, first.json.id)
    app.wait(24 * 3_600 + 1)
    assert.deepEqual(problem(await post('phone', 'one')), [409, 'conflict'])
  })

  test('a refusal is not kept', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const post = () =>
      ask5(app, cats, 'POST keys', { key, body: { name: 'phone' }, headers: { 'idempotency-key': 'one' } })
    const other = await ask5(app, cats, 'POST keys', { key, body: { name: 'phone' } })
    assert.deepEqual(problem(await post()), [409, 'conflict'])
    await ask5(app, cats, `DELETE keys/${other.json.id}`, { key })
    assert.equal((await post()).status, 201)
  })

  test('32 requests at once on all servers make one key', async () => {
    await using servers = await startServers(store)
    const { first: app, all } = servers
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, index) => {
        const server = all[index % all.length] ?? app
        const body = { name: 'phone' }
        return ask5(server, cats, 'POST keys', { key, body, headers: { 'idempotency-key': 'one' } })
      }),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
    assert.equal(new Set(answers.map(({ json }) => json.key)).size, 1)
    assert.equal(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true').length, 31)
    const { json } = await ask5(app, cats, 'GET keys', { key })
    assert.equal(json.data.filter(({ name }: { name: string }) => name === 'phone').length, 1)
  })

  test('a log-in that is sent twice opens one session', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const body = { login: 'ada', password: 'a long password' }
    const headers = { 'idempotency-key': 'log-in' }
    const [one, two] = [
      await ask5(app, cats, 'POST sessions', { body, headers }),
      await ask5(app, cats, 'POST sessions', { body, headers }),
    ]
    assert.deepEqual([one.status, two.status], [201, 201])
    assert.deepEqual(two.headers['set-cookie'], one.headers['set-cookie'])
    const other = await ask5(app, cats, 'POST sessions', { body: { ...body, password: 'wrong' }, headers })
    assert.deepEqual(problem(other), [422, 'idempotency-mismatch'])
  })

  test('the request of a killed server is taken over when its lease has ended', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const post = () =>
      ask5(app, cats, 'POST keys', { key, body: { name: 'phone' }, headers: { 'idempotency-key': 'one' } })
    const first = await post()
    await ask5(app, cats, `DELETE keys/${first.json.id}`, { key })
    await onSiteOf(app, cats, (site) =>
      site.db.updateTable('idempotencyKey').set({ state: 'running', answer: null }).execute(),
    )
    app.wait(16)
    const second = await post()
    assert.equal(second.status, 201, second.text)
    assert.notEqual(second.json.id, first.json.id)
  })

  test('while the first request runs, an equal one waits ten seconds, then it is refused', {
    timeout: 300_000,
  }, async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const post = () =>
      ask5(app, cats, 'POST keys', { key, body: { name: 'phone' }, headers: { 'idempotency-key': 'one' } })
    await post()
    const leasedUntil = new Date(app.app.control.clock.now().getTime() + 600_000).toISOString()
    await onSiteOf(app, cats, (site) =>
      site.db.updateTable('idempotencyKey').set({ state: 'running', answer: null, leasedUntil }).execute(),
    )
    const began = performance.now()
    assert.deepEqual(problem(await post()), [409, 'in-flight'])
    assert.ok(performance.now() - began >= 9_900)
  })
})
