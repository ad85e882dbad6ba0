import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { examineApp } from '../../src/maintenance/index.ts'
import { hashOfRow } from '../../src/site/audit/chain.ts'
import { assertHealthy, faultsOf } from '../support/doctor.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { until } from '../support/until.ts'
import { onSiteOf, type TestTenant } from '../support/uploads.ts'

/** A tenant with some rows in its log, and what the tests do to them. */
async function startLog(app: TestApp) {
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'admin')
  const { number } = await onSiteOf(app, cats, async (site) => site)
  const path = join(app.dataDir, 'audit-heads', `${number}.json`)
  const names = { next: 0 }
  const change = async () => {
    names.next += 1
    const body = { site_name: `Cats ${names.next}` }
    const answer = await ask5(app, cats, 'PATCH settings', { key, body })
    assert.equal(answer.status, 200, answer.text)
  }
  const copied = async () => {
    const { sequence } = await headOf(app, cats)
    const hasAll = async () =>
      existsSync(path) && JSON.parse(await readFile(path, 'utf8')).sequence === sequence
    await until(hasAll, 'the head is copied')
  }
  for (let each = 0; each < 4; each += 1) await change()
  await copied()
  return { cats, key, path, change, copied, faults: async () => faultsOf(await examineApp(app.app)) }
}

const headOf = (app: TestApp, cats: TestTenant) =>
  onSiteOf(app, cats, ({ db }) => db.selectFrom('auditHead').selectAll().executeTakeFirstOrThrow())

const rowsOf = (app: TestApp, cats: TestTenant) =>
  onSiteOf(app, cats, ({ db }) => db.selectFrom('audit').selectAll().orderBy('sequence').execute())

/** What the owner of the database can do: replaces the log, past the trigger. */
const replaceLog = (app: TestApp, cats: TestTenant, rows: readonly any[], head: any) =>
  onSiteOf(app, cats, async ({ db }) => {
    await db.updateTable('auditHead').set({ prunedSequence: 1_000 }).execute()
    await db.deleteFrom('audit').execute()
    for (const { site: _, ...row } of rows) await db.insertInto('audit').values(row).execute()
    const { site: _, ...fields } = head
    await db.updateTable('auditHead').set(fields).execute()
  })

/** The same rows with valid hashes, after one of them was changed. */
function rechained(rows: readonly any[], before: string) {
  let hash = before
  return rows.map((row) => {
    hash = hashOfRow(hash, row)
    return { ...row, hash }
  })
}

onEachStore('the signed head of the audit log', (store) => {
  test('shows that a row was changed, even if all hashes after it fit', async () => {
    await using app = await startTestApp({ store })
    const { cats, change, faults } = await startLog(app)
    await assertHealthy(app.app)
    const [rows, head] = [await rowsOf(app, cats), await headOf(app, cats)]
    const evil = rechained(
      rows.map((row, index) => (index === 1 ? { ...row, address: '192.0.2.66' } : row)),
      head.prunedHash,
    )
    const last = rows.length
    await replaceLog(app, cats, evil, { ...head, hash: evil.at(-1).hash })
    assert.deepEqual(await faults(), [`audit cats audit ${last}`])
    await change()
    await change()
    assert.deepEqual(await faults(), [`audit cats audit ${last + 2}`], 'later changes do not cover it up')
  })

  test('shows that a database was put back to an earlier state, also after it has grown again', async () => {
    await using app = await startTestApp({ store })
    const { cats, change, copied, faults } = await startLog(app)
    const [rows, head] = [await rowsOf(app, cats), await headOf(app, cats)]
    for (let each = 0; each < 3; each += 1) await change()
    await copied()
    await assertHealthy(app.app)
    await replaceLog(app, cats, rows, head)
    const last = rows.length
    assert.deepEqual(await faults(), [`audit cats audit ${last + 1}`])
    const [finding] = (await examineApp(app.app)).flatMap(({ findings }) => findings)
    assert.match(finding?.says ?? '', /the rows \d+ to \d+ are missing, the database was put back/)
    for (let each = 0; each < 5; each += 1) await change()
    assert.deepEqual(await faults(), [`audit cats audit ${last + 3}`])
  })

  test('shows that the last rows, or the first ones, were cut off', async () => {
    await using app = await startTestApp({ store })
    const { cats, path, faults } = await startLog(app)
    // No copy: the signature in the database shows it by itself.
    await rm(path)
    const [rows, head] = [await rowsOf(app, cats), await headOf(app, cats)]
    const [before, last] = rows.slice(-2)
    await replaceLog(app, cats, rows.slice(0, -1), {
      ...head,
      sequence: before?.sequence,
      hash: before?.hash,
    })
    assert.deepEqual(await faults(), [`audit cats audit ${before?.sequence}`])
    const [first] = rows
    await replaceLog(app, cats, rows.slice(1), {
      ...head,
      prunedSequence: first?.sequence,
      prunedHash: first?.hash,
    })
    assert.deepEqual(await faults(), [`audit cats audit ${last?.sequence}`])
    await replaceLog(app, cats, rows, head)
    await assertHealthy(app.app)
  })

  test('is found if the copy was changed, or the signature was removed', async () => {
    await using app = await startTestApp({ store })
    const { cats, path, change, faults } = await startLog(app)
    const [text, head] = [await readFile(path, 'utf8'), await headOf(app, cats)]
    for (const forged of [text.replace(/"sequence":\d+/, '"sequence":1'), 'null', '']) {
      await writeFile(path, forged)
      assert.deepEqual(await faults(), [`audit cats audit ${head.sequence}`], forged)
    }
    await writeFile(path, text)
    await assertHealthy(app.app)
    await onSiteOf(app, cats, ({ db }) => db.updateTable('auditHead').set({ mac: '' }).execute())
    assert.deepEqual(await faults(), [`audit cats audit ${head.sequence}`])
    await change()
    assert.deepEqual(await faults(), [`audit cats audit ${head.sequence + 1}`])
  })

  test('is written with the next change of a log from before heads were signed', async () => {
    await using app = await startTestApp({ store })
    const { cats, path, change, copied } = await startLog(app)
    await rm(path)
    await onSiteOf(app, cats, ({ db }) => db.updateTable('auditHead').set({ mac: '' }).execute())
    await assertHealthy(app.app)
    await change()
    await copied()
    assert.notEqual((await headOf(app, cats)).mac, '')
    await assertHealthy(app.app)
  })

  test('survives the retention, and shows rows that come back after it', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_AUDIT_DAYS: '30' } })
    const { cats, path, change, copied, faults } = await startLog(app)
    const rows = await rowsOf(app, cats)
    await doDueJobs(app, cats)
    app.wait(20 * 86_400)
    await change()
    const kept = [await rowsOf(app, cats), await headOf(app, cats)] as const
    app.wait(12 * 86_400)
    await doDueJobs(app, cats)
    const isPruned = async () => JSON.parse(await readFile(path, 'utf8')).prunedSequence === rows.length
    await until(isPruned, 'the retention is copied')
    await assertHealthy(app.app)
    await replaceLog(app, cats, ...kept)
    assert.deepEqual(await faults(), ['audit cats audit 1'])
    await replaceLog(app, cats, kept[0].slice(-1), await signedLike(path))
    await change()
    await copied()
    await assertHealthy(app.app)
  })

  test('is kept by each server in a folder of its own, and the youngest shows what is missing', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, faults } = await startLog(app)
    const folder = join(app.dataDir, 'of the second server')
    await using second = await startTestApp({ beside: app, environment: { SERVICE_AUDIT_HEADS: folder } })
    const [rows, head] = [await rowsOf(app, cats), await headOf(app, cats)]
    await ask5(second, cats, 'PATCH settings', { key, body: { listing: 'members' } })
    const { sequence, number } = await onSiteOf(second, cats, async ({ number }) => ({
      number,
      sequence: (await headOf(second, cats)).sequence,
    }))
    const path = join(folder, `${number}.json`)
    await until(() => existsSync(path), 'the second server copies the head')
    await assertHealthy(app.app)
    await assertHealthy(second.app)
    await replaceLog(app, cats, rows, head)
    assert.deepEqual(faultsOf(await examineApp(second.app)), [`audit cats audit ${sequence}`])
    assert.deepEqual(await faults(), [], 'the first server has not seen the row')
  })

  test('leaves no draft of a killed process', async () => {
    await using app = await startTestApp({ store })
    const { path } = await startLog(app)
    const drafts = [`${path}.0123456789ab`, `${path}.ba9876543210`] as const
    for (const draft of drafts) await writeFile(draft, '{')
    const hourAgo = Date.now() / 1_000 - 3_600
    await utimes(drafts[0], hourAgo, hourAgo)
    await using _second = await startTestApp({ beside: app })
    await until(() => !existsSync(drafts[0]), 'the old draft is removed')
    assert.ok(existsSync(drafts[1]) && existsSync(path), 'a young one may be in use')
  })

  test('goes with its site, and a folder that cannot be written stops no change', async () => {
    await using app = await startTestApp({ store })
    const { path, change } = await startLog(app)
    const folder = join(app.dataDir, 'audit-heads')
    await rm(folder, { recursive: true })
    await writeFile(folder, 'in the way')
    await change()
    await rm(folder)
    await change()
    await until(() => existsSync(path), 'the head is copied once the folder can be made')
    await app.call('DELETE', 'tenants/cats', { drop_tables: true })
    await until(() => !existsSync(path), 'the head is removed')
  })
})

const signedLike = async (path: string) => ({ id: 1, ...JSON.parse(await readFile(path, 'utf8')) })
