import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { allTotals, recountTotals } from '../../src/site/index.ts'
import { readTenantWithStats } from '../../src/tenants/index.ts'
import { ask } from '../support/delivered.ts'
import { startTestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { md5Of, onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'
import type { Program } from './crash/driver-process.ts'
import { killAtEveryStep } from './crash/kills.ts'
import { checkFiles } from './crash/look.ts'

const traced = await needing('strace')

/** Each call with what is done before it, and the pictures that are served before and after: none in the trash. */
const scenes = {
  replace: { before: [], bytes: ['first', 'next'] },
  revert: { before: ['replace'], bytes: ['next', 'first'] },
  trash: { before: [], bytes: ['first', undefined] },
  restore: { before: ['trash'], bytes: [undefined, 'first'] },
  purge: { before: ['replace'], bytes: ['next', undefined] },
} as const

traced.describe('a server killed at every step of a change of a file', { timeout: 900_000 }, () => {
  let root: string
  let cats: TestTenant
  let key: string
  let image: any
  const pictures = new Map<string, string>()

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'terrace-files-crash-'))
    const next = await picture({ seed: 2, width: 90 })
    await mkdir(join(root, 'fixture'))
    await writeFile(join(root, 'fixture', 'next.png'), next)
    pictures.set('next', md5Of(next))
    for (const kind of ['', 'replace', 'trash'] as const) {
      await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: join(root, `start-${kind}`) } })
      cats = await app.tenant('cats')
      key = await keyOf(app, cats, 'write')
      image = await uploaded(app, cats, { fields: { tags: 'a' } })
      pictures.set('first', image.md5)
      const id: string = image.id_encoded
      const headers = { host: cats.hostname, 'x-api-key': key, 'content-type': 'image/png' }
      if (kind === 'replace')
        assert.equal(
          (await app.send('PUT', `/api/5/files/${id}/content`, { bytes: next, headers })).status,
          200,
        )
      if (kind === 'trash') assert.equal((await ask5(app, cats, `DELETE files/${id}`, { key })).status, 204)
      starts.set(kind, { cats, key, url: image.url, id })
    }
  }, 240_000)
  afterAll(() => rm(root, { recursive: true, force: true }))

  interface Start {
    cats: TestTenant
    key: string
    url: string
    id: string
  }
  const starts = new Map<string, Start>()

  for (const [verb, { before, bytes }] of Object.entries(scenes)) {
    test(`serves the old bytes or the new ones, whole, and counts storage right: ${verb}`, async () => {
      const start = starts.get(before[0] ?? '') as Start
      const fixture = join(root, 'fixture')
      const scene = { key: start.key, id: start.id, host: start.cats.hostname }
      await writeFile(join(fixture, 'scene.json'), JSON.stringify(scene))
      const program: Program = { driver: 'file-driver.ts', environment: { FIXTURE: fixture } }
      const sweep = { verb, program, start: join(root, `start-${before[0] ?? ''}`), root }
      const counts = { before: 0, after: 0 }
      const { steps } = await killAtEveryStep(sweep, async ({ folder, isDone }) => {
        await checkFiles(folder)
        const served = await checkAfter(folder, start)
        const [old, young] = bytes.map((name) => name && pictures.get(name))
        assert.ok(
          served === young || (served === old && !isDone),
          `${served} after ${isDone ? 'done' : 'a kill'}`,
        )
        counts[served === young ? 'after' : 'before'] += 1
      })
      console.log(`${verb}: killed after ${steps} steps, ${JSON.stringify(counts)}`)
      assert.ok(counts.before > 0 && counts.after > 0)
    })
  }

  /** The MD5 of what is served; undefined if nothing is. A week later nothing lies about that no row names. */
  async function checkAfter(folder: string, { cats: tenant, url }: Start): Promise<string | undefined> {
    await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: folder } })
    const sent = await ask(app, url)
    assert.ok(sent.status === 200 || sent.status === 404, String(sent.status))
    app.wait(8 * 86_400)
    await doDueJobs(app)
    await onSiteOf(app, tenant, async (site) => {
      const totals = await allTotals(site.db)
      assert.deepEqual(await recountTotals(site), totals)
      const { stats } = await readTenantWithStats(app.app.control, 'cats')
      assert.deepEqual(stats, totals, 'the installation knows what the site counts')
      const stored = (await site.storage.list('', undefined, 100)).reduce(
        (sum, each) => sum + each.sizeBytes,
        0,
      )
      assert.equal(stored, totals.storageUsed)
      assert.deepEqual(await site.db.selectFrom('damage').selectAll().execute(), [])
      assert.deepEqual(await site.db.selectFrom('removal').selectAll().execute(), [])
    })
    return sent.status === 200 ? md5Of(sent.bytes) : undefined
  }
})
