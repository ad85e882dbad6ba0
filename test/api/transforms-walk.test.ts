import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { allTotals } from '../../src/site/index.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { runsOf } from '../support/tiers.ts'
import { until } from '../support/until.ts'
import { limit, onSiteOf, picture, type TestTenant, upload } from '../support/uploads.ts'

interface WalkedFile {
  id: string
  url: string
}

/** A site with three files, and what can happen to them. */
interface World {
  app: TestApp
  cats: TestTenant
  key: string
  files: WalkedFile[]
}

const contents = await Promise.all([1, 2, 3].map((seed) => picture({ width: 660, height: 400, seed })))

async function addFile({ app, cats, files }: World, at: number): Promise<void> {
  const fields = { expiration: 'PT5M' }
  const { json, text } = await upload(app, cats, {
    file: contents[at % 3] as Buffer,
    ...(at === 0 && { fields }),
  })
  assert.ok(json?.image, text)
  files[at] = { id: json.image.id_encoded, url: json.image.url }
}

type Step =
  | { verb: 'ask'; file: number; width: number; format: string }
  | { verb: 'trash' | 'restore' | 'remove' | 'replace' | 'revert'; file: number }
  | { verb: 'budget'; bytes: number }
  | { verb: 'wait' | 'upload' | 'jobs'; file: number }

const file = fc.nat({ max: 2 })
const asking = fc.record({
  verb: fc.constant('ask' as const),
  file,
  width: fc.constantFrom(320, 500, 640),
  format: fc.constantFrom('webp', 'jpeg', 'auto', 'avif'),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: asking },
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constantFrom('trash', 'restore', 'remove', 'replace', 'revert', 'wait', 'upload', 'jobs'),
      file,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant('budget' as const),
      bytes: fc.constantFrom(1, 1_000, 3_000, 10_000_000),
    }),
  },
)

async function take(world: World, step: Step): Promise<void> {
  const { app, cats, key, files } = world
  const of = 'file' in step ? (files[step.file] as WalkedFile) : { id: '', url: '' }
  const call = async (request: string, body?: object) => {
    const { status, text } = await ask5(app, cats, request, { key, ...(body && { body }) })
    assert.ok(status < 500, `${request}: ${status} ${text}`)
  }
  switch (step.verb) {
    case 'ask': {
      const { status } = await ask(app, `${of.url}?width=${step.width}&format=${step.format}`)
      assert.ok([200, 404].includes(status), String(status))
      return
    }
    case 'trash':
      return call(`DELETE files/${of.id}`)
    case 'restore':
      return call(`POST files/${of.id}/restore`)
    case 'remove':
      return call(`DELETE files/${of.id}?permanent=true`)
    case 'revert':
      return call(`POST files/${of.id}/revert`, { revision: 1 })
    case 'replace': {
      const headers = { host: cats.hostname, 'x-api-key': key, 'content-type': 'application/octet-stream' }
      const bytes = await picture({ width: 650, height: 420, seed: step.file + 10 })
      const { status, text } = await app.send('PUT', `/api/5/files/${of.id}/content`, { bytes, headers })
      assert.ok(status < 500, text)
      return
    }
    case 'budget':
      return limit(app, cats, { SERVICE_MAX_DERIVED: String(step.bytes) })
    case 'wait':
      app.wait(301)
      return
    case 'upload':
      return addFile(world, step.file)
    case 'jobs':
      await doDueJobs(app, cats)
  }
}

/** The total is the sum of the rows, each row has its bytes, nothing else is stored, and only of files that are served. */
async function assertTotals({ app, cats }: World): Promise<void> {
  await doDueJobs(app, cats)
  await onSiteOf(app, cats, async ({ db, storage }) => {
    const rows = await db.selectFrom('derived').selectAll().execute()
    const { derivedBytes } = await allTotals(db)
    assert.equal(
      derivedBytes,
      rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      'the total',
    )
    const stored = (await storage.list('', undefined, 10_000)).filter(({ key }) => key.startsWith('derived/'))
    const named = stored.map(({ key, sizeBytes }) => `${key} ${sizeBytes}`)
    const expected = rows.map(({ id, extension, sizeBytes }) => `derived/${id}.${extension} ${sizeBytes}`)
    assert.deepEqual(named.toSorted(), expected.toSorted(), 'the objects')
    const files = await db.selectFrom('file').select(['id', 'keyRevision', 'deletedAt']).execute()
    for (const { fileId, keyRevision } of rows) {
      const owner = files.find(({ id }) => id === fileId)
      assert.deepEqual([owner?.keyRevision, owner?.deletedAt], [keyRevision, null], 'its file')
    }
  })
}

/** AVIF that nobody waits for may be stored at this moment. */
async function assertSoon(check: () => Promise<void>): Promise<void> {
  let fault: unknown
  const holds = () =>
    check().then(
      () => true,
      (error) => {
        fault = error
        return false
      },
    )
  await until(holds, 'it holds').catch(() => Promise.reject(fault))
}

const environment = { SERVICE_RATE_READS: '0', SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0' }

onEachStore('the total of derived bytes', (store) => {
  test('is the sum of rows and of objects after any walk', { timeout: 600_000 }, async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const world: World = { app, cats, key: await keyOf(app, cats, 'admin'), files: [] }
    for (const at of [0, 1, 2]) await addFile(world, at)
    /** Steps of one turn happen at the same time. */
    const walk = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 8 })
    const check = fc.asyncProperty(walk, async (turns) => {
      for (const steps of turns) await Promise.all(steps.map((each) => take(world, each)))
      await assertSoon(() => assertTotals(world))
    })
    await fc.assert(check, { numRuns: runsOf(20, 4), endOnFailure: true })
  })
})
