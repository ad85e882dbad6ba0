import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openSite, readTenant, syncStats } from '../../src/tenants/index.ts'
import { onEachStore, sendRequest } from '../support/harness.ts'
import { freshPlace, type Place, ranOf } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { multipartOf, picture } from '../support/uploads.ts'

const settings = {
  SERVICE_DEMO: '0',
  SERVICE_SCRUB_DAYS: '0',
  SERVICE_AUDIT_DAYS: '0',
  SERVICE_LOG_LEVEL: 'silent',
}
const timeout = 120_000

onEachStore('the worker', (store) => {
  test('works beside a running server, which sees its changes immediately', { timeout }, async () => {
    await using place = await freshPlace(store, settings)
    await using server = await place.serve({ SERVICE_JOBS: '0' })
    const key = await install(place, 'cats')
    await install(place, 'dogs')
    const url = await uploadTo(server.port, key)
    assert.equal(await statusOf(server.port, url), 200)
    await place.json('tenants', 'jobs:worker', '--once')
    assert.equal((await filesOf(place)).last_job_at, null, 'there was nothing to do')

    await expire(place)
    assert.equal(await statusOf(server.port, url), 404)
    const table = await place.bin('tenants', 'jobs:worker', '--once')
    assert.deepEqual([table.code, table.err], [0, ''])
    assert.match(table.out, /^tenant\toutcome\tdone\tseconds\n/)
    assert.match(table.out, /^cats\tdone\t1 files expired, 2 stored files removed\t\d+\.\d\d$/m)
    assert.ok(!table.out.includes('dogs'))
    const { stats, last_job_at: lastJobAt } = await filesOf(place)
    assert.deepEqual([stats.files, stats.storage_used], [0, 0])
    assert.ok(stats.cron_time >= 1, 'seconds, rounded up')
    assert.match(lastJobAt, /^\d{4}-/)

    const [named, ...others] = await place.json('tenants', 'jobs:worker', '--once', '--id', 'dogs')
    assert.deepEqual([named.id, named.outcome, named.done, others], ['dogs', 'done', {}, []])
    const unknown = await place.run('tenants', 'jobs:worker', '--once', '--id', 'none')
    assert.deepEqual([unknown.code, unknown.err], [1, 'Tenant not found\n'])
    await place.json('tenants', 'create', '--id', 'new', '--hostname', 'new.test')
    const early = await place.run('tenants', 'jobs:worker', '--id', 'new')
    assert.deepEqual([early.code, early.err], [1, 'The tenant "new" is not installed.\n'])
    assert.equal(await server.ended('SIGTERM'), 0)
  })

  test('runs until SIGTERM, and then releases its leases', { timeout }, async () => {
    await using place = await freshPlace(store, settings)
    await using server = await place.serve({ SERVICE_JOBS: '0' })
    const key = await install(place, 'cats')
    const worker = place.start(['tenants', 'jobs:worker', '--json'])
    const ran = ranOf(worker)
    let printed = ''
    worker.stdout?.on('data', (text) => {
      printed += text
    })
    await uploadTo(server.port, key)
    await expire(place)
    // A new installation is gone through once in any case, and that may be printed first.
    const expiring = () => doneIn(printed).find((done) => 'expire-files' in done)
    await until(async () => expiring() !== undefined, 'the worker prints that a file has expired')
    assert.deepEqual(expiring(), { 'expire-files': 1, 'remove-bytes': 2 })
    worker.kill('SIGTERM')
    assert.equal((await ran).code, 0)
    assert.equal((await filesOf(place)).stats.files, 0)
    await inApp(place, async ({ control }) => {
      const rows = await control.store.control.selectFrom('job').select('leasedUntil').execute()
      assert.ok(rows.length > 0)
      assert.ok(rows.every(({ leasedUntil }) => leasedUntil === null))
    })
  })

  test('is the server itself, unless SERVICE_JOBS is 0', { timeout }, async () => {
    await using place = await freshPlace(store, settings)
    await using server = await place.serve()
    await uploadTo(server.port, await install(place, 'cats'))
    await expire(place)
    await until(async () => (await filesOf(place)).stats.files === 0, 'the file is gone')
    assert.equal(await server.ended('SIGTERM'), 0)
  })

  test('stats that a killed server did not sync are reconciled by the next one', {
    timeout,
  }, async () => {
    await using place = await freshPlace(store, settings)
    await using first = await place.serve({ SERVICE_JOBS: '0' })
    await uploadTo(first.port, await install(place, 'cats'))
    // A new installation goes through its sites once in any case.
    await place.json('tenants', 'jobs:worker', '--once')
    await expire(place, { isTold: false })
    await first.ended('SIGKILL')
    const rows = await place.json('tenants', 'jobs:worker', '--once')
    assert.ok(!rows.some(({ id }: { id: string }) => id === 'cats'), 'nobody knows')
    await using second = await place.serve()
    await until(async () => (await filesOf(place)).stats.files === 0, 'the file is gone')
    assert.equal(await second.ended('SIGTERM'), 0)
  })
})

async function install(place: Place, id: string): Promise<string> {
  await place.json('tenants', 'create', '--id', id, '--hostname', `${id}.test`)
  const account = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']
  return (await place.json('tenants', 'install', '--id', id, ...account)).api_key
}

async function uploadTo(port: number, key: string): Promise<string> {
  const form = multipartOf([{ name: 'source', value: await picture(), fileName: 'cat.png' }])
  const headers = { host: 'cats.test', 'x-api-key': key, 'content-type': form.type }
  const { json, text } = await sendRequest(port, 'POST', '/api/1/upload', { bytes: form.bytes, headers })
  assert.ok(json?.image, text)
  return json.image.url
}

const statusOf = async (port: number, url: string) =>
  (await sendRequest(port, 'GET', new URL(url).pathname, { headers: { host: 'cats.test' } })).status

const filesOf = (place: Place) => place.json('tenants', 'get', '--id', 'cats')

async function inApp(place: Place, work: (app: Awaited<ReturnType<typeof openApp>>) => Promise<void>) {
  await using app = await openApp(readConfig(place.settings, '/'))
  await work(app)
}

/** Ends the time of all files, as if it had been waited for. */
const expire = (place: Place, { isTold = true } = {}) =>
  inApp(place, async ({ control }) => {
    await using site = await openSite(control, await readTenant(control, 'cats'))
    await site.db.updateTable('file').set({ expiresAt: '2020-01-01T00:00:00.000Z' }).execute()
    if (isTold) await syncStats(control, site)
  })

/** What each job run has done, of those that are printed completely: JSON objects, one after the other. */
const doneIn = (printed: string): Record<string, number>[] =>
  printed
    .split(/(?<=^\}\n)/m)
    .filter((text) => text.endsWith('}\n'))
    .map((text) => JSON.parse(text).done)
