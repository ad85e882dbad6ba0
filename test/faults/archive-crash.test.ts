import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { importTenant, verifyArchive } from '../../src/tenants/index.ts'
import { ask } from '../support/delivered.ts'
import { assertHealthy } from '../support/doctor.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { exportTo } from '../support/stores/archives.ts'
import { md5Of, picture, uploaded } from '../support/uploads.ts'
import type { Program } from './crash/driver-process.ts'
import { killAtEveryStep } from './crash/kills.ts'
import { checkFiles } from './crash/look.ts'

const traced = await needing('strace')

traced.describe('a process killed at every step', { timeout: 900_000 }, () => {
  let root: string
  let archive: string
  const served = new Map<string, string>()

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'terrace-archive-crash-'))
    archive = join(root, 'whole.tar')
    {
      await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: join(root, 'start-export') } })
      const cats = await app.tenant('cats')
      for (const seed of [1, 2]) {
        const file = await picture({ seed })
        const { url } = await uploaded(app, cats, { file })
        served.set(url, md5Of(file))
      }
      await exportTo(app, archive)
    }
    await using _empty = await startTestApp({ environment: { SERVICE_DATA_DIR: join(root, 'start-import') } })
  }, 120_000)
  afterAll(() => rm(root, { recursive: true, force: true }))

  const program = (): Program => ({ driver: 'archive-driver.ts', environment: { ARCHIVE: archive } })
  const reopened = (folder: string) => startTestApp({ environment: { SERVICE_DATA_DIR: folder } })

  async function assertServed(app: TestApp): Promise<void> {
    for (const [url, md5] of served) {
      const { status, bytes } = await ask(app, url)
      assert.deepEqual([status, md5Of(bytes)], [200, md5])
    }
  }

  test('of an import leaves no tenant or a whole one; repeated, there is one and nothing else', async () => {
    const counts = { before: 0, after: 0 }
    const sweep = { verb: 'import', program: program(), start: join(root, 'start-import'), root }
    const { steps } = await killAtEveryStep(sweep, async ({ folder, isDone }) => {
      await checkFiles(folder)
      await using app = await reopened(folder)
      const { control, requestSecret } = app.app
      const isThere = (await app.call('GET', 'tenants')).json.length === 1
      assert.ok(isThere || !isDone, 'what was acknowledged is there')
      counts[isThere ? 'after' : 'before'] += 1
      if (!isThere) await importTenant(control, { from: archive, requestSecret })
      await assertServed(app)
      await assertHealthy(app.app, { isDeep: true })
      assert.equal((await readdir(join(folder, 'sites'))).length, 1, 'earlier imports have left no site')
    })
    console.log(`killed after ${steps} steps, ${JSON.stringify(counts)}`)
    assert.ok(counts.before > 0 && counts.after > 0)
  })

  test('of an export leaves no archive or a whole one, and the tenant as it was', async () => {
    const counts = { before: 0, after: 0 }
    const sweep = { verb: 'export', program: program(), start: join(root, 'start-export'), root }
    const { steps } = await killAtEveryStep(sweep, async ({ folder, isDone }) => {
      await checkFiles(folder)
      const made = join(folder, 'cats.tar')
      const isThere = existsSync(made)
      assert.ok(isThere || !isDone, 'what was acknowledged is there')
      counts[isThere ? 'after' : 'before'] += 1
      await using app = await reopened(folder)
      if (!isThere) await exportTo(app, made)
      assert.equal((await verifyArchive({ from: made })).id, 'cats')
      // An archive gets its name by a link, which replaces no file: a kill right after it leaves the other name too.
      if (!isThere) assert.equal(existsSync(`${made}.partial`), false)
      await assertServed(app)
      await assertHealthy(app.app)
    })
    console.log(`killed after ${steps} steps, ${JSON.stringify(counts)}`)
    assert.ok(counts.before > 0 && counts.after > 0)
  })
})
