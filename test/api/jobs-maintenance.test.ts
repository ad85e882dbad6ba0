import assert from 'node:assert/strict'
import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, vi } from 'vitest'
import { schedule } from '../../src/jobs/index.ts'
import { damagedFiles } from '../../src/media/index.ts'
import { allTotals } from '../../src/site/index.ts'
import { reconcileSites } from '../../src/tenants/index.ts'
import { ask, pathOnDisk } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs, jobRowOf, leftoversOf } from '../support/jobs.ts'
import { nowOf, onSiteOf, picture, set, statsOf, upload, uploaded } from '../support/uploads.ts'

const daySeconds = 24 * 60 * 60

onEachStore('once a week a site', (store) => {
  test('loses stored bytes that no row knows of, when they are older than a day, and nothing else', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats, { file: await picture({ width: 700 }) })
    const folder = join(
      (await pathOnDisk(app, cats, image.url)).replace(/\/images\/.*/, ''),
      'images/2020/01/01',
    )
    await mkdir(folder, { recursive: true })
    const places = ['Left0000000000AB.jpg', 'Left0000000000AB.th.jpg', 'Young000000000AB.jpg'].map((name) =>
      join(folder, name),
    )
    for (const path of places) await writeFile(path, 'bytes')
    // A version of a file that is there, but that its row does not tell of.
    const extra = (await pathOnDisk(app, cats, image.url)).replace(/\.png$/, '.fr.png')
    await writeFile(extra, 'bytes')
    app.wait(7 * daySeconds + 1)
    const young = new Date(nowOf(app).getTime() - 3_600_000)
    await utimes(places[2] ?? '', young, young)

    const [run] = await doDueJobs(app)
    assert.deepEqual(
      [run?.outcome, run?.done['sweep-orphans'], run?.done['remove-bytes'], run?.done['scrub-files']],
      ['done', 3, 3, 1],
    )
    const { keys, removals } = await leftoversOf(app, cats)
    assert.equal(removals, 0)
    assert.equal(keys.length, 4)
    assert.ok(keys.includes('images/2020/01/01/Young000000000AB.jpg'))
    for (const url of [image.url, image.thumb.url, image.medium.url])
      assert.equal((await ask(app, url)).status, 200)
    assert.deepEqual(await doDueJobs(app), [])
    app.wait(7 * daySeconds + 60)
    assert.equal((await doDueJobs(app)).at(0)?.done['sweep-orphans'], 1)
  })

  test('keeps bytes without a row while the clock of the machine cannot be believed', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats)
    const fresh = (await pathOnDisk(app, cats, image.url)).replace(/[^/]*$/, 'Fresh000000000AB.png')
    await writeFile(fresh, 'bytes')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * daySeconds * 1_000 })
    try {
      const [run] = await doDueJobs(app)
      assert.deepEqual([run?.outcome, run?.done['sweep-orphans']], ['done', 0])
    } finally {
      vi.useRealTimers()
    }
    assert.equal((await leftoversOf(app, cats)).keys.length, 3)
  })

  test('is read whole: what is damaged or missing is reported, kept and never removed', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const [whole, flipped, short, gone] = await Promise.all(
      [1, 2, 3, 4].map(async (seed) => uploaded(app, cats, { file: await picture({ seed }) })),
    )
    const pathOf = (url: string) => pathOnDisk(app, cats, url)
    const bytes = await readFile(await pathOf(flipped.url))
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    await writeFile(await pathOf(flipped.url), bytes)
    await writeFile(await pathOf(short.thumb.url), 'short')
    const lost = await readFile(await pathOf(gone.thumb.url))
    const lostPath = await pathOf(gone.thumb.url)
    await rm(lostPath)

    app.wait(7 * daySeconds + 1)
    assert.equal((await doDueJobs(app)).at(0)?.outcome, 'done')
    const damage = new Map(
      (await onSiteOf(app, cats, damagedFiles)).map(({ fileId, fault }) => [fileId, fault]),
    )
    assert.deepEqual(
      [...damage.keys()].sort(),
      [flipped.id_encoded, short.id_encoded, gone.id_encoded].sort(),
    )
    assert.match(damage.get(flipped.id_encoded) ?? '', /other bytes than were stored/)
    assert.match(damage.get(short.id_encoded) ?? '', /\.th\.png has 5 bytes, not \d+$/)
    assert.match(damage.get(gone.id_encoded) ?? '', /\.th\.png is missing$/)
    assert.equal(await metric(app, 'terrace_damaged_files'), 3)
    assert.equal((await statsOf(app, cats)).files, 4)

    await writeFile(lostPath, lost)
    await app.send('DELETE', new URL(short.delete_url).pathname, { headers: { host: cats.hostname } })
    app.wait(7 * daySeconds + 60)
    await doDueJobs(app)
    const left = await onSiteOf(app, cats, damagedFiles)
    assert.deepEqual(
      left.map(({ fileId }) => fileId),
      [flipped.id_encoded],
    )
    assert.equal(await metric(app, 'terrace_damaged_files'), 1)
    assert.equal((await ask(app, whole.url)).status, 200)
  })

  test('is counted anew, and forgets ended sessions and old marks', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { public_key: 'a public key'.padEnd(20, '!').replaceAll(' ', '-') })
    const sent = await upload(app, cats, { key: 'a-public-key!!!!!!!!' })
    assert.equal(sent.status, 200, sent.text)
    await onSiteOf(app, cats, async (site) => {
      await site.db.updateTable('total').set({ value: 77 }).where('name', '=', 'files').execute()
      const { id: userId } = await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
      for (const [tokenHash, hours] of [
        ['ended', 1],
        ['lasts', 24 * 365],
      ] as const) {
        const expiresAt = new Date(nowOf(app).getTime() + hours * 3_600_000).toISOString()
        const createdAt = nowOf(app).toISOString()
        const known = { id: tokenHash, address: '', userAgent: '', lastUsedAt: createdAt, isLasting: 0 }
        await site.db
          .insertInto('session')
          .values({ ...known, tokenHash, userId, createdAt, expiresAt })
          .execute()
      }
    })
    app.wait(40 * daySeconds)
    const [run] = await doDueJobs(app)
    assert.deepEqual(run?.done, {
      'prune-sessions': 1,
      'prune-rate-limit-log': 1,
      'sweep-orphans': 0,
      'refresh-stats': 1,
      'scrub-files': 1,
    })
    assert.equal((await statsOf(app, cats)).files, 1)
    await onSiteOf(app, cats, async (site) => {
      assert.equal((await allTotals(site.db)).files, 1)
      assert.deepEqual(await site.db.selectFrom('session').select('tokenHash').execute(), [
        { tokenHash: 'lasts' },
      ])
      assert.deepEqual(await site.db.selectFrom('rateLimitHit').select('id').execute(), [])
    })
  })

  test('is left alone where nothing is stored, or where its operator wants none of it', async () => {
    // The log of changes would be due by itself, in a year.
    await using app = await startTestApp({
      store,
      environment: { SERVICE_AUDIT_DAYS: '0', SERVICE_USAGE_DAYS: '0' },
    })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    await app.call('PATCH', 'tenants/dogs', { env: { SERVICE_SCRUB_DAYS: '0' } })
    const image = await uploaded(app, cats)
    await uploaded(app, dogs)
    assert.equal((await jobRowOf(app, dogs))?.dueAt ?? null, null)
    assert.ok((await jobRowOf(app, cats))?.dueAt)
    app.wait(8 * daySeconds)
    assert.deepEqual(
      (await doDueJobs(app)).map(({ tenant }) => tenant),
      ['cats'],
    )
    await app.send('DELETE', new URL(image.delete_url).pathname, { headers: { host: cats.hostname } })
    app.wait(8 * daySeconds)
    assert.equal((await doDueJobs(app)).length, 1)
    assert.equal((await jobRowOf(app, cats))?.dueAt, null)
    app.wait(30 * daySeconds)
    assert.deepEqual(await doDueJobs(app), [])
  })
})

onEachStore('an expiration that a killed server did not record', (store) => {
  test('is found by going through the sites once, and the file expires', async () => {
    await using app = await startTestApp({ store })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    await uploaded(app, cats, { fields: { expiration: 'PT5M' } })
    await uploaded(app, dogs)
    const { control } = app.app
    const before = await statsOf(app, cats)
    await control.store.changeControl(async (db) => {
      await db.deleteFrom('job').execute()
      await db.updateTable('site').set({ stats: '{}' }).execute()
    })
    app.wait(301)
    assert.deepEqual(await doDueJobs(app), [])
    await control.store.control.deleteFrom('meta').where('name', '=', 'settled-up-to').execute()
    assert.deepEqual(await reconcileSites(control, assert.fail), { reconciled: 2, isDone: true })
    assert.deepEqual(await statsOf(app, cats), before)
    assert.deepEqual((await doDueJobs(app)).at(0)?.done, { 'expire-files': 1, 'remove-bytes': 2 })
    assert.deepEqual(await reconcileSites(control, assert.fail), { reconciled: 0, isDone: true })
    await control.store.control.deleteFrom('meta').where('name', '=', 'settled-up-to').execute()
    assert.deepEqual(await reconcileSites(control, assert.fail), { reconciled: 0, isDone: true })
  })
})

test('files that killed uploads left are removed once no client can resume them', async () => {
  await using app = await startTestApp()
  const spool = join(app.dataDir, 'spool')
  for (const [name, minutes] of [
    ['old', 11],
    ['young', 9],
  ] as const) {
    await mkdir(join(spool, name))
    await writeFile(join(spool, name, 'file'), 'bytes')
    const at = new Date(Date.now() - minutes * 60_000)
    await utimes(join(spool, name), at, at)
  }
  const job = schedule.machine.find(({ name }) => name === 'sweep-spool')
  assert.deepEqual(await job?.run(app.app, assert.fail), { count: 1, isDone: true })
  assert.deepEqual(await job?.run(app.app, assert.fail), { count: 0, isDone: true })
})

async function metric(app: TestApp, name: string): Promise<number> {
  const { text } = await app.send('GET', '/_/metrics')
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}
