import assert from 'node:assert/strict'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { allTotals, recountTotals } from '../../src/site/index.ts'
import { readTenantWithStats } from '../../src/tenants/index.ts'
import { ask, pathOnDisk } from '../support/delivered.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs, jobRowOf, leftoversOf } from '../support/jobs.ts'
import { needing } from '../support/needs.ts'
import { onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'
import { killAtEveryStep } from './crash/kills.ts'
import { checkFiles } from './crash/look.ts'
import type { Sweep } from './crash/sweep.ts'

const traced = await needing('strace')

const daySeconds = 24 * 60 * 60

/** What is done, how far the clock is moved for it, and what is left of two files. */
const scenes = {
  'one file expires and one stays': { seconds: 301, files: 1 },
  'a week is over, with an orphan and a wrong count': { seconds: 7 * daySeconds + 60, files: 1 },
} as const

traced.describe('a worker killed at every step', { timeout: 900_000 }, () => {
  let root: string
  let cats: TestTenant
  let addresses: { gone: string; kept: string }
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'terrace-jobs-crash-'))
    await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: join(root, 'start') } })
    cats = await app.tenant('cats')
    const gone = await uploaded(app, cats, { fields: { expiration: 'PT5M', tags: 'a' } })
    const kept = await uploaded(app, cats, { file: await picture({ seed: 2 }) })
    addresses = { gone: gone.url, kept: kept.url }
    const orphan = join(dirname(await pathOnDisk(app, cats, kept.url)), 'Orphan000000000A.png')
    await writeFile(orphan, 'bytes')
    await utimes(orphan, new Date(0), new Date(0))
    await onSiteOf(app, cats, (site) =>
      site.db.updateTable('total').set({ value: 9 }).where('name', '=', 'tags').execute(),
    )
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  for (const [name, { seconds, files }] of Object.entries(scenes)) {
    test(`leaves nothing that a later one does not finish: ${name}`, async () => {
      const start = join(root, 'start')
      const sweep: Sweep = { verb: String(seconds), program: { driver: 'job-driver.ts' }, start, root }
      const counts = { doneBefore: 0, doneAfter: 0 }
      const { steps } = await killAtEveryStep(sweep, async ({ folder }) => {
        await checkFiles(folder)
        await checkAfter(folder, { seconds, files, counts })
      })
      console.log(`${name}: killed after ${steps} steps, ${JSON.stringify(counts)}`)
      assert.ok(counts.doneBefore > 0 && counts.doneAfter > 0)
    })
  }

  interface Check {
    seconds: number
    files: number
    counts: { doneBefore: number; doneAfter: number }
  }

  /** The expired file is never served; what was begun is finished by the next worker, once. */
  async function checkAfter(folder: string, { seconds, files, counts }: Check): Promise<void> {
    await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: folder } })
    app.wait(seconds)
    assert.equal((await ask(app, addresses.gone)).status, 404)
    assert.equal((await ask(app, addresses.kept)).status, 200)
    const found = await leftoversOf(app, cats)
    assert.ok(found.files === files || found.files === files + 1)
    if (found.files === files) counts.doneAfter += 1
    else counts.doneBefore += 1

    // The killed one may hold a lease, and a finished one has an interval to wait.
    app.wait(61)
    await doDueJobs(app)
    const remains = await leftoversOf(app, cats)
    assert.deepEqual([remains.files, remains.removals], [files, 0])
    assert.equal(remains.keys.length, 2 * files + (seconds > daySeconds ? 0 : 1), remains.keys.join())
    await checkTotals(app, seconds > daySeconds)
    const row = await jobRowOf(app, cats)
    assert.deepEqual([row?.leasedUntil, row?.failures, row?.fault], [null, 0, null])
    assert.equal((await ask(app, addresses.kept)).status, 200)
  }

  async function checkTotals(app: TestApp, isRecounted: boolean): Promise<void> {
    const { stats } = await readTenantWithStats(app.app.control, 'cats')
    await onSiteOf(app, cats, async (site) => {
      const totals = await allTotals(site.db)
      assert.deepEqual(stats, totals, 'the installation knows what the site counts')
      const counted = await recountTotals(site)
      assert.deepEqual(isRecounted ? totals : { ...totals, tags: 1 }, counted)
    })
  }
})
