import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { test } from 'vitest'
import { backUp, examineApp } from '../../src/maintenance/index.ts'
import { onBothStores, type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { assertServed, backupFolder, keptOf } from '../support/stores/backups.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { freshInstallation, runHere } from '../support/tool.ts'
import { picture, type TestTenant, uploaded } from '../support/uploads.ts'

type Stub = Awaited<ReturnType<typeof startS3Stub>>

/** An installation of which sites were made before it had a folder of its own: their bytes lie at `sites/NUMBER`. */
async function startEarlierApp(store: StoreKind, stub: Stub) {
  const first = await startTestApp({ store })
  const tenant = await first.tenant('cats')
  const environment = { SERVICE_STORAGE_URL: stub.url }
  const app = await startTestApp({ beside: first, environment })
  return {
    app,
    first,
    tenant,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
    },
  }
}

const uploadTo = async (app: TestApp, tenant: TestTenant, seed: number) =>
  keptOf(app, await uploaded(app, tenant, { file: await picture({ seed }) }))

/** Everything that an installation does of its own accord or is told to do to what nobody needs. */
async function cleanUp(app: TestApp): Promise<void> {
  const other = await app.tenant('other')
  await uploadTo(app, other, 99)
  // Of a tenant that has no files yet: the first numbers are everybody's.
  for (const id of ['empty', 'other']) {
    if (id === 'empty') await app.tenant(id)
    assert.equal((await app.call('DELETE', `tenants/${id}`, { drop_tables: true })).status, 204)
  }
  app.wait(8 * 86_400)
  await doDueJobs(app)
  await examineApp(app.app, { isRepairing: true })
}

onBothStores('two installations on one bucket', (store) => {
  test('leave each other alone: drops, sweeps, aborts and repairs', async () => {
    await using stub = await startS3Stub()
    const environment = { SERVICE_STORAGE_URL: stub.url }
    await using one = await startTestApp({ store, environment })
    await using two = await startTestApp({ store, environment })
    const cats = await one.tenant('cats')
    const kept = await uploadTo(one, cats, 1)
    const [stored] = stub.objects.keys()
    stub.uploads.set('theirs', { key: `${stored}.mp4`, headers: {}, parts: new Map() })
    stub.uploads.set('strange', { key: 'sites/1/files/x', headers: {}, parts: new Map() })
    stub.objects.set('sites/1/files/old', { bytes: Buffer.from('of a stranger'), headers: {} })
    const before = [...stub.objects.keys()]

    await cleanUp(two)
    assert.deepEqual([...stub.objects.keys()], before)
    assert.deepEqual([...stub.uploads.keys()], ['theirs', 'strange'])
    await assertServed(one, [kept])
  })

  test('one of which was there before there were folders: it keeps its addresses, and its files', async () => {
    await using stub = await startS3Stub()
    await using earlier = await startEarlierApp(store, stub)
    const kept = await uploadTo(earlier.app, earlier.tenant, 1)
    const keys = [...stub.objects.keys()].filter((key) => key.startsWith('sites/1/files/'))
    assert.equal(keys.length, 2, [...stub.objects.keys()].join())
    await using newer = await startTestApp({ store, environment: { SERVICE_STORAGE_URL: stub.url } })
    const dogs = await newer.tenant('dogs')
    const theirs = await uploadTo(newer, dogs, 2)
    const before = [...stub.objects.keys()].sort()
    const [own] = before.filter((key) => !key.startsWith('sites/') && key.includes('/sites/1/'))
    stub.uploads.set('ours', { key: 'sites/1/files/x', headers: {}, parts: new Map() })

    await cleanUp(newer)
    assert.deepEqual([...stub.uploads.keys()], ['ours'])
    stub.uploads.set('theirs', { key: `${own}.mp4`, headers: {}, parts: new Map() })
    await cleanUp(earlier.app)
    assert.deepEqual([...stub.uploads.keys()], ['theirs'], 'what is its own, it does sweep')
    assert.deepEqual([...stub.objects.keys()].sort(), before)
    await assertServed(earlier.app, [kept])
    await assertServed(newer, [theirs])
  })

  test('both from before: the first one has it, the second is refused by name and touches nothing', async () => {
    await using stub = await startS3Stub()
    await using earlier = await startEarlierApp(store, stub)
    const kept = await uploadTo(earlier.app, earlier.tenant, 1)
    const before = [...stub.objects.keys()]
    await using second = await startTestApp({ store })
    await second.tenant('dogs')
    const settings = { ...second.environment, SERVICE_STORAGE_URL: stub.url }
    const { code, err } = await runHere(['tenants', 'delete', '--id', 'dogs', '--drop-tables'], settings)
    assert.equal(code, 1)
    assert.match(err, /belongs to another installation, "\w+", as the object terrace-installation\.json/)
    assert.deepEqual([...stub.objects.keys()], before)
    await assertServed(earlier.app, [kept])
  })

  test('both from before, the bucket away at the start: nothing is written before it is known whose it is', async () => {
    await using stub = await startS3Stub()
    await using earlier = await startEarlierApp(store, stub)
    const kept = await uploadTo(earlier.app, earlier.tenant, 1)
    const before = [...stub.objects.keys()]
    await using first = await startTestApp({ store })
    await first.tenant('dogs')
    stub.setFault(() => ({ status: 503, code: 'SlowDown' }))
    const environment = { SERVICE_STORAGE_URL: stub.url }
    await using second = await startTestApp({ beside: first, environment })
    stub.setFault(() => undefined)
    const health = async () => (await second.send('GET', '/_/health/ready')).status
    assert.equal(await health(), 503)
    await second.call('DELETE', 'tenants/dogs', { drop_tables: true })
    assert.deepEqual([...stub.objects.keys()], before)
    await assertServed(earlier.app, [kept])
  })

  test('a restore refuses a bucket that is not empty, so that a drill cannot touch production', async () => {
    await using stub = await startS3Stub()
    await using folder = await backupFolder()
    await using app = await startTestApp({ store, environment: { SERVICE_STORAGE_URL: stub.url } })
    const cats = await app.tenant('cats')
    const kept = await uploadTo(app, cats, 1)
    const backup = join(folder.path, 'one')
    await backUp(app.app, { to: backup, withKeys: true })
    const before = [...stub.objects.keys()]

    await using installation = await freshInstallation(store, { SERVICE_STORAGE_URL: stub.url })
    const { code, err } = await installation.run('restore', '--from', backup)
    assert.equal(code, 1)
    assert.match(err, /SERVICE_STORAGE_URL: the bucket is not empty: it contains .+/)
    assert.deepEqual([...stub.objects.keys()], before)
    await assertServed(app, [kept])

    // In a folder of the same bucket there is room.
    const apart = { ...installation.settings, SERVICE_STORAGE_URL: `${stub.url}&path=drill` }
    const restored = await runHere(['restore', '--from', backup], apart)
    assert.equal(restored.code, 0, restored.err)
    assert.deepEqual(
      before.filter((key) => !stub.objects.has(key)),
      [],
    )
    assert.equal(stub.objects.size, before.length * 2)
  })

  test('the drill as docs/operations.md has it leaves production alone, whose settings it is run with', async () => {
    await using stub = await startS3Stub()
    await using folder = await backupFolder()
    await using app = await startTestApp({ store, environment: { SERVICE_STORAGE_URL: stub.url } })
    const cats = await app.tenant('cats')
    const kept = await uploadTo(app, cats, 1)
    const backup = join(folder.path, 'one')
    await backUp(app.app, { to: backup, withKeys: true })
    const before = [...stub.objects.keys()]
    stub.setFault(() => undefined)

    const commands = drillCommands().map((line) =>
      line.replace('/tmp/drill', join(folder.path, 'drill')).replace('/backup/2026-11-15', backup),
    )
    assert.deepEqual(
      commands.map((line) => /terrace (restore|doctor)|rm -r/.exec(line)?.[0]),
      ['terrace restore', 'terrace doctor', 'rm -r'],
    )
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...app.environment }
    for (const command of commands) await promisify(execFile)('sh', ['-c', command], { cwd: root, env })
    assert.deepEqual([...stub.objects.keys()], before)
    assert.deepEqual(stub.calls, [], 'its bucket was not even asked')
    assert.deepEqual(
      (await app.call('GET', 'tenants')).json.map(({ id }: { id: string }) => id),
      ['cats'],
    )
    await assertServed(app, [kept])
  })
})

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The lines of the block that speaks of a drill. */
function drillCommands(): string[] {
  const text = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const drill = blocks.find((block) => block.includes('/tmp/drill')) ?? ''
  return drill
    .trim()
    .split('\n')
    .map((line) => line.trim())
}
