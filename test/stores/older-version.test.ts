import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { examineApp } from '../../src/maintenance/index.ts'
import { damagedFiles, searchFiles } from '../../src/media/index.ts'
import { newestFirst } from '../../src/media/position.ts'
import { ask, browserHeaders } from '../support/delivered.ts'
import { assertHealthy, faultsOf } from '../support/doctor.ts'
import { onBothStores, type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { needing } from '../support/needs.ts'
import { serveAt } from '../support/stores/backups.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'
import { freshInstallation } from '../support/tool.ts'
import { moveTo, onSiteOf, picture, uploaded, writeViews } from '../support/uploads.ts'

const { test } = await needing('tar')

/** What `fixtures/make.mjs` has put into an installation of the version before. */
interface Expected {
  madeAt: string
  /** To the management API. */
  key: string
  damage: { fileId: string; fault: string }
  /** Stored bytes that wait for their removal. */
  removal: string
  tenants: ExpectedTenant[]
}

interface ExpectedTenant {
  id: string
  hostname: string
  apiKey: string
  bobKey: string
  files: { id: string; versions: { url: string; sha256: string }[] }[]
  album: { url: string; password: string; title: string }
  /** The address of a deleted file. */
  removed: string
}

interface Unpacked extends AsyncDisposable {
  folder: string
  environment: Record<string, string>
  expected: Expected
}

async function unpack(kind: StoreKind): Promise<Unpacked> {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'terrace-older-'))
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const archive = fileURLToPath(new URL(`./fixtures/older-${kind}.tar.gz`, import.meta.url))
  await promisify(execFile)('tar', ['-xzf', archive, '-C', folder])
  const environment: Record<string, string> = {
    SERVICE_DATA_DIR: join(folder, 'data'),
    SERVICE_LOG_LEVEL: 'silent',
  }
  if (kind === 'postgres') {
    const url = await freshDatabaseUrl()
    undo.defer(() => dropDatabase(url))
    await runScript(url, await readFile(join(folder, 'database.sql'), 'utf8'))
    environment.SERVICE_DATABASE_URL = url
  }
  const expected: Expected = JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8'))
  const all = undo.move()
  return { folder, environment, expected, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

async function runScript(url: string, script: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(script)
  } finally {
    await client.end()
  }
}

async function assertFilesServed(app: TestApp, tenant: ExpectedTenant): Promise<void> {
  for (const { url, sha256 } of tenant.files.flatMap(({ versions }) => versions)) {
    const { status, bytes } = await ask(app, url)
    assert.deepEqual([status, createHash('sha256').update(bytes).digest('hex')], [200, sha256], url)
  }
  assert.equal((await ask(app, tenant.removed)).status, 404)
}

async function assertPasswordOpens(app: TestApp, { album, hostname: host }: ExpectedTenant): Promise<void> {
  const path = new URL(album.url).pathname
  const give = (password: string) =>
    app.send('POST', path, {
      bytes: new URLSearchParams({ password }).toString(),
      headers: { host, 'content-type': 'application/x-www-form-urlencoded', ...browserHeaders },
    })
  assert.equal((await give('another password')).status, 403)
  const opened = await give(album.password)
  assert.equal(opened.status, 303)
  const cookie = String(opened.headers['set-cookie']).split(';', 1).join()
  const shown = await ask(app, String(new URL(String(opened.headers.location), album.url)), {
    ...browserHeaders,
    cookie,
  })
  assert.ok(shown.text.includes(album.title))
}

/** The job has made the words of every file. */
const assertFound = (app: TestApp, tenant: ExpectedTenant) =>
  onSiteOf(app, tenant, async (site) => {
    const files = await site.db.selectFrom('file').select(['id', 'extension']).execute()
    const extensions = new Set(files.map(({ extension }) => extension))
    const found = await Promise.all([...extensions].map((text) => searchFiles(site, { text, limit: 100 })))
    assert.deepEqual(
      found.flatMap((each) => each.map(({ id }) => id)).sort(),
      files.map(({ id }) => id).sort(),
    )
  })

const hitsOf = (app: TestApp, tenant: ExpectedTenant) =>
  onSiteOf(app, tenant, ({ db }) => db.selectFrom('rateLimitHit').select('address').execute())

const scopesOf = async (app: TestApp, tenant: ExpectedTenant) => {
  const keys = await onSiteOf(app, tenant, ({ db }) => db.selectFrom('userKey').select('scope').execute())
  return [...new Set(keys.map(({ scope }) => scope))]
}

/** Else the first new password by a link would end all keys of a user. */
async function assertConfirmed(app: TestApp, tenant: ExpectedTenant): Promise<void> {
  const users = await onSiteOf(app, tenant, ({ db }) => db.selectFrom('user').selectAll().execute())
  for (const { emailConfirmedAt, createdAt } of users) assert.equal(emailConfirmedAt, createdAt)
}

/** Migrated files have a version, and are in the order of their age, the newest first. */
async function assertInOrder(app: TestApp, tenant: ExpectedTenant): Promise<void> {
  const files = await onSiteOf(app, tenant, ({ db }) =>
    db
      .selectFrom('file')
      .select(['createdAt', 'updatedAt', 'deletedAt', 'position', 'version', 'revision'])
      .execute(),
  )
  assert.equal(files.length, tenant.files.length)
  for (const { createdAt, updatedAt, position, ...rest } of files) {
    assert.deepEqual([updatedAt, position], [createdAt, newestFirst(new Date(createdAt))])
    assert.deepEqual(rest, { deletedAt: null, version: 1, revision: 1 })
  }
}

onBothStores('an installation of the version before', (kind) => {
  test('is migrated, served byte for byte, used by its keys and passwords, and passes the doctor', async () => {
    await using older = await unpack(kind)
    const { madeAt, key, damage, removal, tenants } = older.expected
    await using app = await startTestApp({ beside: older })
    moveTo(app, madeAt)
    app.wait(60)
    for (const tenant of tenants) {
      await assertFilesServed(app, tenant)
      await assertPasswordOpens(app, tenant)
      const { json } = await app.call('GET', `tenants/${tenant.id}/effective`)
      assert.equal(json.env.COLOUR.value, `${tenant.id} blue`)
      assert.equal(json.limits.SERVICE_MAX_FILES.value, tenant.id === 'cats' ? '50' : '0')
      assert.deepEqual(await hitsOf(app, tenant), [{ address: '127.0.0.1' }])
      assert.deepEqual(await scopesOf(app, tenant), ['upload'])
      await assertInOrder(app, tenant)
      await assertConfirmed(app, tenant)
    }
    const headers = { 'x-api-key': key }
    assert.equal((await app.send('GET', '/_/api/4/config/proxy', { headers })).status, 200)

    const [cats] = tenants as [ExpectedTenant]
    const foundAt = new Date(madeAt)
    assert.deepEqual(await onSiteOf(app, cats, damagedFiles), [{ ...damage, foundAt }])
    const runs = await onSiteOf(app, cats, ({ db }) => db.selectFrom('jobRun').select('name').execute())
    assert.deepEqual(runs.map(({ name }) => name).sort(), [
      'prune-rate-limit-log',
      'refresh-stats',
      'scrub-files',
      'sweep-orphans',
      'visit',
    ])
    assert.deepEqual(faultsOf(await examineApp(app.app)), [`scrub cats ${damage.fileId}`])

    // The file was never damaged: the next scrub says so. The removed bytes go with the next job.
    app.wait(8 * 24 * 60 * 60)
    await doDueJobs(app)
    assert.deepEqual(await onSiteOf(app, cats, damagedFiles), [])
    assert.equal(await onSiteOf(app, cats, ({ storage }) => storage.stat(removal)), undefined)
    for (const tenant of tenants) {
      await assertFound(app, tenant)
      for (const [seed, apiKey] of [tenant.apiKey, tenant.bobKey].entries()) {
        const file = await picture({ seed: 100 + seed })
        await uploaded(app, tenant, { key: apiKey, file })
      }
    }
    await assertHealthy(app.app)
  })

  test('leaves backups that are restored', async () => {
    await using older = await unpack('sqlite')
    await using installation = await freshInstallation(kind)
    await installation.json('restore', '--from', join(older.folder, 'backup'))
    await using app = await serveAt(installation)
    moveTo(app, older.expected.madeAt)
    app.wait(60)
    for (const tenant of older.expected.tenants) {
      await assertFilesServed(app, tenant)
      await assertPasswordOpens(app, tenant)
      assert.deepEqual(await hitsOf(app, tenant), [{ address: '127.0.0.1' }])
      assert.deepEqual(await scopesOf(app, tenant), ['upload'])
      await assertInOrder(app, tenant)
      await assertConfirmed(app, tenant)
    }
    // The weekly jobs of the first uploads were due a day ago, since a backup does not contain job runs.
    await writeViews(app)
    await doDueJobs(app)
    for (const tenant of older.expected.tenants) await assertFound(app, tenant)
    await assertHealthy(app.app)
  })
})
