import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { findAuditConflict, findBrokenAudit } from '../../src/site/index.ts'
import { startTestApp } from '../support/harness.ts'
import { keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { onSiteOf, type TestTenant, uploaded } from '../support/uploads.ts'
import type { Program } from './crash/driver-process.ts'
import { killAtEveryStep } from './crash/kills.ts'
import { checkFiles } from './crash/look.ts'

const traced = await needing('strace')

traced.describe('a server killed at every step of a change', { timeout: 900_000 }, () => {
  test('has made and recorded it, or neither, and the chain of the audit log is whole', async () => {
    const root = await mkdtemp(join(tmpdir(), 'terrace-audit-crash-'))
    try {
      const start = join(root, 'start')
      const { cats, ...scene } = await makeFile(start)
      const fixture = join(root, 'fixture')
      await mkdir(fixture)
      await writeFile(join(fixture, 'scene.json'), JSON.stringify({ ...scene, host: cats.hostname }))
      const program: Program = { driver: 'file-driver.ts', environment: { FIXTURE: fixture } }
      const sweep = { verb: 'trash', program, start, root }
      const counts = { before: 0, after: 0 }
      await killAtEveryStep(sweep, async ({ folder, isDone }) => {
        await checkFiles(folder)
        const isTrashed = await checkLog(folder, cats, scene.id)
        assert.ok(isTrashed || !isDone, 'what was answered is done')
        counts[isTrashed ? 'after' : 'before'] += 1
      })
      assert.ok(counts.before > 0 && counts.after > 0, JSON.stringify(counts))
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  })
})

async function makeFile(folder: string): Promise<{ cats: TestTenant; key: string; id: string }> {
  await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: folder } })
  const cats = await app.tenant('cats')
  const { id_encoded: id } = await uploaded(app, cats)
  return { cats, key: await keyOf(app, cats, 'admin'), id }
}

/** Whether the file is in the trash, which the log must tell too. */
async function checkLog(folder: string, cats: TestTenant, id: string): Promise<boolean> {
  await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: folder } })
  return onSiteOf(app, cats, async (site) => {
    const { db } = site
    const { deletedAt } = await db
      .selectFrom('file')
      .select('deletedAt')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const recorded = await db
      .selectFrom('audit')
      .select('target')
      .where('verb', '=', 'file.trashed')
      .execute()
    assert.deepEqual(recorded, deletedAt === null ? [] : [{ target: id }])
    assert.equal(await findBrokenAudit(site), undefined)
    assert.equal(await findAuditConflict(site), undefined)
    return deletedAt !== null
  })
}
