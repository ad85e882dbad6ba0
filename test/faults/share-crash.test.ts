import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { allTotals, recountTotals } from '../../src/site/index.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { multipartOf, onSiteOf, picture, type TestTenant } from '../support/uploads.ts'
import type { Program } from './crash/driver-process.ts'
import { killAtEveryStep } from './crash/kills.ts'
import { checkFiles } from './crash/look.ts'

const traced = await needing('strace')

traced.describe('a server killed at every step of an upload to a share', { timeout: 900_000 }, () => {
  test('has stored and counted the file or neither; sent again, there is one', async () => {
    const root = await mkdtemp(join(tmpdir(), 'terrace-share-crash-'))
    try {
      const made = await makeShare(join(root, 'start'))
      const form = multipartOf([{ name: 'source', value: await picture({ seed: 3 }), fileName: 'cat.png' }])
      const fixture = join(root, 'fixture')
      await mkdir(fixture)
      await writeFile(join(fixture, 'form.bin'), form.bytes)
      const scene = { key: '', id: '', host: made.cats.hostname }
      const collection = { path: made.path, type: form.type }
      await writeFile(join(fixture, 'scene.json'), JSON.stringify({ ...scene, collection }))
      const program: Program = { driver: 'file-driver.ts', environment: { FIXTURE: fixture } }
      const sweep = { verb: 'collect', program, start: join(root, 'start'), root }
      const counts = { before: 0, after: 0 }
      const { steps } = await killAtEveryStep(sweep, async ({ folder, isDone }) => {
        await checkFiles(folder)
        const stored = await checkAfter(folder, { ...made, form })
        assert.ok(
          stored === 1 || (stored === 0 && !isDone),
          `${stored} files after ${isDone ? 'done' : 'a kill'}`,
        )
        counts[stored === 1 ? 'after' : 'before'] += 1
      })
      console.log(`killed after ${steps} steps, ${JSON.stringify(counts)}`)
      assert.ok(counts.before > 0 && counts.after > 0)
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  })
})

interface Made {
  cats: TestTenant
  key: string
  shareId: string
  path: string
}

async function makeShare(folder: string): Promise<Made> {
  await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: folder } })
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'write')
  const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Box', privacy: 'private' } }))
    .json
  const body = { allow_upload: true, allow_download: false, max_uploads: 1 }
  const share = await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body })
  assert.equal(share.status, 201, share.text)
  const token = share.json.url.split('/').at(-1)
  return { cats, key, shareId: share.json.id, path: `/api/5/shares/${token}/files` }
}

/** The number of files that the kill has left; sent again with its key, there is one, which uses up the share. */
async function checkAfter(
  folder: string,
  { cats, key, shareId, path, form }: Made & { form: { type: string; bytes: Buffer } },
): Promise<number> {
  await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: folder } })
  const state = () => stateOf(app, { cats, key, shareId })
  const [stored, counted] = await state()
  assert.equal(stored, counted, 'what is stored is counted')
  // The lease of the killed run ends.
  app.wait(20)
  const headers = { host: cats.hostname, 'content-type': form.type, 'idempotency-key': 'one' }
  const again = await app.send('POST', path, { bytes: form.bytes, headers })
  assert.equal(again.status, 201, again.text)
  assert.deepEqual(await state(), [1, 1])
  app.wait(8 * 86_400)
  await doDueJobs(app)
  await onSiteOf(app, cats, async (site) => {
    const totals = await allTotals(site.db)
    assert.deepEqual(await recountTotals(site), totals)
    const objects = await site.storage.list('', undefined, 100)
    const bytes = objects.reduce((sum, each) => sum + each.sizeBytes, 0)
    assert.equal(bytes, totals.storageUsed, 'nothing lies about that no row names')
  })
  return stored
}

async function stateOf(
  app: TestApp,
  { cats, key, shareId }: Pick<Made, 'cats' | 'key' | 'shareId'>,
): Promise<[stored: number, counted: number]> {
  const files = await ask5(app, cats, 'GET files', { key })
  const share = await ask5(app, cats, `GET shares/${shareId}`, { key })
  return [files.json.data.length, share.json.uploads]
}
