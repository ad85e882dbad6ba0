import assert from 'node:assert/strict'
import { test } from 'vitest'
import { mediaRoutes, siteRoutes } from '../../src/routes.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { until } from '../support/until.ts'
import { picture, statsOf, uploaded } from '../support/uploads.ts'

/** Section 23 of the contract: log-in and log-out, the figures, what makes room, and the way out. */
const open = [
  'POST /sessions',
  'DELETE /sessions',
  'DELETE /sessions/{id}',
  'GET /me',
  'GET /me/usage',
  'GET /usage',
  'GET /quotas',
  'GET /files',
  'GET /files/{id}',
  'DELETE /files/{id}',
  'DELETE /albums/{id}',
  // Its action decides.
  'POST /files/bulk',
].map((call) => call.replace(' /', ' /api/5/'))

const calls = [...new Map([...mediaRoutes, ...siteRoutes].map((route) => [callOf(route), route])).keys()]
  .filter((call) => call.includes(' /api/5/'))
  .sort()

function callOf({ method, path }: { method: string; path: string }) {
  return `${method} ${path}`
}

const asPath = (call: string) => call.replace(' /api/5/', ' ').replaceAll(/\{\w+\}/g, 'AAAAAAAAAAAA')

onEachStore('a site that a quota has suspended', (store) => {
  async function startSuspended() {
    await using undo = new AsyncDisposableStack()
    const app = undo.use(
      await startTestApp({ store, environment: { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0' } }),
    )
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const files: any[] = []
    for (const seed of [1, 2, 3]) files.push(await uploaded(app, cats, { file: await picture({ seed }) }))
    const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Trip' } })).json
    const ada = await visitAs(app, cats)
    const { storage_used: used = 0 } = await statsOf(app, cats)
    const suspend = async () => {
      const limits = { SERVICE_MAX_STORAGE: String(Math.floor(used / 4)) }
      const env = { SERVICE_QUOTA_ACTION: 'suspend', SERVICE_QUOTA_GRACE_DAYS: '0' }
      assert.equal((await app.call('PATCH', 'tenants/cats', { limits, env })).status, 204)
      await until(async () => (await ask(app, files[0].url)).status === 403, 'the suspension')
    }
    await suspend()
    const owned = undo.move()
    return { app, cats, key, files, album, ada, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }

  test('refuses every call of its API but those that the contract names', async () => {
    await using site = await startSuspended()
    const { app, cats, key } = site
    assert.ok(calls.length > 60, `${calls.length} calls`)
    for (const call of calls) {
      const { status, json } = await ask5(app, cats, asPath(call), {
        key,
        body: call.startsWith('GET') ? undefined : {},
      })
      // An answer to HEAD has no body.
      const isRefused = status === 403 && (call.startsWith('HEAD') || json?.code === 'quota-reached')
      assert.equal(isRefused, !open.includes(call), `${call}: ${status} ${JSON.stringify(json)}`)
    }
    for (const call of open) assert.ok(calls.includes(call), call)
  })

  test('lets its people log in, take their files with them and make room', async () => {
    await using site = await startSuspended()
    const { app, cats, key, files, album, ada } = site
    const guest = await askPage(app, cats, 'GET /login')
    assert.equal(guest.status, 200)
    const styles = [...guest.text.matchAll(/(?:href|src)="(\/-\/assets\/[^"]+|\/_\/[^"]+\.(?:css|js))"/g)]
    assert.ok(styles.length > 0, 'the page has assets')
    for (const [, path = ''] of styles)
      assert.equal((await askPage(app, cats, `GET ${path}`)).status, 200, path)
    const form = { login: 'ada', password: 'a long password' }
    assert.equal((await askPage(app, cats, 'POST /login', { form })).status, 303)
    const own = await ada.send('/settings/export', { part: '1' })
    assert.deepEqual([own.status, own.headers['content-type']], [200, 'application/zip'])
    assert.equal((await ada.show('/settings')).status, 403)
    const { cookie, csrf } = ada
    const out = await askPage(app, cats, 'POST /logout', { cookie, form: { csrf } })
    assert.equal(out.status, 303)
    assert.equal((await ask5(app, cats, `DELETE albums/${album.id}`, { key })).status, 204)

    const bulk = (action: string, id: string) =>
      ask5(app, cats, 'POST files/bulk', {
        key,
        body: { action, ids: [id], ...(action === 'edit' && { set: { title: 'A' } }) },
      })
    const [first, second, third] = files.map((file) => file.id_encoded as string)
    assert.equal((await bulk('edit', first ?? '')).status, 403)
    assert.equal((await bulk('restore', first ?? '')).status, 403)
    assert.equal((await bulk('trash', first ?? '')).status, 200)
    assert.equal((await bulk('remove', second ?? '')).status, 200)
    assert.equal((await ask5(app, cats, `DELETE files/${first}?permanent=true`, { key })).status, 204)
    assert.equal((await ask(app, files[2].url)).status, 403, 'one file is still too much')
    assert.equal((await ask5(app, cats, `DELETE files/${third}?permanent=true`, { key })).status, 204)
    await until(async () => (await askPage(app, cats, 'GET /')).status === 200, 'the open site')
  })
})
