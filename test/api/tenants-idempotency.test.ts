import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onBothStores, startTestApp } from '../support/harness.ts'
import { startServers, times } from '../support/servers/several-servers.ts'

onBothStores('POST tenants with an Idempotency-Key', (store) => {
  const cats = { id: 'cats', hostname: 'cats.test', is_enabled: true, env: { TOKEN: 'a canary' } }
  const headers = { 'idempotency-key': 'one' }

  test('32 equal requests over all servers make one tenant, and all answers are equal', async () => {
    await using servers = await startServers(store)
    const { key } = servers.first
    const answers = await Promise.all(
      times(32, () => servers.call('POST', 'tenants', cats, { ...headers, 'x-api-key': key })),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
    assert.equal(new Set(answers.map(({ text, headers: { location } }) => `${location} ${text}`)).size, 1)
    assert.equal(answers.filter((answer) => answer.headers['idempotency-replayed'] === 'true').length, 31)
    assert.equal((await servers.call('GET', 'tenants')).json.length, 1)
    const rows = await servers.first.app.control.store.control.selectFrom('keptAnswer').selectAll().execute()
    assert.equal(rows.length, 1)
    assert.doesNotMatch(JSON.stringify(rows), /canary/)
  })

  test('another request with the key is refused, a refusal is not kept, and a day later the key is free', async () => {
    await using app = await startTestApp({ store })
    const post = (body: object, key = 'one') => app.call('POST', 'tenants', body, { 'idempotency-key': key })
    assert.equal((await post(cats)).status, 201)
    assert.equal((await post({ ...cats, id: 'dogs' })).status, 422)
    assert.equal((await post(cats, 'two')).status, 409)
    assert.equal((await post({ id: 'dogs', hostname: 'dogs.test', is_enabled: true }, 'two')).status, 201)
    const { status, json } = await post(
      { id: 'mice', hostname: 'mice.test', is_enabled: true },
      'not visible',
    )
    assert.deepEqual(
      [status, json.error.list],
      [400, ['Idempotency-Key: must be 1 to 255 visible ASCII characters']],
    )
    app.wait(24 * 3_600 + 1)
    assert.equal((await post({ id: 'mice', hostname: 'mice.test', is_enabled: true })).status, 201)
  })
})
