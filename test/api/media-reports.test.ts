import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createAlbum } from '../../src/media/index.ts'
import { type Answer, onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { onSiteOf, picture, set, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const environment = { SERVICE_TRUSTED_PROXIES: '127.0.0.1', SERVICE_RATE_WRITES: '0' }
const statusOf = ({ status }: Answer) => status

interface Reporting {
  /** Of a guest; reports of one address are few. */
  from?: number
  key?: string
  body?: object
  headers?: Record<string, string>
}

const report = (
  app: TestApp,
  tenant: TestTenant,
  id: string,
  { from = 1, body = { reason: 'spam' }, headers = {}, ...call }: Reporting = {},
) =>
  ask5(app, tenant, `POST files/${id}/reports`, {
    body,
    ...call,
    headers: { 'x-forwarded-for': `192.0.2.${from}`, ...headers },
  })

const shown = async (app: TestApp, tenant: TestTenant, id: string) =>
  statusOf(await ask5(app, tenant, `GET files/${id}`)) === 200

const reportsOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, (site) =>
    site.db.selectFrom('fileReport').select(['fileId', 'reason', 'text', 'userId', 'address']).execute(),
  )

const send = async (app: TestApp, tenant: TestTenant, seed = 1, fields: Record<string, string> = {}) =>
  await uploaded(app, tenant, { file: await picture({ seed }), fields })

onEachStore('reports', (store) => {
  test('of three reporters hide a file at every address, until it is approved; the log records it', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const { id_encoded: id, url } = await send(app, cats)
    const admin = await keyOf(app, cats, 'admin')
    const eve = await userWithKey(app, cats, 'eve')
    const eves = await keyOf(app, cats, 'write', eve.userId)
    assert.equal(statusOf(await report(app, cats, id)), 204)
    assert.equal(statusOf(await report(app, cats, id, { from: 2, key: eves })), 204)
    assert.ok(await shown(app, cats, id))
    const third = { reason: 'other', text: '  <b>This is not a cat</b> ' }
    assert.equal(statusOf(await report(app, cats, id, { from: 3, body: third })), 204)
    assert.ok(!(await shown(app, cats, id)))
    const bytes = await app.send('GET', new URL(url).pathname, { headers: { host: cats.hostname } })
    assert.equal(bytes.status, 404)
    assert.deepEqual(problem(await report(app, cats, id, { from: 4 })), [404, 'not-found'])
    assert.equal((await ask5(app, cats, `GET files/${id}`, { key: admin })).json.is_approved, false)
    assert.deepEqual(
      (await reportsOf(app, cats))
        .map(({ reason, text, userId, address }) => [reason, text, userId, address])
        .sort(),
      [
        ['other', '<b>This is not a cat</b>', null, '192.0.2.3'],
        ['spam', '', null, '192.0.2.1'],
        ['spam', '', eve.userId, '192.0.2.2'],
      ],
    )

    const approve = { key: admin, body: { action: 'approve', ids: [id] } }
    assert.equal((await ask5(app, cats, 'POST files/bulk', approve)).json.succeeded, 1)
    for (const from of [5, 6, 7, 8]) assert.equal(statusOf(await report(app, cats, id, { from })), 204)
    assert.ok(await shown(app, cats, id), 'the same bytes are not hidden again')
    const { json } = await ask5(app, cats, 'GET audit', { key: admin })
    const verbs = json.data.map(({ verb, after }: any) => [verb, after.reason, after.is_approved])
    assert.deepEqual(verbs.slice(0, 8).toReversed(), [
      ['file.reported', 'spam', undefined],
      ['file.reported', 'spam', undefined],
      ['file.reported', 'other', false],
      ['file.approved', undefined, undefined],
      ...Array.from({ length: 4 }, () => ['file.reported', 'spam', undefined]),
    ])
  })

  test('of other bytes hide a file that was kept', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    await set(app, cats, { report_hide: '1' })
    const admin = await keyOf(app, cats, 'admin')
    const { id_encoded: id } = await send(app, cats)
    const approve = () =>
      ask5(app, cats, 'POST files/bulk', { key: admin, body: { action: 'approve', ids: [id] } })
    const replace = async (seed: number) =>
      app.send('PUT', `/api/5/files/${id}/content`, {
        bytes: (await picture({ seed })) as any,
        headers: { host: cats.hostname, 'x-api-key': admin, 'content-type': 'image/png' },
      })
    await report(app, cats, id)
    assert.ok(!(await shown(app, cats, id)))
    await approve()
    assert.deepEqual(problem(await report(app, cats, id)), [409, 'conflict'])
    assert.equal(statusOf(await replace(2)), 200)
    assert.ok(await shown(app, cats, id))
    assert.equal(statusOf(await report(app, cats, id)), 204)
    assert.ok(!(await shown(app, cats, id)), 'other bytes may be reported by the same reporter')

    // Bytes that replace reported ones before the decision are those that were judged.
    assert.equal(statusOf(await replace(3)), 200)
    assert.ok(!(await shown(app, cats, id)))
    await approve()
    assert.equal(statusOf(await report(app, cats, id, { from: 2 })), 204)
    assert.ok(await shown(app, cats, id))
  })

  test('count once for each reporter, and a guest is the same as a user at one address', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const { id_encoded: id } = await send(app, cats)
    const [eve, bob] = [await userWithKey(app, cats, 'eve'), await userWithKey(app, cats, 'bob')]
    const [eves, bobs] = [
      await keyOf(app, cats, 'read', eve.userId),
      await keyOf(app, cats, 'read', bob.userId),
    ]
    const refused = [409, 'conflict']
    assert.equal(statusOf(await report(app, cats, id)), 204)
    assert.deepEqual(problem(await report(app, cats, id, { body: { reason: 'abuse' } })), refused)
    assert.deepEqual(problem(await report(app, cats, id, { key: eves })), refused)
    assert.equal(statusOf(await report(app, cats, id, { key: eves, from: 2 })), 204)
    assert.deepEqual(problem(await report(app, cats, id, { key: eves, from: 3 })), refused)
    assert.deepEqual(problem(await report(app, cats, id, { from: 2 })), refused)
    assert.ok(await shown(app, cats, id))
    assert.equal(statusOf(await report(app, cats, id, { key: bobs, from: 2 })), 204)
    assert.ok(!(await shown(app, cats, id)), 'two users at one address are two')
  })

  test('are five an hour for each address, whatever the file', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const ids: string[] = []
    for (const seed of [1, 2, 3, 4, 5, 6, 7]) ids.push((await send(app, cats, seed)).id_encoded)
    const [last = '', another = ''] = ids.slice(5)
    for (const id of ids.slice(0, 5)) assert.equal(statusOf(await report(app, cats, id)), 204)
    const refused = await report(app, cats, last)
    assert.deepEqual(problem(refused), [429, 'rate-limited'])
    const seconds = Number(refused.headers['retry-after'])
    assert.ok(seconds > 0 && seconds <= 3_600, String(seconds))
    assert.equal(statusOf(await report(app, cats, last, { from: 2 })), 204)
    app.wait(seconds + 1)
    assert.equal(statusOf(await report(app, cats, last)), 204)
    // Reports of a clock that was set back since do not count.
    app.wait(-86_400)
    assert.equal(statusOf(await report(app, cats, another)), 204)
  })

  test('at one time hide a file with as many as the setting says, and none is lost', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    for (const [index, most] of [1, 4, 0].entries()) {
      await set(app, cats, { report_hide: String(most) })
      const { id_encoded: id } = await send(app, cats, index + 1)
      const froms = Array.from({ length: 8 }, (_, each) => 1 + index * 8 + each)
      const answers = await Promise.all(froms.map((from) => report(app, cats, id, { from })))
      const taken = answers.filter(({ status }) => status === 204).length
      // Once it is hidden, a visitor sees no file to report.
      assert.equal(taken, most === 0 ? 8 : most)
      assert.ok(answers.every(({ status }) => status === 204 || status === 404))
      assert.equal(await shown(app, cats, id), most === 0)
      assert.equal((await reportsOf(app, cats)).filter(({ fileId }) => fileId === id).length, taken)
    }
  })

  test('are taken of what the caller sees, and not of an own file or one in the trash', async () => {
    await using app = await startTestApp({ store, environment })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const albumOf = (privacy: 'private' | 'password' | 'link') =>
      onSiteOf(app, cats, (site) =>
        createAlbum(site, {
          username: 'ada',
          title: privacy,
          privacy,
          ...(privacy === 'password' && { password: 'nine lives' }),
        }),
      )
    const admin = await keyOf(app, cats, 'admin')
    const eve = await userWithKey(app, cats, 'eve')
    const [eves, uploads] = [await keyOf(app, cats, 'write', eve.userId), eve.key]
    const [mine, listed] = [
      await send(app, cats),
      await send(app, cats, 4, { album_id: (await albumOf('link')).id }),
    ]
    for (const privacy of ['private', 'password'] as const) {
      const closed = await send(app, cats, 2, { album_id: (await albumOf(privacy)).id })
      for (const key of [undefined, eves])
        assert.deepEqual(
          problem(await report(app, cats, closed.id_encoded, key === undefined ? {} : { key })),
          [404, 'not-found'],
        )
    }
    assert.equal(statusOf(await report(app, cats, listed.id_encoded)), 204)
    assert.deepEqual(problem(await report(app, dogs, mine.id_encoded)), [404, 'not-found'])
    assert.deepEqual(problem(await report(app, cats, mine.id_encoded, { key: admin })), [403, 'forbidden'])
    assert.deepEqual(problem(await report(app, cats, mine.id_encoded, { key: uploads })), [
      403,
      'scope-missing',
    ])
    const elsewhere = { headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' } }
    assert.deepEqual(problem(await report(app, cats, mine.id_encoded, elsewhere)), [403, 'forbidden'])
    assert.equal(
      statusOf(await report(app, cats, mine.id_encoded, { headers: { 'sec-fetch-site': 'same-origin' } })),
      204,
    )
    await ask5(app, cats, `DELETE files/${mine.id_encoded}`, { key: admin })
    assert.deepEqual(problem(await report(app, cats, mine.id_encoded, { from: 2 })), [404, 'not-found'])
    assert.equal((await reportsOf(app, cats)).length, 2, 'in the trash a file keeps its reports')
    await ask5(app, cats, `DELETE files/${mine.id_encoded}?permanent=true`, { key: admin })
    assert.deepEqual(
      (await reportsOf(app, cats)).map(({ fileId }) => fileId),
      [listed.id_encoded],
    )
  })

  test('name a reason of the list; another body is refused with its field, and nothing is stored', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const { id_encoded: id } = await send(app, cats)
    const faultsOf = async (body: object) => {
      const answer = await report(app, cats, id, { body })
      assert.deepEqual(problem(answer), [400, 'invalid'], answer.text)
      return answer.json.errors.map(({ pointer }: any) => pointer)
    }
    assert.deepEqual(await faultsOf({ reason: 'dull' }), ['#/reason'])
    assert.deepEqual(await faultsOf({}), ['#/reason'])
    assert.deepEqual(await faultsOf({ reason: 'other' }), ['#/text'])
    assert.deepEqual(await faultsOf({ reason: 'other', text: ' \n ' }), ['#/text'])
    assert.deepEqual(await faultsOf({ reason: 'spam', text: 'x'.repeat(1_001) }), ['#/text'])
    assert.deepEqual(await faultsOf({ reason: 'spam', text: 'a\0b' }), ['#/text'])
    assert.deepEqual(await faultsOf({ reason: 'spam', more: 1 }), ['#/more'])
    assert.deepEqual(await reportsOf(app, cats), [])
    const longest = '😀'.repeat(1_000)
    assert.equal(statusOf(await report(app, cats, id, { body: { reason: 'other', text: longest } })), 204)
    assert.deepEqual(
      (await reportsOf(app, cats)).map((each) => each.text),
      [longest],
    )
  })

  test('are sent again with the same Idempotency-Key and counted once', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const { id_encoded: id } = await send(app, cats)
    const once = { headers: { 'idempotency-key': 'report-1' } }
    for (const _ of [1, 2]) assert.equal(statusOf(await report(app, cats, id, once)), 204)
    assert.equal((await reportsOf(app, cats)).length, 1)
  })
})
