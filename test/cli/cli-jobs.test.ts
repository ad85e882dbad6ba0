import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openSite, readTenant, syncStats } from '../../src/tenants/index.ts'
import { onEachStore, sendRequest } from '../support/harness.ts'
import { freshInstallation, type Installation, ranOf } from '../support/tool.ts'
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
    await using installation = await freshInstallation(store, settings)
    await using server = await installation.serve({ SERVICE_JOBS: '0' })
    const key = await install(installation, 'cats')
    await install(installation, 'dogs')
    const url = await uploadTo(server.port, key)
    assert.equal(await statusOf(server.port, url), 200)
    await installation.json('tenants', 'jobs:worker', '--once')
    assert.equal((await filesOf(installation)).last_job_at, null, 'there was nothing to do')

    await expire(installation)
    assert.equal(await statusOf(server.port, url), 404)
    const table = await installation.bin('tenants', 'jobs:worker', '--once')
    assert.deepEqual([table.code, table.err], [0, ''])
    assert.match(table.out, /^tenant\toutcome\tdone\tseconds\n/)
    assert.match(table.out, /^cats\tdone\t1 files expired, 2 stored files removed\t\d+\.\d\d$/m)
    assert.ok(!table.out.includes('dogs'))
    const { stats, last_job_at: lastJobAt } = await filesOf(installation)
    assert.deepEqual([stats.files, stats.storage_used], [0, 0])
    assert.ok(stats.cron_time >= 1, 'seconds, rounded up')
    assert.match(lastJobAt, /^\d{4}-/)

    const [named, ...others] = await installation.json('tenants', 'jobs:worker', '--once', '--id', 'dogs')
    assert.deepEqual([named.id, named.outcome, named.done, others], ['dogs', 'done', {}, []])
    const unknown = await installation.run('tenants', 'jobs:worker', '--once', '--id', 'none')
    assert.deepEqual([unknown.code, unknown.err], [1, 'Tenant not found\n'])
    await installation.json('tenants', 'create', '--id', 'new', '--hostname', 'new.test')
    const early = await installation.run('tenants', 'jobs:worker', '--id', 'new')
    assert.deepEqual([early.code, early.err], [1, 'The tenant "new" is not installed.\n'])
    assert.equal(await server.ended('SIGTERM'), 0)
  })

  test('runs until SIGTERM, and then releases its leases', { timeout }, async () => {
    await using installation = await freshInstallation(store, settings)
    await using server = await installation.serve({ SERVICE_JOBS: '0' })
    const key = await install(installation, 'cats')
    const worker = installation.start(['tenants', 'jobs:worker', '--json'])
    const ran = ranOf(worker)
    let printed = ''
    worker.stdout?.on('data', (text) => {
      printed += text
    })
    await uploadTo(server.port, key)
    await expire(installation)
    // A new installation is gone through once in any case, and that may be printed first.
    const expiring = () => doneIn(printed).find((done) => 'expire-files' in done)
    await until(async () => expiring() !== undefined, 'the worker prints that a file has expired')
    assert.deepEqual(expiring(), { 'expire-files': 1, 'remove-bytes': 2 })
    worker.kill('SIGTERM')
    assert.equal((await ran).code, 0)
    assert.equal((await filesOf(installation)).stats.files, 0)
    await inApp(installation, async ({ control }) => {
      const rows = await control.store.control.selectFrom('job').select('leasedUntil').execute()
      assert.ok(rows.length > 0)
      assert.ok(rows.every(({ leasedUntil }) => leasedUntil === null))
    })
  })

  test('is the server itself, unless SERVICE_JOBS is 0', { timeout }, async () => {
    await using installation = await freshInstallation(store, settings)
    await using server = await installation.serve()
    await uploadTo(server.port, await install(installation, 'cats'))
    await expire(installation)
    await until(async () => (await filesOf(installation)).stats.files === 0, 'the file is gone')
    assert.equal(await server.ended('SIGTERM'), 0)
  })

  test('stats that a killed server did not sync are reconciled by the next one', {
    timeout,
  }, async () => {
    await using installation = await freshInstallation(store, settings)
    await using first = await installation.serve({ SERVICE_JOBS: '0' })
    await uploadTo(first.port, await install(installation, 'cats'))
    // A new installation goes through its sites once in any case.
    await installation.json('tenants', 'jobs:worker', '--once')
    await expire(installation, { isSynced: false })
    await first.ended('SIGKILL')
    const rows = await installation.json('tenants', 'jobs:worker', '--once')
    assert.ok(!rows.some(({ id }: { id: string }) => id === 'cats'), 'nobody knows')
    await using second = await installation.serve()
    await until(async () => (await filesOf(installation)).stats.files === 0, 'the file is gone')
    assert.equal(await second.ended('SIGTERM'), 0)
  })
})

async function install(installation: Installation, id: string): Promise<string> {
  await installation.json('tenants', 'create', '--id', id, '--hostname', `${id}.test`)
  const account = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']
  return (await installation.json('tenants', 'install', '--id', id, ...account)).api_key
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

const filesOf = (installation: Installation) => installation.json('tenants', 'get', '--id', 'cats')

async function inApp(
  installation: Installation,
  work: (app: Awaited<ReturnType<typeof openApp>>) => Promise<void>,
) {
  await using app = await openApp(readConfig(installation.settings, '/'))
  await work(app)
}

/** Ends the time of all files, as if it had been waited for. */
const expire = (installation: Installation, { isSynced = true } = {}) =>
  inApp(installation, async ({ control }) => {
    await using site = await openSite(control, await readTenant(control, 'cats'))
    await site.db.updateTable('file').set({ expiresAt: '2020-01-01T00:00:00.000Z' }).execute()
    if (isSynced) await syncStats(control, site)
  })

/** What each job run has done, of those that are printed completely: JSON objects, one after the other. */
const doneIn = (printed: string): Record<string, number>[] =>
  printed
    .split(/(?<=^\}\n)/m)
    .filter((text) => text.endsWith('}\n'))
    .map((text) => JSON.parse(text).done)
