import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'vitest'
import { ask, browserHeaders } from '../support/delivered.ts'
import { startPostgresProxy } from '../support/faults/postgres-proxy.ts'
import { onBothStores, startTestApp } from '../support/harness.ts'
import { otherDatabase } from '../support/stores/other-databases.ts'
import { picture, statsOf, upload, uploaded } from '../support/uploads.ts'

const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
/** For each message to the database of one tenant. */
const delayMs = 600

onBothStores('a tenant whose database is slow', (store) => {
  test('makes no other tenant wait, neither for uploads nor for views', async () => {
    await using app = await startTestApp({ store })
    await using database = await otherDatabase()
    await using proxy = await startPostgresProxy(database.url)
    const env = { SERVICE_DATABASE_URL: proxy.url }
    await app.call('POST', 'tenants', { id: 'slow', hostname: 'slow.test', is_enabled: true, env })
    const { json } = await app.call('POST', 'tenants/slow/install', account)
    const slow = { id: 'slow', hostname: 'slow.test', apiKey: json.api_key }
    const fast = await app.tenant('fast')
    const image = await uploaded(app, slow)
    await uploaded(app, fast)

    const took = async (uploads: number) => {
      const times: number[] = []
      for (let number = 0; number < uploads; number += 1) {
        const { files = 0 } = await statsOf(app, fast)
        const file = await picture({ seed: files + 1 })
        const startedAt = performance.now()
        await uploaded(app, fast, { file })
        times.push(performance.now() - startedAt)
        assert.equal((await statsOf(app, fast)).files, files + 1)
      }
      return Math.round(times.toSorted((a, b) => a - b)[Math.floor(uploads / 2)] ?? 0)
    }
    await took(5)
    const before = await took(15)

    proxy.delay(delayMs)
    let isOver = false
    const look = async () => {
      while (!isOver) assert.equal((await ask(app, image.url_viewer, browserHeaders)).status, 200)
    }
    const send = async () => {
      while (!isOver) assert.equal((await upload(app, slow, { file: await picture() })).status, 200)
    }
    const slowly = [...Array.from({ length: 6 }, look), send(), send()]
    // Until the first ones have come to what they tell the installation.
    await pause(8 * delayMs)
    const beside = await took(15)
    isOver = true
    proxy.delay(0)
    await Promise.all(slowly)
    console.log(`uploads beside a tenant at ${delayMs} ms take ${beside} ms, and ${before} ms alone`)
    // It read the tenant's rows twice while it held a lock that every upload had to wait for.
    assert.ok(beside < before + delayMs, `an upload takes ${beside} ms in place of ${before} ms`)
  }, 180_000)
})
