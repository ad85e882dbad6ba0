import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'vitest'
import { startPostgresProxy } from '../support/faults/postgres-proxy.ts'
import { startTestApp } from '../support/harness.ts'
import { until } from '../support/until.ts'
import { uploaded } from '../support/uploads.ts'

/** The server looks at the quotas of a new tenant once, beside all requests. */
async function whenQuiet(proxy: Awaited<ReturnType<typeof startPostgresProxy>>): Promise<void> {
  for (let before = -1; before !== proxy.messages(); await pause(2_500)) before = proxy.messages()
}

test('a slow database is not asked again for what is remembered, and a change is seen all the same', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using proxy = await startPostgresProxy(String(here.environment.SERVICE_DATABASE_URL))
  await using there = await startTestApp({ beside: here, environment: { SERVICE_DATABASE_URL: proxy.url } })
  const { id, hostname } = await here.tenant('cats')
  // Its answer takes nothing from the database but what is remembered: which site the host names, and its state.
  const visit = async () =>
    (await there.send('GET', '/api/9/unknown', { headers: { host: hostname } })).status
  await until(async () => (await visit()) === 400, 'the site is known')

  await whenQuiet(proxy)
  proxy.delay(700)
  // What was heard before it became slow is no longer believed.
  await pause(1_500)
  assert.equal(await visit(), 400)
  const before = proxy.messages()
  const start = performance.now()
  let visits = 0
  while (performance.now() - start < 6_000) {
    assert.equal(await visit(), 400)
    visits += 1
    await pause(10)
  }
  const asked = proxy.messages() - before
  const questions = proxy.lastMessages(asked).join('\n')
  assert.ok(visits > 10 && asked === 0, `${visits} requests asked ${asked} times:\n${questions}`)

  for (const isEnabled of [false, true]) {
    await here.call('PATCH', `tenants/${id}`, { is_enabled: isEnabled })
    await pause(1_000)
    assert.equal(await visit(), isEnabled ? 400 : 403)
  }
})

test('a known file takes one wait for a slow database: its row and its site are asked for at the same time', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using proxy = await startPostgresProxy(String(here.environment.SERVICE_DATABASE_URL))
  await using there = await startTestApp({ beside: here, environment: { SERVICE_DATABASE_URL: proxy.url } })
  const cats = await here.tenant('cats')
  const { url } = await uploaded(here, cats)
  const get = () => there.send('GET', new URL(url).pathname, { headers: { host: cats.hostname } })
  await until(async () => (await get()).status === 200, 'the file is known')

  await whenQuiet(proxy)
  proxy.hold()
  // What was heard before is no longer believed, and the poll that is under way is too old.
  await pause(1_500)
  const before = proxy.held()
  const answer = get()
  // A job may ask for something too: the statement of the row has the name of the file.
  const name = basename(new URL(url).pathname).split('.')[0]
  const areAsked = () => proxy.held(name) > 0 && proxy.held() >= before + 2
  await until(areAsked, 'the site and the row are asked for')
  await pause(300)
  proxy.passHeld()
  // A question that comes now would wait until the request is given up.
  assert.equal((await answer).status, 200)
})

test('a poll that is late does not make the server forget what it knows', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  await using proxy = await startPostgresProxy(String(here.environment.SERVICE_DATABASE_URL))
  await using there = await startTestApp({ beside: here, environment: { SERVICE_DATABASE_URL: proxy.url } })
  const { hostname } = await here.tenant('cats')
  const visit = async () =>
    (await there.send('GET', '/api/9/unknown', { headers: { host: hostname } })).status
  await until(async () => (await visit()) === 400, 'the site is known')

  proxy.silence('terrace-watch')
  // The connection that listens is given up, and no new one is had.
  await pause(3_000)
  const before = proxy.messages()
  const start = performance.now()
  let visits = 0
  while (performance.now() - start < 4_000) {
    assert.equal(await visit(), 400)
    visits += 1
  }
  const seconds = (performance.now() - start) / 1_000
  const asked = proxy.messages() - before
  // One question for all requests of 0.9 seconds; jobs ask a little too.
  assert.ok(visits > 40 && asked < 8 * seconds && asked < visits, `${visits} requests asked ${asked} times`)
})
