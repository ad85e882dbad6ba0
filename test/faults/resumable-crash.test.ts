import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { type Imaging, startImaging } from '../../src/imaging/index.ts'
import { doJobs } from '../../src/jobs/index.ts'
import { allTotals } from '../../src/site/index.ts'
import { openSite, readTenant } from '../../src/tenants/index.ts'
import { created, padded, patch } from '../support/clients/resumable.ts'
import { assertHealthy } from '../support/doctor.ts'
import { startTestApp } from '../support/harness.ts'
import { keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { picture } from '../support/uploads.ts'
import type { Program } from './crash/driver-process.ts'
import * as kills from './crash/kills.ts'
import { checkFiles } from './crash/look.ts'
import { callOf, type ResumableScene } from './crash/resumable-scene.ts'
import { openService, type Service, sha256Of } from './crash/service.ts'

const traced = await needing('strace')

const lengthBytes = 60_000
const ranges = { append: [20_000, 40_000], finish: [20_000, lengthBytes], terminate: [0, 0] } as const
/** When tus-js-client tries for the last time; the lease of the killed server has ended by then. */
const lastTryMs = 9_000
const weekMs = 8 * 86_400_000

traced.describe('a server killed at every step of a resumable upload', { timeout: 900_000 }, () => {
  let root: string
  let imaging: Imaging
  let scene: ResumableScene
  let bytes: Buffer

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'terrace-resumable-crash-'))
    imaging = startImaging({ children: 1 })
    bytes = padded(await picture({ format: 'jpeg' }), lengthBytes)
    const fixture = join(root, 'fixture')
    await mkdir(fixture)
    await writeFile(join(fixture, 'cat.jpg'), bytes)
    await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: join(root, 'start') } })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'upload')
    const id = await created([app, cats], { key, length: lengthBytes, metadata: { filename: 'cat.jpg' } })
    const first = await patch([app, cats], id, { key, offset: 0, bytes: bytes.subarray(0, 20_000) })
    assert.equal(first.status, 204, first.text)
    scene = { key, host: cats.hostname, id, ranges }
    await writeFile(join(fixture, 'scene.json'), JSON.stringify(scene))
  }, 240_000)
  afterAll(async () => {
    await imaging?.[Symbol.asyncDispose]()
    await rm(root, { recursive: true, force: true })
  })

  const open = (dataDir: string, aheadMs: number) => openService({ dataDir, imaging, urlAllow: '', aheadMs })

  for (const verb of ['append', 'finish'] as const) {
    test(`keeps every offset that it acknowledged, and makes one file: ${verb}`, async () => {
      const [start, end] = ranges[verb]
      const offsets = new Map<number, number>()
      await killAtEveryStep(verb, async (folder, isDone) => {
        await using service = await open(folder, lastTryMs)
        const offset = await offsetOf(service)
        assert.ok(isDone ? offset === end : offset === start || offset === end, `${offset}, done: ${isDone}`)
        offsets.set(offset, (offsets.get(offset) ?? 0) + 1)
        assert.equal((await filesOf(service.app)).length, offset === lengthBytes ? 1 : 0)
        if (offset < lengthBytes) await sendRest(service, offset)
        assert.equal(await offsetOf(service), lengthBytes)
        assert.deepEqual(await filesOf(service.app), [sha256Of(bytes)])
      })
      assert.ok((offsets.get(start) ?? 0) > 0 && (offsets.get(end) ?? 0) > 0, JSON.stringify([...offsets]))
    })
  }

  test('is terminated or goes on', async () => {
    await killAtEveryStep('terminate', async (folder, isDone) => {
      await using service = await open(folder, 0)
      const { status } = await service.send(callOf(scene, 'HEAD'), '')
      assert.ok(status === 410 || (status === 200 && !isDone), `${status}, done: ${isDone}`)
      if (status === 200) await sendRest(service, await offsetOf(service))
      assert.equal((await filesOf(service.app)).length, status === 200 ? 1 : 0)
    })
  })

  async function killAtEveryStep(verb: string, check: (folder: string, isDone: boolean) => Promise<void>) {
    const program: Program = {
      driver: 'resumable-driver.ts',
      environment: { FIXTURE: join(root, 'fixture') },
    }
    const sweep = { verb, program, start: join(root, 'start'), root }
    const { steps } = await kills.killAtEveryStep(sweep, async ({ folder, isDone }) => {
      await checkFiles(folder)
      await check(folder, isDone)
      await checkAWeekLater(folder)
    })
    console.log(`${verb}: killed after ${steps} steps`)
  }

  async function offsetOf(service: Service): Promise<number> {
    const site = await siteOf(service.app)
    await using opened = site
    const row = await opened.db.selectFrom('resumableUpload').select('offsetBytes').executeTakeFirst()
    const { status } = await service.send(callOf(scene, 'HEAD'), '')
    assert.equal(status, 200)
    return row?.offsetBytes ?? -1
  }

  async function sendRest(service: Service, offset: number): Promise<void> {
    const { payload, ...call } = callOf(scene, 'PATCH', { offset, payload: bytes.subarray(offset) })
    const { status, body } = await service.send(call, payload)
    assert.equal(status, 204, body)
  }

  const siteOf = async (app: App) => openSite(app.control, await readTenant(app.control, 'cats'))

  /** The hashes of what is stored of each file. */
  async function filesOf(app: App): Promise<string[]> {
    await using site = await siteOf(app)
    const rows = await site.db.selectFrom('file').select(['id', 'folder', 'extension']).execute()
    return Promise.all(
      rows.map(async ({ id, folder, extension }) => {
        const stored = await site.storage.read(`${folder}/${id}.${extension}`)
        const content = stored?.content ?? Buffer.alloc(0)
        return sha256Of(Buffer.isBuffer(content) ? content : Buffer.concat(await content.toArray()))
      }),
    )
  }

  /** Nothing lies about that no row names, and nothing is reserved. */
  async function checkAWeekLater(folder: string): Promise<void> {
    await using service = await open(folder, weekMs)
    const { signal } = new AbortController()
    await doJobs(service.app, { signal, isOnce: true })
    await using later = await open(folder, 2 * weekMs)
    await doJobs(later.app, { signal, isOnce: true })
    await assertHealthy(later.app)
    await using site = await siteOf(later.app)
    const stored = await site.storage.list('', undefined, 100)
    const { storageUsed } = await allTotals(site.db)
    assert.equal(
      stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      storageUsed,
      stored.map(({ key }) => key).join(),
    )
    assert.deepEqual(await site.db.selectFrom('resumableUpload').select('id').execute(), [])
    assert.deepEqual(await site.db.selectFrom('removal').select('path').execute(), [])
  }
})
