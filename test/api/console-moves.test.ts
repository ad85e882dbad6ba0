import assert from 'node:assert/strict'
import { test } from 'vitest'
import { readLocation, readTenant } from '../../src/tenants/index.ts'
import { changeLocation } from '../../src/tenants/locations/site-locations.ts'
import { startConsole, type TestConsole } from '../support/console.ts'
import { ask } from '../support/delivered.ts'
import { onBothStores } from '../support/harness.ts'
import { heldBucket } from '../support/stores/held-bucket.ts'
import { otherDatabase } from '../support/stores/other-databases.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { until } from '../support/until.ts'
import { md5Of, picture, statsOf, type TestTenant, upload, uploaded } from '../support/uploads.ts'
import { recordedWork, startMove, workEnded, workOf } from '../support/work.ts'

interface Stored {
  url: string
  md5: string
}

async function uploadSome(app: TestConsole, tenant: TestTenant, count: number): Promise<Stored[]> {
  const stored: Stored[] = []
  for (let seed = 1; seed <= count; seed += 1) {
    const { url, thumb } = await uploaded(app, tenant, { file: await picture({ seed }) })
    for (const each of [url, thumb.url]) stored.push({ url: each, md5: md5Of((await ask(app, each)).bytes) })
  }
  return stored
}

async function assertServed(app: TestConsole, stored: readonly Stored[]): Promise<void> {
  for (const { url, md5 } of stored) {
    const { status, bytes } = await ask(app, url)
    assert.deepEqual([status, md5Of(bytes)], [200, md5], url)
  }
}

const locationOf = async ({ app: { control } }: TestConsole, id: string) => {
  const { database, storage, move } = await readLocation(control, (await readTenant(control, id)).site)
  return { database, storage, move }
}

/** Of a server that was killed. */
const lostMove = {
  id: 'AAAAAAAAAAAA',
  kind: 'move',
  state: 'running',
  done: 0,
  author: '{"kind":"operator","id":"g","name":"grace"}',
  tries: 1,
  losses: 0,
  leasedBy: '1@gone',
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: '2026-01-01T00:00:00.000Z',
} as const

onBothStores('a move that the console starts', (store) => {
  test('ends at the other database and storage with every byte, and is watched meanwhile', async () => {
    await using database = await otherDatabase()
    await using bucket = await heldBucket(6)
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    const stored = await uploadSome(app, cats, 8)
    const place = () => app.console.get('tenants/cats/place')
    assert.match((await place()).text, /Everything is where the values put it/)
    const refused = await app.console.post('tenants/cats/move')
    assert.equal(refused.status, 409)

    const env = {
      SERVICE_DATABASE_URL: store === 'sqlite' ? database.url : 'sqlite:',
      SERVICE_STORAGE_URL: bucket.url,
    }
    assert.equal((await app.call('PATCH', 'tenants/cats', { env })).status, 204)
    const before = (await place()).text
    assert.match(before, /<h1 dir="auto">Location of cats<\/h1>/)
    assert.ok(before.includes(`s3://${new URL(bucket.url).host}/bucket<`), before)
    assert.doesNotMatch(before, /verysecretsecret|ACCESSKEY/)

    const move = await startMove(app, 'cats')
    await until(bucket.isHolding, 'some files are there')
    const again = await app.console.post('tenants/cats/move')
    assert.equal(again.status, 409)
    assert.ok(again.text.includes(`moves/${move}`))
    const answers: any[] = []
    const look = async () => answers.push((await app.console.get(`-/work/${move}`)).json)
    await until(async () => {
      await look()
      return answers.at(-1).done > 0
    }, 'progress is seen')
    const page = (await app.console.get(`moves/${move}`)).text
    assert.match(page, /<progress class="progress" aria-label="Progress" value="\d+" max="\d+">/)
    assert.match(page, />Cancel<\/button>/)
    bucket.release()
    await until(async () => {
      await look()
      return answers.at(-1).state === 'done'
    }, 'the move is done')
    assert.deepEqual(Object.keys(answers[0]), [
      'id',
      'kind',
      'state',
      'done',
      'total',
      'rate',
      'seconds_left',
    ])
    const done = answers.map((each) => each.done)
    assert.deepEqual(
      done,
      done.toSorted((one, two) => one - two),
      'the bar never goes back',
    )
    const last = answers.at(-1)
    assert.deepEqual([last.id, last.kind, last.done], [move, 'move', last.total])
    assert.equal(last.total, (await statsOf(app, cats)).storage_used)

    await assertServed(app, stored)
    assert.equal(bucket.objects.size, stored.length)
    const { database: now, storage } = await locationOf(app, 'cats')
    assert.deepEqual([now, storage], [env.SERVICE_DATABASE_URL, env.SERVICE_STORAGE_URL])
    const ended = (await app.console.get(`moves/${move}`)).text
    assert.match(ended, /16 files and \d+ rows were copied/)
    assert.doesNotMatch(ended, /<progress|>Cancel</)
    assert.match((await app.console.get('moves')).text, /Done/)
    assert.deepEqual(await recordedWork(app), [
      'move.started cats operator grace',
      'move.finished cats operator grace',
    ])
    assert.doesNotMatch(JSON.stringify(await auditOf(app)), /verysecretsecret/)
    assert.equal((await app.console.post(`moves/${move}/cancel`)).status, 409)
  })

  test('waits until the lease of another process on the site has ended, too', async () => {
    await using app = await startConsole({ store })
    await using bucket = await startS3Stub()
    const { control } = app.app
    for (const id of ['cats', 'dogs']) {
      await app.tenant(id)
      await app.call('PATCH', `tenants/${id}`, { env: { SERVICE_STORAGE_URL: bucket.url } })
    }
    const { site } = await readTenant(control, 'cats')
    const leasedUntil = new Date(control.clock.now().getTime() + 20_000).toISOString()
    const move = {
      generation: 1,
      rowsGeneration: 0,
      bytesGeneration: 1,
      database: undefined,
      storage: bucket.url,
      until: leasedUntil,
      by: '1@gone',
    }
    await changeLocation(control, site, (record) => ({ ...record, lastGeneration: 1, move }))
    await control.store.control
      .insertInto('work')
      .values({ ...lostMove, target: 'cats', leasedUntil: control.clock.now().toISOString() })
      .execute()
    app.wait(1)
    // One after the other, the oldest first: if the second has been moved, the first was looked at.
    await startMove(app, 'dogs')
    const stateOf = async (id: string) => (await workOf(app)).find(({ target }) => target === id)?.state
    await until(async () => (await stateOf('dogs')) === 'done', 'the other move has ended')
    assert.equal(await stateOf('cats'), 'running')
    app.wait(20)
    app.app.work.wake()
    const rows = await workEnded(app)
    assert.deepEqual(
      rows.map(({ target, state, losses }) => [target, state, losses]),
      [
        ['cats', 'done', 1],
        ['dogs', 'done', 0],
      ],
    )
  })

  test('is cancelled half-way: the site stays where it was and takes uploads, and can be moved again', async () => {
    await using bucket = await heldBucket(2)
    await using app = await startConsole({ store })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const stored = await uploadSome(app, cats, 4)
    for (const id of ['cats', 'dogs'])
      await app.call('PATCH', `tenants/${id}`, { env: { SERVICE_STORAGE_URL: bucket.url } })
    const move = await startMove(app, 'cats')
    await until(bucket.isHolding, 'the move is half-way')
    const waiting = await startMove(app, 'dogs')
    const cancelledEarly = await app.console.post(`moves/${waiting}/cancel`)
    assert.deepEqual([cancelledEarly.status, await stateOf(app, waiting)], [303, 'cancelled'])

    const other = await app.operator('operator', 'hopper')
    assert.equal((await other.post(`moves/${move}/cancel`)).headers.location, `/_/console/moves/${move}`)
    bucket.release()
    await workEnded(app)
    assert.equal(await stateOf(app, move), 'cancelled')
    assert.deepEqual(await locationOf(app, 'cats'), {
      database: undefined,
      storage: undefined,
      move: undefined,
    })
    assert.equal((await upload(app, cats, { file: await picture({ seed: 50 }) })).status, 200)
    assert.equal((await upload(app, dogs, { file: await picture({ seed: 51 }) })).status, 200)
    await assertServed(app, stored)

    await startMove(app, 'cats')
    await workEnded(app)
    assert.equal((await locationOf(app, 'cats')).storage, bucket.url)
    await assertServed(app, stored)
    assert.equal((await statsOf(app, cats)).files, 5)
    assert.deepEqual(await recordedWork(app), [
      'move.started cats operator grace',
      'move.started dogs operator grace',
      'move.cancelled dogs operator grace',
      'move.cancelled cats operator hopper',
      'move.started cats operator grace',
      'move.finished cats operator grace',
    ])
  })

  test('fails with the reason if the bytes of a file are missing, and for those who may not: is refused', async () => {
    await using bucket = await heldBucket(Number.POSITIVE_INFINITY)
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    await uploadSome(app, cats, 2)
    const { control } = app.app
    const { backends } = control
    const tenant = await readTenant(control, 'cats')
    const bytes = await backends.bytes(tenant.site, await readLocation(control, tenant.site))
    const [{ key = '' } = {}] = await bytes.list('', undefined, 1)
    await bytes.remove([key])
    await app.call('PATCH', 'tenants/cats', { env: { SERVICE_STORAGE_URL: bucket.url } })
    const move = await startMove(app, 'cats')
    const [row] = await workEnded(app)
    assert.equal(row?.state, 'failed')
    assert.ok(row?.error?.includes(`${key} is missing`), 'the log has it in English')
    for (const [language, text] of [
      ['en', `Missing: ${key}.`],
      ['es', `Faltan: ${key}.`],
      ['de', `Fehlend: ${key}.`],
    ] as const) {
      const page = await app.console.get(`moves/${move}`, { 'accept-language': language })
      assert.ok(page.text.includes(text), language)
    }
    assert.deepEqual((await recordedWork(app)).at(-1), 'move.failed cats operator grace')
    assert.equal((await upload(app, cats, { file: await picture({ seed: 9 }) })).status, 200)

    const viewer = await app.operator('viewer')
    assert.equal((await viewer.post('tenants/cats/move')).status, 403)
    assert.equal((await viewer.post(`moves/${move}/cancel`)).status, 403)
    assert.doesNotMatch((await viewer.get('tenants/cats/place')).text, />Move<\/button>/)
    await app.call('POST', 'tenants', { id: 'new', hostname: 'new.test', is_enabled: true })
    assert.equal((await app.console.post('tenants/new/move')).status, 409)
    for (const path of ['tenants/none/move', 'moves/none/cancel', 'moves/a%00b/cancel'])
      assert.equal((await app.console.post(path)).status, 404, path)
    for (const path of ['tenants/none/place', 'moves/none', 'moves/%00', '-/work/none', '-/work/%00'])
      assert.equal((await app.console.get(path)).status, 404, path)
    assert.equal((await workOf(app)).length, 1)
  })
})

const stateOf = async (app: TestConsole, id: string) => (await app.console.get(`-/work/${id}`)).json.state

const auditOf = ({ app }: TestConsole) =>
  app.control.store.control.selectFrom('controlAudit').selectAll().execute()
