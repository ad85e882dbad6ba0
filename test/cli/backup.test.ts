import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { encryptionKeysPath } from '../../src/control/index.ts'
import { backUp } from '../../src/maintenance/index.ts'
import { pathOnDisk } from '../support/delivered.ts'
import { assertHealthy, assertHealthyAt } from '../support/doctor.ts'
import { fillEveryTable } from '../support/fixtures/site-rows.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { assertServed, backupFolder, keptOf, serveAt } from '../support/stores/backups.ts'
import { fewInQuick } from '../support/tiers.ts'
import { freshInstallation } from '../support/tool.ts'
import { onSiteOf, picture, uploaded } from '../support/uploads.ts'

/** Two tenants in which everything has the same name and other contents. */
async function makeTwins(app: TestApp) {
  await app.call('POST', 'tenants-plans', {
    id: 'small',
    limits: { SERVICE_MAX_USERS: '5' },
    env: { A: 'plan' },
  })
  const kept = []
  for (const [seed, id] of ['cats', 'dogs'].entries()) {
    const tenant = await app.tenant(id)
    await app.call('PATCH', `tenants/${id}`, { env: { SECRET: `of ${id}` }, plan_id: 'small' })
    for (let each = 0; each < 2; each += 1) {
      const file = await picture({ seed: seed * 1_000 + each, width: 600 })
      const image = await uploaded(app, tenant, {
        file,
        fileName: 'same.png',
        fields: { title: id, tags: 'a,b' },
      })
      kept.push(await keptOf(app, image))
    }
  }
  return kept
}

const contentsOf = async (app: TestApp) => {
  const { json } = await app.call('GET', 'tenants')
  return json.map(({ last_job_at, stats: { cron_time, ...stats }, ...tenant }: any) => ({ ...tenant, stats }))
}

const ways = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['sqlite', 'sqlite'],
  ['postgres', 'postgres'],
] as const

for (const [from, to] of fewInQuick(ways, 1)) {
  test(`a backup from ${from} restores to ${to}: rows, bytes, settings, keys and plans`, async () => {
    await using folder = await backupFolder()
    const backup = join(folder.path, 'first')
    await using app = await startTestApp({ store: from })
    const kept = await makeTwins(app)
    await app.tenant('kept')
    await app.call('DELETE', 'tenants/kept')
    await app.call('POST', 'tenants', { id: 'new', hostname: 'new.test', is_enabled: false })
    const manifest = await backUp(app.app, { to: backup, withKeys: true })
    assert.deepEqual([manifest.tenants, manifest.sites, manifest.files, manifest.sealed], [3, 4, 4, 3])

    await using installation = await freshInstallation(to)
    assert.deepEqual(await installation.json('restore', '--from', backup), {
      from: backup,
      tenants: 3,
      sites: 4,
      files: 4,
    })
    await assertHealthyAt(installation.settings, { isDeep: true })
    await using restored = await serveAt(installation)
    await assertServed(restored, kept)
    assert.deepEqual(await contentsOf(restored), await contentsOf(app))
    // The key of the installation that was backed up is good here, and a new one gets a number of its own.
    const signed = { 'x-api-key': app.key, 'x-signature': restored.sign('') }
    assert.equal((await restored.send('GET', '/_/api/4/tenants', { headers: signed })).status, 200)
    assert.notEqual(restored.key.split('_')[1], app.key.split('_')[1])
    // What was kept of a deleted tenant comes back with it.
    await restored.call('POST', 'tenants', { id: 'kept', hostname: 'kept.test', is_enabled: true })
    const home = await restored.send('GET', '/', { headers: { host: 'kept.test' } })
    assert.equal(home.status, 200)
    await assertHealthy(restored.app)
  })
}

onEachStore('a backup', (store) => {
  test('has a row of every table, and omits what is in progress', async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await onSiteOf(app, cats, (site) => site.db.transaction().execute((db) => fillEveryTable(db, 'word')))
    await onSiteOf(app, cats, async ({ db }) => {
      const variants = '{"mime":"image/jpeg","bits":8,"channels":3,"variants":[]}'
      await db.updateTable('file').set({ variants }).execute()
    })
    const rowsOf = async (of: TestApp) =>
      onSiteOf(of, cats, async ({ db }) => ({
        albums: await db.selectFrom('album').selectAll().execute(),
        marks: await db.selectFrom('rateLimitHit').selectAll().execute(),
        removals: await db.selectFrom('removal').selectAll().execute(),
        files: await db.selectFrom('file').selectAll().execute(),
        likes: await db.selectFrom('albumLike').selectAll().execute(),
      }))
    const before = await rowsOf(app)
    // Its one file never had bytes: it is left out, and reported.
    const backup = join(folder.path, 'one')
    await assert.rejects(
      backUp(app.app, { to: backup, withKeys: true }),
      /is complete except for these bytes, which are missing/,
    )
    await using installation = await freshInstallation(store)
    await installation.json('restore', '--from', backup)
    await using restored = await serveAt(installation)
    const after = await rowsOf(restored)
    assert.deepEqual(
      withoutSite([after.albums, after.marks, after.likes]),
      withoutSite([before.albums, before.marks, before.likes]),
    )
    assert.deepEqual([before.removals.length, before.files.length], [1, 1])
    assert.deepEqual([after.removals, after.files], [[], []])
    await assertHealthy(restored.app)
  })

  test('of one tenant restores into an installation that has others, by name', async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp({ store })
    const [, , ...kept] = await makeTwins(app)
    const backup = join(folder.path, 'dogs')
    await backUp(app.app, { to: backup, id: 'dogs' })
    await using installation = await freshInstallation(store)
    await copyKeys(app, installation.dataDir)
    await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'dogs.test')
    const refused = async (says: RegExp, ...words: string[]) => {
      const { code, err } = await installation.run('restore', '--from', backup, ...words)
      assert.equal(code, 1)
      assert.match(err, says)
    }
    await refused(/^This installation is not empty: it has a tenant/)
    await refused(/^There is no tenant "cats" in /, '--id', 'cats')
    await refused(/^The hostname "dogs.test" belongs to another tenant/, '--id', 'dogs')
    await installation.json('tenants', 'edit', '--id', 'cats', '--hostname', 'cats.test')
    assert.equal((await installation.json('restore', '--from', backup, '--id', 'dogs')).tenants, 1)
    await refused(/^There is already a tenant "dogs"/, '--id', 'dogs')
    await installation.json('tenants', 'delete', '--id', 'dogs')
    await refused(/^The data of an earlier tenant "dogs" is kept here/, '--id', 'dogs')
    await installation.json('tenants', 'create', '--id', 'dogs', '--hostname', 'dogs.test')
    await using restored = await serveAt(installation)
    await assertServed(restored, kept)
    assert.equal((await restored.call('GET', 'tenants-plans/small')).json.env.A, 'plan')
    await assertHealthy(restored.app)
  })
})

const withoutSite = (tables: readonly (readonly object[])[]) =>
  tables.map((rows) => rows.map((row) => ({ ...row, site: undefined })))

async function copyKeys(app: TestApp, dataDir: string): Promise<void> {
  const { keptRequestSecret } = await import('../../src/control/index.ts')
  await keptRequestSecret(dataDir)
  await copyFile(encryptionKeysPath(app.dataDir), encryptionKeysPath(dataDir))
}

test('a second backup links the bytes that the first one has', async () => {
  await using folder = await backupFolder()
  await using app = await startTestApp()
  await makeTwins(app)
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')]
  await backUp(app.app, { to: first, withKeys: true })
  const { apiKey } = await app.tenant('eels')
  const kept = await keptOf(app, await uploaded(app, { id: 'eels', hostname: 'eels.test', apiKey }))
  await backUp(app.app, { to: second, since: first, withKeys: true })
  const links = async (site: number) => {
    const entries = await readdir(join(second, `sites/${site}/files`), {
      recursive: true,
      withFileTypes: true,
    })
    const files = entries.filter((entry) => entry.isFile())
    return Promise.all(files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).nlink))
  }
  assert.deepEqual(new Set(await links(1)), new Set([2]))
  assert.deepEqual(new Set(await links(3)), new Set([1]))
  // One without the other is as good.
  await rm(first, { recursive: true })
  await using installation = await freshInstallation()
  await installation.json('restore', '--from', second)
  await using restored = await serveAt(installation)
  await assertServed(restored, [kept])
  await assertHealthy(restored.app, { isDeep: true })
})

describe('a restore is refused', () => {
  let whole: Awaited<ReturnType<typeof backupFolder>>
  beforeAll(async () => {
    whole = await backupFolder()
    await using app = await startTestApp()
    await makeTwins(app)
    await backUp(app.app, { to: join(whole.path, 'one'), withKeys: true })
  })
  afterAll(() => whole[Symbol.asyncDispose]())

  const refuse = async (change: (backup: string) => Promise<void>) => {
    await using folder = await backupFolder()
    const backup = join(folder.path, 'one')
    await cp(join(whole.path, 'one'), backup, { recursive: true })
    await change(backup)
    await using installation = await freshInstallation()
    const { code, out, err } = await installation.run('restore', '--from', backup)
    assert.deepEqual([code, out], [1, ''])
    if (existsSync(installation.dataDir)) assert.deepEqual(await installation.json('tenants', 'list'), [])
    return err
  }

  test.each([
    ['manifest.json', /cannot be restored/],
    ['control/sites.jsonl', /control\/sites.jsonl: it has changed since it was written/],
    ['control/plans.jsonl', /control\/plans.jsonl: it has changed since it was written/],
    ['sites/2/rows.jsonl', /sites\/2\/rows.jsonl: it has changed since it was written/],
    ['sites/1/files.jsonl', /sites\/1\/files.jsonl: it has changed since it was written/],
  ])('when a byte of %s has changed', async (path, says) => {
    const err = await refuse(async (backup) => flip(join(backup, path)))
    assert.match(err, says)
  })

  test('when a byte of a file has changed, or one is cut or missing, each by name', async () => {
    const err = await refuse(async (backup) => {
      const entries = await readdir(join(backup, 'sites/1/files'), { recursive: true, withFileTypes: true })
      const [one = '', two = '', three = ''] = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
      await flip(one)
      await truncate(two, 5)
      await rm(three)
    })
    assert.equal(err.match(/these are not the bytes that were copied/g)?.length, 3)
  })

  test('when it is incomplete, or has other tables', async () => {
    assert.match(await refuse((backup) => rm(join(backup, 'manifest.json'))), /has no manifest.json/)
    const retell = (change: (tables: string[]) => string[]) =>
      refuse(async (backup) => {
        const { manifest } = JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8'))
        manifest.tables = change(manifest.tables)
        const sha256 = hash('sha256', JSON.stringify(manifest))
        await writeFile(join(backup, 'manifest.json'), JSON.stringify({ sha256, manifest }))
      })
    assert.match(await retell((tables) => tables.slice(1)), /an older version of Terrace. .*, then upgrade/)
    assert.match(await retell((tables) => [...tables, 'site/999']), /a newer version of Terrace/)
  })

  test('without the encryption key, which is named, and nothing is created', async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp()
    const kept = await makeTwins(app)
    const backup = join(folder.path, 'one')
    const { keyId } = await backUp(app.app, { to: backup })
    assert.equal(existsSync(join(backup, 'secrets')), false)
    await using installation = await freshInstallation()
    const none = await installation.run('restore', '--from', backup)
    assert.match(none.err, new RegExp(`encrypted with the key "${keyId}".*secrets/encryption-keys`))
    assert.equal(existsSync(installation.dataDir), false)

    installation.settings.SERVICE_ENCRYPTION_KEY = randomBytes(32).toString('base64')
    const wrong = await installation.run('restore', '--from', backup)
    assert.match(wrong.err, new RegExp(`of the tenant cats in the backup need the key "${keyId}"`))
    assert.deepEqual(await installation.json('tenants', 'list'), [])

    const right = (await readFile(encryptionKeysPath(app.dataDir), 'utf8')).trim()
    installation.settings.SERVICE_ENCRYPTION_KEY += `,${right}`
    await installation.json('restore', '--from', backup)
    await using restored = await serveAt(installation)
    await assertServed(restored, kept)
    assert.equal((await restored.call('GET', 'tenants/cats')).json.env.SECRET, 'of cats')
  })

  test('a restore into an installation with other keys encrypts again, with the keys in the backup', async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp()
    await makeTwins(app)
    const backup = join(folder.path, 'one')
    await backUp(app.app, { to: backup, withKeys: true })
    await using installation = await freshInstallation()
    await installation.json('tenants', 'init')
    await installation.json('restore', '--from', backup)
    assert.equal((await installation.json('tenants', 'get', '--id', 'cats')).env.SECRET, 'of cats')
    assert.equal((await installation.json('tenants', 'plan:get', '--id', 'small')).env.A, 'plan')
    assert.equal((await installation.run('doctor')).code, 0)
  })
})

test('the tool says which key must be kept, and refuses an existing folder', async () => {
  await using folder = await backupFolder()
  await using installation = await freshInstallation()
  await installation.json(
    'tenants',
    'create',
    '--id',
    'cats',
    '--hostname',
    'cats.test',
    '--env',
    '{"A":"b"}',
  )
  const to = join(folder.path, 'one')
  const made = await installation.run('backup', '--to', to)
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, /^Copied 1 tenant with 0 files/)
  assert.match(made.err, /the key is not in it. Keep a copy of .*secrets\/encryption-keys elsewhere/)
  const again = await installation.run('backup', '--to', to)
  assert.deepEqual([again.code, again.err], [1, `${to} already exists. Name a new folder.\n`])
  const open = await installation.run('backup', '--to', join(folder.path, 'two'), '--with-keys')
  assert.match(open.err, /contains the encryption keys: anyone with this folder can read everything/)
  assert.deepEqual((await readdir(folder.path)).sort(), ['one', 'two'])
  assert.equal((await installation.run('backup')).code, 2)
})

test('missing bytes are reported, and the rest is backed up', async () => {
  await using folder = await backupFolder()
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const [lost, kept] = [await uploaded(app, cats), await uploaded(app, cats)]
  const keeping = [await keptOf(app, kept)]
  await rm(await pathOnDisk(app, cats, lost.thumb.url))
  await using installation = await freshInstallation('sqlite', { SERVICE_DATA_DIR: app.dataDir })
  const to = join(folder.path, 'one')
  const { code, err } = await installation.run('backup', '--to', to, '--with-keys')
  assert.equal(code, 1)
  assert.match(err, /is complete except for these bytes, which are missing[\s\S]*cats: images\/.*\.th\.png/)
  await using other = await freshInstallation()
  await other.json('restore', '--from', to)
  await using restored = await serveAt(other)
  await assertServed(restored, keeping)
  await assertHealthy(restored.app, { isDeep: true })
})

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await rm(path)
  await writeFile(path, bytes)
}
