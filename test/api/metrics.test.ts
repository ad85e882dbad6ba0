import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { connect } from 'node:net'
import perfHooks from 'node:perf_hooks'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { until } from '../support/until.ts'
import { limit, picture, statsOf, upload, uploaded } from '../support/uploads.ts'

onEachStore('metrics', (store) => {
  test('count requests by pattern, tenants and open sites', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    await app.tenant('dogs')
    await app.call('DELETE', 'tenants/dogs')
    await app.call('GET', 'tenants/cats')
    await app.call('GET', 'tenants/none')
    await app.send('GET', '/', { headers: { host: 'cats.test' } })
    const { status, headers, text } = await app.send('GET', '/_/metrics')
    assert.equal(status, 200)
    assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4; charset=utf-8$/)
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(text, /^terrace_tenants 1$/m)
    assert.match(text, /^terrace_open_sites 1$/m)
    const count = (method: string, route: string, answered: number) =>
      new RegExp(
        `^terrace_requests_total\\{method="${method}",route="${route}",status="${answered}"\\} (\\d+)$`,
        'm',
      ).exec(text)?.[1]
    assert.equal(count('GET', '/_/api/4/tenants/:id', 200), '1')
    assert.equal(count('GET', '/_/api/4/tenants/:id', 404), '1')
    assert.equal(count('POST', '/_/api/4/tenants', 201), '2')
    assert.equal(count('DELETE', '/_/api/4/tenants/:id', 204), '1')
    assert.match(text, /^terrace_request_seconds_bucket\{le="0\.025",route="\/_\/api\/4\/tenants"\} \d+$/m)
    assert.match(text, /^process_cpu_seconds_total /m)
  })

  test('count what was done and refused, and what the installation holds, without tenants', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const metrics = async () => {
      const { text } = await app.send('GET', '/_/metrics')
      assert.doesNotMatch(text, /cats/)
      const named = [...text.matchAll(/^terrace_(\S+) (\d+)$/gm)]
      return Object.fromEntries(named.map(([, name = '', value]) => [name, Number(value)]))
    }
    const none = await metrics()
    assert.deepEqual(
      [none.uploads_total, none.files, none.storage_bytes, none.users, none.traffic_bytes_total],
      [0, 0, 0, 1, 0],
    )
    const file = await picture()
    const image = await uploaded(app, cats, { file })
    const key = await keyOf(app, cats, 'admin')
    const id = image.id_encoded
    const content = { bytes: await picture({ seed: 1 }), type: 'image/png' }
    const headers = { host: cats.hostname, 'x-api-key': key, 'content-type': content.type }
    const replaced = await app.send('PUT', `/api/5/files/${id}/content`, { bytes: content.bytes, headers })
    assert.equal(replaced.status, 200, replaced.text)
    const sent = await ask(app, replaced.json.url)
    const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Trip' } })).json
    for (const path of [new URL(image.url_viewer).pathname, `/album/${album.id}`])
      assert.equal((await app.send('GET', path, { headers: { host: cats.hostname } })).status, 200, path)
    await limit(app, cats, { SERVICE_MAX_FILES: '1', SERVICE_MAX_STORAGE_PER_USER: '1' })
    assert.equal((await upload(app, cats)).status, 403)
    assert.equal(
      (await app.send('PUT', `/api/5/files/${id}/content`, { bytes: content.bytes, headers })).status,
      403,
    )
    await ask5(app, cats, `DELETE files/${id}`, { key })
    await limit(app, cats, { SERVICE_MAX_FILES_PER_USER: '1' })
    await uploaded(app, cats)
    const restoring = { action: 'restore', ids: [id] }
    assert.equal((await ask5(app, cats, 'POST files/bulk', { key, body: restoring })).json.failed, 1)

    const after = await metrics()
    const { storage_used } = await statsOf(app, cats)
    assert.deepEqual(
      [after.uploads_total, after.upload_bytes_total, after.files, after.storage_bytes],
      [3, file.length + content.bytes.length + file.length, 1, storage_used],
    )
    assert.deepEqual([after.downloads_total, after.traffic_bytes_total], [1, sent.bytes.length])
    assert.equal(after.api_requests_total, 8)
    assert.equal(after.views_total, 1, 'the views of files, as in the usage')
    for (const name of ['SERVICE_MAX_FILES', 'SERVICE_MAX_FILES_PER_USER', 'SERVICE_MAX_STORAGE_PER_USER'])
      assert.equal(after[`quota_refusals_total{limit="${name}"}`], 1, name)
  })
})

test('jobs of decoders are counted by their lane, in whichever process they are asked for', async () => {
  await using app = await startTestApp({ processes: 2 })
  const cats = await app.tenant('cats')
  const lanes = async () => {
    const { text } = await app.send('GET', '/_/metrics')
    const counted = text.matchAll(/^terrace_decoder_jobs_total\{lane="(\w+)"\} (\d+)$/gm)
    return Object.fromEntries([...counted].map(([, lane = '', count]) => [lane, Number(count)]))
  }
  const before = await lanes()
  assert.deepEqual(Object.keys(before), ['upload', 'transform', 'unhurried'])
  const { url } = await uploaded(app, cats, { file: await picture({ width: 700, height: 500 }) })
  const { port = 0 } = app.further[0] ?? {}
  const asked = { accept: 'image/avif,image/webp' }
  for (let time = 0; time < 3; time += 1)
    assert.equal((await ask({ port }, `${url}?width=320`, asked)).status, 200)
  const isAvif = async () =>
    (await ask(app, `${url}?width=320`, asked)).headers['content-type'] === 'image/avif'
  await until(isAvif, 'AVIF is made')
  const after = await lanes()
  const more = Object.entries(after).map(([lane, count]) => [lane, count - (before[lane] ?? 0)])
  assert.deepEqual(Object.fromEntries(more), { upload: 1, transform: 1, unhurried: 1 })
})

test('metrics grow with our routes and not with what callers make up', async () => {
  await using app = await startTestApp()
  for (let number = 0; number < 50; number++) {
    await app.send('GET', `/made-up-${number}`, { headers: { host: `host-${number}.test` } })
    await app.send('GET', `/_/api/4/tenants/made-up-${number}?q=made-up`, {
      headers: { 'x-api-key': `made-up-${number}` },
    })
    await app.send('GET', `/_/made-up-${number}`)
  }
  for (const method of METHODS.filter((name) => name !== 'CONNECT'))
    await app.send(method, '/_/api/4/tenants')
  const { text } = await app.send('GET', '/_/metrics')
  assert.ok(!/made-up|host-\d|trc_/.test(text))
  assert.ok(
    text.split('\n').filter((line) => line.startsWith('terrace_requests_total{')).length < 2 * METHODS.length,
  )
})

test('the time of a request counts from its first byte, on the fast path and on the long way', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const image = await uploaded(app, cats)
  for (let round = 0; round < 2; round += 1) assert.equal((await ask(app, image.url)).status, 200)
  const secondsOf = async (route: string) => {
    const { text } = await app.send('GET', '/_/metrics')
    const line = text
      .split('\n')
      .find((each) => each.startsWith(`terrace_request_seconds_sum{route="${route}"}`))
    return Number(line?.split(' ')[1])
  }
  const pauseMs = 400
  for (const [path, route] of [
    [new URL(image.url).pathname, '/images/*'],
    [`${new URL(image.url).pathname}?`, '/images/*'],
    ['/_/health/live', '/_/health/live'],
  ] as const) {
    const before = (await secondsOf(route)) || 0
    const socket = connect(app.port, '127.0.0.1')
    const answer = text(socket)
    socket.write('G')
    await pause(pauseMs)
    socket.write(`ET ${path} HTTP/1.1\r\nHost: cats.test\r\nConnection: close\r\n\r\n`)
    assert.match(await answer, /^HTTP\/1.1 200 /)
    const seconds = (await secondsOf(route)) - before
    assert.ok(seconds * 1_000 > pauseMs * 0.9, `${path}: ${seconds} s are reported`)
  }
})

test('Node is watched from the first scrape on', async () => {
  await using app = await startTestApp()
  const watched = mock.method(perfHooks, 'monitorEventLoopDelay')
  await app.tenant('cats')
  assert.equal(watched.mock.callCount(), 0)
  for (let scrape = 0; scrape < 3; scrape += 1)
    assert.match((await app.send('GET', '/_/metrics')).text, /^nodejs_eventloop_lag_seconds /m)
  assert.equal(watched.mock.callCount(), 1)
  watched.mock.restore()
})

test('metrics are for this machine, or for a holder of a key', async () => {
  await using app = await startTestApp()
  const get = async (headers: Record<string, string>) =>
    (await app.send('GET', '/_/metrics', { headers })).status
  const abroad = { host: 'cats.test' }
  const passedOn = { 'x-forwarded-for': '127.0.0.1' }
  assert.equal(await get({}), 200)
  assert.equal(await get({ host: 'localhost', 'x-api-key': 'wrong' }), 200)
  for (const from of [abroad, passedOn]) {
    assert.equal(await get(from), 401)
    assert.equal(await get({ ...from, 'x-api-key': 'wrong' }), 401)
    assert.equal(await get({ ...from, 'x-api-key': app.key }), 200)
  }
})

onEachStore('the question for a certificate', (store) => {
  test('is answered yes for the hosts of enabled tenants and for nothing else', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    await app.call('POST', 'tenants', { id: 'new', hostname: 'b\u00fccher.test', is_enabled: true })
    await app.call('POST', 'tenants', { id: 'off', hostname: 'off.test', is_enabled: false })
    const ask = async (query: string) => app.send('GET', `/_/tls/ask${query}`)
    for (const domain of ['cats.test', 'CATS.test', 'cats.test.', 'xn--bcher-kva.test', 'b%C3%BCcher.test']) {
      const { status, json } = await ask(`?domain=${domain}`)
      assert.equal(status, 200, domain)
      assert.match(json.hostname, /^(cats|xn--bcher-kva)\.test$/)
    }
    for (const query of [
      '',
      '?',
      '?domain',
      '?domain=',
      '?domain=off.test',
      '?domain=none.test',
      '?domain=x.cats.test',
      '?domain=*.test',
      '?domain=cats.test:443',
      '?domain=cats.test%00',
      '?domain=cats.test&domain=cats.test',
      '?domain[]=cats.test',
      '?Domain=cats.test',
      '?domain=localhost',
      '?domain=127.0.0.1',
      '?domain=%ff',
      `?domain=${'x'.repeat(5_000)}`,
    ]) {
      const { status, json } = await ask(query)
      assert.deepEqual([status, json.error.code], [404, 404], query)
    }
    await app.call('PATCH', 'tenants/cats', { is_enabled: false })
    assert.equal((await ask('?domain=cats.test')).status, 404)
    await app.call('PATCH', 'tenants/cats', { is_enabled: true, hostname: 'dogs.test' })
    assert.deepEqual(
      [(await ask('?domain=cats.test')).status, (await ask('?domain=dogs.test')).status],
      [404, 200],
    )
  })
})

test('health is shown to every client, on every host', async () => {
  await using app = await startTestApp({ environment: { SERVICE_TENANTS_API_IP_ALLOW_LIST: '10.0.0.0/8' } })
  for (const [path, word] of [
    ['live', 'live'],
    ['ready', 'ready'],
  ]) {
    for (const headers of [
      {},
      { host: 'nobody.test' },
      { 'x-forwarded-for': '1.2.3.4' },
      { accept: 'text/html' },
    ]) {
      const { status, json, headers: sent } = await app.send('GET', `/_/health/${path}`, { headers })
      assert.deepEqual([status, json], [200, { status: word }])
      assert.equal(sent['cache-control'], 'no-store')
    }
  }
})
