import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { test } from 'vitest'
import { encryptionKeysPath, requestSecretPath } from '../../src/control/index.ts'
import { inspectStore } from '../../src/db/index.ts'
import { checkVersions } from '../../src/maintenance/doctor/preflight-checks.ts'
import { examineApp } from '../../src/maintenance/index.ts'
import { findingsOf } from '../support/doctor.ts'
import { keep, videos } from '../support/fixtures/videos.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { freshInstallation } from '../support/tool.ts'

const dayMs = 86_400_000

const found = async (app: TestApp, options = {}) => findingsOf(await examineApp(app.app, options))

onEachStore('the doctor, of an installation', (store) => {
  test('says so if there is no installation, and creates nothing', async () => {
    await using installation = await freshInstallation(store)
    const { code, out, err } = await installation.run('doctor')
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^There is no installation in /)
    assert.equal(existsSync(installation.dataDir), false)
  })

  test('prints its checks and exits with 0, or with 1 and a list if something is broken', async () => {
    await using installation = await freshInstallation(store)
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
    const sound = await installation.run('doctor')
    assert.equal(sound.code, 0, sound.err)
    assert.doesNotMatch(sound.out, /✘/)
    assert.match(sound.out, /✔\tcontrol-rows\tEvery tenant has exactly one site\tOK\n/)

    await chmod(encryptionKeysPath(installation.dataDir), 0o644)
    const broken = await installation.run('doctor')
    assert.deepEqual([broken.code, broken.err], [1, '1 fault was found.\n'])
    assert.match(broken.out, /✘\tsecrets\t\t.*encryption-keys\tThe mode is 644/)
    const json = await installation.run('doctor', '--json')
    assert.equal(json.code, 1)
    const { healthy, checks } = JSON.parse(json.out)
    const [finding] = checks.flatMap((check: any) => check.findings)
    assert.deepEqual([healthy, finding.level, finding.todo], [false, 'fault', 'chmod 600'])
    assert.deepEqual(Object.keys(finding), ['level', 'tenant', 'key', 'says', 'todo', 'repaired'])

    await rm(encryptionKeysPath(installation.dataDir))
    const lost = await installation.run('doctor')
    assert.equal(lost.code, 1)
    assert.match(lost.out, /encryption-keys\tThe secret is missing/)
    assert.equal(existsSync(encryptionKeysPath(installation.dataDir)), false, 'it makes no other one')
    assert.equal((await installation.run('doctor', '--id', 'nobody')).code, 1)
    assert.equal((await installation.run('doctor', '--nothing')).code, 2)
  })

  test('finds values that cannot be decrypted', async () => {
    await using app = await startTestApp({ store })
    for (const id of ['cats', 'dogs'])
      await app.call('POST', 'tenants', { id, hostname: `${id}.test`, is_enabled: true, env: { A: 'b' } })
    await app.call('POST', 'tenants-plans', { id: 'small', env: { A: 'b' } })
    assert.deepEqual(await found(app), [])
    await app.app.control.store.changeControl(async (db) => {
      const { env } = await db
        .selectFrom('tenant')
        .select('env')
        .where('id', '=', 'cats')
        .executeTakeFirstOrThrow()
      // Sealed for another: it opens for nobody else.
      await db.updateTable('tenant').set({ env }).where('id', '=', 'dogs').execute()
      await db.updateTable('plan').set({ env: 'deadbeef0000.x.y.z' }).execute()
    })
    assert.deepEqual(await found(app), ['encryption dogs tenant dogs', 'encryption - plan small'])
  })

  test('finds sites and tenants that contradict each other', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    await app.tenant('dogs')
    await app.call('DELETE', 'tenants/dogs')
    const change = (number: number, state: 'live' | 'kept') =>
      app.app.control.store.changeControl((db) =>
        db.updateTable('site').set({ state }).where('number', '=', number).execute(),
      )
    await change(1, 'kept')
    await change(2, 'live')
    assert.deepEqual(await found(app), ['control-rows cats site 1', 'control-rows dogs site 2'])
  })

  test('finds a deleted tenant whose data are still there, and finishes the drop with --repair', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    await app.call('DELETE', 'tenants/cats')
    await app.app.control.store.changeControl((db) =>
      db.updateTable('site').set({ state: 'dropping' }).execute(),
    )
    assert.deepEqual(await found(app), ['control-rows cats site 1'])
    assert.deepEqual(await found(app, { isRepairing: true }), [])
    assert.deepEqual(await found(app), [])
    assert.deepEqual(await app.app.control.store.control.selectFrom('site').selectAll().execute(), [])
  })

  test('finds rows and bytes of unknown sites', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    await mkdir(join(app.dataDir, 'sites/98/files/images'), { recursive: true })
    await writeFile(join(app.dataDir, 'sites/98/files/images/a.png'), 'bytes')
    await addRowsOf(app, 97)
    assert.deepEqual(await found(app), ['stray-sites - site 97', 'stray-sites - sites/98/files'])
    assert.equal((await found(app, { isRepairing: true })).length, 2, 'they may be another installation’s')
  })

  test('finds leftovers of stopped processes, and removes them with --repair', async () => {
    await using app = await startTestApp({ store })
    const path = join(app.dataDir, 'spool/left')
    await mkdir(path)
    assert.deepEqual(await found(app), [])
    const old = new Date(Date.now() - 2 * dayMs)
    await utimes(path, old, old)
    assert.deepEqual(await found(app), ['temporaries - spool/left'])
    assert.deepEqual(await found(app, { isRepairing: true }), [])
    assert.equal(existsSync(path), false)
  })

  test('finds jobs that fail, and jobs that no worker runs', async () => {
    await using app = await startTestApp({ store })
    for (const id of ['cats', 'dogs', 'eels']) await app.tenant(id)
    const long = new Date(Date.now() - 2 * dayMs).toISOString()
    const hours = new Date(Date.now() - dayMs / 8).toISOString()
    await app.app.control.store.changeControl(async (db) => {
      await db.deleteFrom('job').execute()
      const none = { dueAt: null, token: 1, leasedUntil: null, failures: 0, fault: null }
      await db
        .insertInto('job')
        .values([
          { ...none, site: 1, failures: 3, fault: 'no such table' },
          { ...none, site: 2, dueAt: long },
          { ...none, site: 3, dueAt: hours, leasedUntil: hours },
        ])
        .execute()
    })
    const verdicts = await examineApp(app.app)
    assert.deepEqual(findingsOf(verdicts), ['jobs cats site 1', 'jobs dogs site 2', 'jobs eels site 3'])
    const [failing, late] = verdicts.flatMap(({ findings }) => findings)
    assert.deepEqual([failing?.isFault, late?.isFault], [false, true])
    assert.match(failing?.says ?? '', /3 times: no such table/)
  })

  test('finds that the control tables need a migration, and does not run it', async () => {
    await using installation = await freshInstallation(store)
    await installation.json('tenants', 'init')
    const [step] = ['control/002-jobs-and-places']
    await onControl(installation.settings, `delete from "migration" where "name" = '${step}'`)
    const { code, out } = await installation.run('doctor')
    assert.equal(code, 1)
    assert.match(out, /✘\tmigrations\t\tcontrol\/002-jobs-and-places\tThe control tables lack this migration/)
    assert.doesNotMatch(out, /control-rows/)
  })
})

test('a broken control file is reported', async () => {
  await using app = await startTestApp()
  await app.tenant('cats')
  const database = new Database(join(app.dataDir, 'control.db'))
  database.pragma('foreign_keys = off')
  database.exec(`update "tenant" set "planId" = 'nothing'`)
  database.close()
  assert.deepEqual(await found(app), ['control-tables - control'])
})

test('a folder that is open to others and a machine without ffmpeg cause warnings', async () => {
  await using app = await startTestApp({ environment: { FFMPEG_PATH: 'none' } })
  await chmod(app.dataDir, 0o755)
  const verdicts = await examineApp(app.app)
  assert.deepEqual(findingsOf(verdicts), [`data-folder - ${app.dataDir}`, 'ffmpeg - FFMPEG_PATH'])
  assert.ok(verdicts.every(({ faults }) => faults === 0))
  await chmod(app.dataDir, 0o750)
  await chmod(requestSecretPath(app.dataDir), 0o640)
  const findings = await found(app)
  assert.ok(findings.includes(`secrets - ${requestSecretPath(app.dataDir)}`), findings.join())
})

test('the doctor names the ffmpeg in use', async () => {
  const detailWith = async (environment: Record<string, string>) => {
    await using app = await startTestApp({ environment })
    return (await examineApp(app.app)).find(({ check }) => check === 'ffmpeg')?.detail
  }
  const path = keep('ffmpeg', '#!/bin/sh\necho "ffmpeg version 5.1"\n', 0o700)
  assert.equal(await detailWith({ FFMPEG_PATH: path }), `FFmpeg 5.1 at ${path} (FFMPEG_PATH)`)
  assert.equal(await detailWith({ FFMPEG_PATH: 'none' }), undefined)
  if (!videos.isMet) return
  assert.match((await detailWith({})) ?? '', /^FFmpeg \d\S* of the package @seydx\/node-av-\w+-\w+$/)
})

test('a bucket that does not respond is reported', async () => {
  const SERVICE_STORAGE_URL = 's3://key:secret@127.0.0.1:9/bucket?scheme=http'
  await using app = await startTestApp({ environment: { SERVICE_STORAGE_URL } })
  const verdicts = await examineApp(app.app)
  const storage = verdicts.find(({ check }) => check === 'storage')
  assert.deepEqual([storage?.faults, storage?.findings[0]?.key], [1, 's3'])
})

test('a database server that is older than the tested versions causes a warning', async () => {
  await using app = await startTestApp()
  await using inspector = await inspectStore(app.app.config)
  assert.ok(inspector)
  const reported: unknown[] = []
  const look = (version: string, kind: 'sqlite' | 'postgres') =>
    checkVersions({ config: app.app.config, inspector: { ...inspector, kind, version } }, async (finding) => {
      reported.push([finding.isFault, finding.says])
    })
  await look('18.4', 'postgres')
  await look('3.53.1', 'sqlite')
  assert.deepEqual(reported, [])
  await look('13.2', 'postgres')
  assert.deepEqual(reported, [[false, 'The server is PostgreSQL 13.2, older than the tested versions.']])
})

/** Rows of a site, past the app. */
async function addRowsOf({ environment, dataDir }: TestApp, site: number): Promise<void> {
  const url = environment.SERVICE_DATABASE_URL
  if (url !== undefined) {
    await onControl(environment, `insert into "setting" values (${site}, 'a', 'b')`)
    return
  }
  await mkdir(join(dataDir, `sites/${site}`))
  await writeFile(join(dataDir, `sites/${site}/site.db`), '')
}

async function onControl(environment: Record<string, string>, statement: string): Promise<void> {
  const url = environment.SERVICE_DATABASE_URL
  if (url === undefined) {
    const database = new Database(join(environment.SERVICE_DATA_DIR ?? '', 'control.db'))
    database.exec(statement)
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}
