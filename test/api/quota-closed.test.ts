import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { runHere } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { picture, refusalOf, statsOf, upload, uploaded, writeViewsOf } from '../support/uploads.ts'

async function startSite(store: StoreKind) {
  const app = await startTestApp({ store })
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'admin')
  const first = await uploaded(app, cats)
  const { storage_used: one = 0 } = await statsOf(app, cats)
  return {
    app,
    cats,
    key,
    first,
    one,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

async function setLimits(app: TestApp, limits: Record<string, string>, env: Record<string, string> = {}) {
  const { status, text } = await app.call('PATCH', 'tenants/cats', { limits, env })
  assert.equal(status, 204, text)
}

const stateOf = async (app: TestApp) => (await app.call('GET', 'tenants/cats/quotas')).json

const untilState = (app: TestApp, state: string) =>
  until(async () => (await stateOf(app)).data[0]?.state === state, `the state ${state}`)

onEachStore('a used up quota', (store) => {
  test('of traffic refuses bytes alone until the month ends', async () => {
    await using site = await startSite(store)
    const { app, cats, key, first } = site
    // The second answer comes from memory.
    for (let count = 0; count < 2; count += 1) assert.equal((await ask(app, first.url)).status, 200)
    await setLimits(app, { SERVICE_MAX_TRAFFIC: '1' })
    await writeViewsOf(app, cats, 0)
    await untilState(app, 'reached')
    await until(async () => (await ask(app, first.url)).status === 429, 'the refusal of bytes')
    for (const address of [first.url, first.thumb.url]) {
      const refused = await app.send('GET', new URL(address).pathname, { headers: { host: cats.hostname } })
      assert.deepEqual([refused.status, refused.json.error.code], [429, 999], address)
      assert.equal(refused.headers['cache-control'], 'no-store')
      const now = app.app.control.clock.now()
      const left = (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()) / 1_000
      assert.ok(Math.abs(Number(refused.headers['retry-after']) - left) < 60)
    }
    const ranged = await app.send('GET', new URL(first.url).pathname, {
      headers: { host: cats.hostname, range: 'bytes=0-9' },
    })
    assert.equal(ranged.status, 429)
    const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Trip' } })).json
    const move = { action: 'move', ids: [first.id_encoded], set: { album_id: album.id } }
    assert.equal((await ask5(app, cats, 'POST files/bulk', { key, body: move })).status, 200)
    const share = (await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body: {} })).json
    const ada = await visitAs(app, cats)
    for (const zip of [
      await ada.show(`/album/${album.id}/zip`),
      await ada.send('/-/zip', { id: first.id_encoded }),
      await askPage(app, cats, `GET ${new URL(share.url).pathname}/zip`),
    ])
      assert.equal(zip.status, 429, 'a zip is bytes of files too')
    const own = await ada.send('/settings/export', { part: '1' })
    assert.deepEqual([own.status, own.headers['content-type']], [200, 'application/zip'])
    assert.equal((await ask(app, `${first.url}x`)).status, 404)
    assert.equal((await ask(app, first.url_viewer)).status, 200)
    assert.equal((await ask5(app, cats, 'GET files', { key })).status, 200)
    assert.equal((await upload(app, cats, { file: await picture({ seed: 1 }) })).status, 200)

    await setLimits(app, { SERVICE_MAX_TRAFFIC: '1' }, { SERVICE_QUOTA_ACTION: 'alert' })
    assert.equal((await ask(app, first.url)).status, 200)
    await setLimits(app, { SERVICE_MAX_TRAFFIC: '1G' })
    await until(async () => (await ask(app, first.url)).status === 200, 'a larger value')
    await setLimits(app, { SERVICE_MAX_TRAFFIC: '1' })
    await until(async () => (await ask(app, first.url)).status === 429, 'the smaller value')
    app.wait(32 * 86_400)
    assert.equal((await ask(app, first.url)).status, 200)
  })

  test('is told by the tool, with the time at which the site is or was suspended', async () => {
    await using site = await startSite(store)
    const { app, one } = site
    const told = async () => {
      const { code, out, err } = await runHere(['tenants', 'quotas', '--id', 'cats'], app.environment)
      assert.equal(code, 0, err)
      return out.split('\n')
    }
    const limits = { SERVICE_MAX_STORAGE: String(one - 1) }
    await setLimits(app, limits, { SERVICE_QUOTA_ACTION: 'suspend', SERVICE_QUOTA_GRACE_DAYS: '2' })
    await until(async () => (await stateOf(app)).suspends_at !== null, 'the date')
    const [, row = '', line = ''] = await told()
    assert.match(row, /^SERVICE_MAX_STORAGE\t.*\t0 B\t100%\treached$/)
    assert.equal(line, `The site will be suspended at ${(await stateOf(app)).suspends_at}.`)
    await setLimits(app, limits, { SERVICE_QUOTA_ACTION: 'suspend', SERVICE_QUOTA_GRACE_DAYS: '0' })
    await untilState(app, 'suspended')
    const [, now = '', since = ''] = await told()
    assert.match(now, /\tsuspended$/)
    assert.equal(since, `The site has been suspended since ${(await stateOf(app)).suspended_at}.`)
  })

  test('of storage over its value suspends the site after the grace days', async () => {
    await using site = await startSite(store)
    const { app, cats, key, first, one } = site
    const env = { SERVICE_QUOTA_ACTION: 'suspend', SERVICE_QUOTA_GRACE_DAYS: '2' }
    await setLimits(app, { SERVICE_MAX_STORAGE: String(one - 1) }, env)
    await until(async () => (await stateOf(app)).suspends_at !== null, 'the date')
    const { action, suspends_at, suspended_at } = await stateOf(app)
    assert.deepEqual([action, suspended_at], ['suspend', null])
    const inMs =
      Date.parse(`${suspends_at.replace(' ', 'T')}Z`.replace('ZZ', 'Z')) -
      app.app.control.clock.now().getTime()
    assert.ok(inMs > 1.9 * 86_400_000 && inMs <= 2 * 86_400_000, suspends_at)
    const { suspends_at: also } = (await ask5(app, cats, 'GET quotas', { key })).json
    assert.match(also, /^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/)
    assert.equal((await ask(app, first.url)).status, 200)

    app.wait(2 * 86_400 + 1)
    const open = await keyOf(app, cats, 'admin')
    assert.equal((await stateOf(app)).data[0].state, 'suspended')
    assert.notEqual((await stateOf(app)).suspended_at, null)
    for (const address of [
      first.url,
      first.url_viewer,
      `http://${cats.hostname}/`,
      `http://${cats.hostname}/nowhere`,
    ])
      assert.equal((await ask(app, address)).status, 403, address)
    const refused = await ask5(app, cats, 'GET albums', { key: open })
    assert.deepEqual(
      [refused.status, refused.json.code, refused.json.error.code],
      [403, 'quota-reached', 999],
    )
    assert.deepEqual(refusalOf(await upload(app, cats)).slice(0, 2), [403, 999])
    const page = await askPage(app, cats, 'GET /', {
      headers: { 'accept-language': 'de', accept: 'text/html' },
    })
    assert.equal(page.status, 403)
    assert.match(page.text, /Diese Website ist gesperrt/)
    assert.doesNotMatch(page.text, /cats\.test/)

    for (const call of [
      'GET me',
      'GET usage',
      'GET me/usage',
      'GET quotas',
      'GET files',
      `GET files/${first.id_encoded}`,
    ])
      assert.equal((await ask5(app, cats, call, { key: open })).status, 200, call)
    for (const path of ['/login', '/settings/export'])
      assert.notEqual((await askPage(app, cats, `GET ${path}`)).status, 403, path)
    const ids = [first.id_encoded]
    const edit = await ask5(app, cats, 'POST files/bulk', {
      key: open,
      body: { action: 'edit', ids, set: { title: 'A' } },
    })
    assert.deepEqual([edit.status, edit.json.error.code], [403, 999])
    assert.equal((await app.call('GET', 'tenants/cats')).status, 200)

    const removed = await ask5(app, cats, 'POST files/bulk', { key: open, body: { action: 'remove', ids } })
    assert.equal(removed.status, 200, removed.text)
    await until(
      async () => (await ask5(app, cats, 'GET albums', { key: open })).status === 200,
      'the open site',
    )
    assert.deepEqual([(await stateOf(app)).suspends_at, (await stateOf(app)).suspended_at], [null, null])
  })

  test('opens with another action, and the grace days begin anew with the next excess', async () => {
    await using site = await startSite(store)
    const { app, first, one } = site
    const env = { SERVICE_QUOTA_ACTION: 'suspend', SERVICE_QUOTA_GRACE_DAYS: '0' }
    const over = { SERVICE_MAX_STORAGE: String(one - 1) }
    await setLimits(app, over, env)
    await until(async () => (await ask(app, first.url)).status === 403, 'a suspension at once')
    const isCounted = async (state: string) =>
      (await app.send('GET', '/_/metrics')).text.includes(`\nterrace_quota_sites{state="${state}"} 1\n`)
    await until(() => isCounted('suspended'), 'the metric of suspended sites')
    await setLimits(app, over, { SERVICE_QUOTA_ACTION: 'refuse' })
    assert.equal((await ask(app, first.url)).status, 200)
    await until(() => isCounted('reached'), 'the metric of sites with a quota that is reached')
    await setLimits(app, { SERVICE_MAX_STORAGE: String(one) }, env)
    await until(async () => (await ask(app, first.url)).status === 200, 'a value that is not exceeded')
    await setLimits(app, over, { ...env, SERVICE_QUOTA_GRACE_DAYS: '1' })
    await until(async () => (await stateOf(app)).suspends_at !== null, 'the date')
    assert.equal((await ask(app, first.url)).status, 200)
    app.wait(86_400 + 1)
    await until(async () => (await ask(app, first.url)).status === 403, 'the suspension')
    // A clock that is set back: the days are not over yet.
    app.wait(-3_600)
    assert.equal((await ask(app, first.url)).status, 200)
  })
})
