import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { startServers, tally, times } from '../support/servers/several-servers.ts'
import { until } from '../support/until.ts'
import { limit, nowOf, uploaded, userWithKey } from '../support/uploads.ts'

const environment = { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0' }

onEachStore('the limit of shares', (store) => {
  test('counts shares of all users that are neither revoked nor over, and refuses to revive one', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const bob = await userWithKey(app, cats, 'bob')
    const bobs = await keyOf(app, cats, 'write', bob.userId)
    const { id_encoded: hers } = await uploaded(app, cats)
    const { id_encoded: his } = await uploaded(app, cats, { key: bob.key })
    const soon = (seconds: number) => new Date(nowOf(app).getTime() + seconds * 1_000).toISOString()
    const share = (body: object = {}) => ask5(app, cats, `POST files/${hers}/shares`, { key, body })
    const used = async () => (await ask5(app, cats, 'GET me', { key })).json.limits.SERVICE_MAX_SHARES
    const refused = [403, 'limit-reached']
    const edit = (id: string, body: object) => ask5(app, cats, `PATCH shares/${id}`, { key, body })

    await limit(app, cats, { SERVICE_MAX_SHARES: '2' })
    const first = (await share({ expires_at: soon(60) })).json
    assert.equal((await ask5(app, cats, `POST files/${his}/shares`, { key: bobs, body: {} })).status, 201)
    assert.deepEqual(await used(), { value: 2, used: 2 })
    const over = await share()
    assert.deepEqual(problem(over), refused)
    assert.deepEqual(
      [over.json.error.code, over.json.detail],
      [999, 'SERVICE_MAX_SHARES is reached (limit 2).'],
    )
    assert.equal((await edit(first.id, { name: 'for Bob' })).status, 200, 'a share that works can be edited')

    app.wait(61)
    assert.equal((await used()).used, 1, 'the first share is over')
    const second = (await share({ max_views: 1 })).json
    assert.deepEqual(problem(await edit(first.id, { expires_at: null })), refused)
    assert.equal((await edit(first.id, { name: 'for nobody' })).status, 200, 'one that is over stays so')

    const opened = await ask5(app, cats, 'POST shares/open', {
      body: { token: second.url.split('/').at(-1) },
    })
    assert.equal(opened.status, 200, opened.text)
    assert.equal((await used()).used, 1, 'all its views are used')
    assert.equal((await edit(first.id, { expires_at: null })).status, 200)
    assert.deepEqual(problem(await edit(second.id, { max_views: 5 })), refused)
    assert.equal((await ask5(app, cats, `DELETE shares/${first.id}`, { key })).status, 204)
    assert.equal((await edit(second.id, { max_views: 5 })).status, 200)
    await ask5(app, cats, `DELETE files/${his}?permanent=true`, { key: bobs })
    assert.equal((await used()).used, 1, 'a share goes with its file')
  })

  test('lets as many through as it allows, of many at once on all servers', async () => {
    await using servers = await startServers(store)
    const app = servers.first
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { id_encoded: id } = await uploaded(app, cats)
    await limit(app, cats, { SERVICE_MAX_SHARES: '5' })
    for (const server of servers.all)
      await until(
        async () =>
          (await ask5(server, cats, 'GET me', { key })).json.limits?.SERVICE_MAX_SHARES?.value === 5,
        'it knows the limit',
      )
    const answers = await Promise.all(
      times(24, (place) => {
        const server = servers.all[place % servers.all.length] ?? app
        return ask5(server, cats, `POST files/${id}/shares`, { key, body: {} })
      }),
    )
    assert.deepEqual(tally(answers), { 201: 5, 403: 19 })
  })
})
