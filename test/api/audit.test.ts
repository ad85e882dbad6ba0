import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { inTransaction } from '../../src/db/index.ts'
import { examineApp } from '../../src/maintenance/index.ts'
import { recordChange } from '../../src/site/index.ts'
import { assertHealthy, faultsOf } from '../support/doctor.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf, logIn, problem, walk } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { onSiteOf, picture, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const canary = 'Canary-9f3b-secret'
const redacted = '[redacted]'

/** The log as the API lists it, oldest first, without the rows of the installation. */
async function logOf(app: TestApp, cats: TestTenant, key: string) {
  const rows = await walk(app, cats, 'GET audit?limit=7', { key })
  return rows.toReversed().filter(({ actor }) => actor.kind !== 'operator')
}

const brief = ({ verb, actor, before, after }: any) => [verb, actor.kind, before, after]

onEachStore('the audit log', (store) => {
  describe('records', () => {
    let app: TestApp
    beforeAll(async () => {
      app = await startTestApp({ store })
    })
    afterAll(() => app?.[Symbol.asyncDispose]())

    /** A site for one test, and calls of its administrator that must succeed. */
    async function openSite(id: string) {
      const tenant = await app.tenant(id)
      const key = await keyOf(app, tenant, 'admin')
      const call = async (name: string, body?: unknown) => {
        const answer = await ask5(app, tenant, name, { key, ...(body !== undefined && { body }) })
        assert.ok(answer.status < 300, answer.text)
        return answer.json
      }
      /** The log, after a look at its rows for what must not be in them. */
      const log = async (...secrets: string[]) => {
        const rows = await onSiteOf(app, tenant, ({ db }) => db.selectFrom('audit').selectAll().execute())
        for (const secret of secrets) assert.ok(!JSON.stringify(rows).includes(secret), secret)
        return logOf(app, tenant, key)
      }
      return { call, log }
    }

    test('the old and new values of settings that changed', async () => {
      const { call, log } = await openSite('settings')
      await call('PATCH settings', { listing: 'members', site_name: '<b>Cats</b>' })
      await call('PATCH settings', { listing: 'members' })
      assert.deepEqual((await log()).map(brief), [
        [
          'setting.changed',
          'key',
          { listing: 'off', site_name: '' },
          { listing: 'members', site_name: '<b>Cats</b>' },
        ],
      ])
    })

    test('changes of users without their e-mail addresses', async () => {
      const { call, log } = await openSite('users')
      const account = { username: 'bob', email: 'bob@example.com', password: canary }
      const bob = await call('POST users', { ...account, role: 'user' })
      await call(`PATCH users/${bob.id}`, { role: 'manager', email: 'bobby@example.com' })
      await call(`DELETE users/${bob.id}?files=keep`)
      const rows = await log(canary, 'bob@example.com', 'bobby@example.com')
      assert.deepEqual(rows.slice(0, 2).map(brief), [
        ['user.created', 'key', {}, { email: redacted, role: 'user', is_banned: false }],
        ['user.updated', 'key', { email: redacted, role: 'user' }, { email: redacted, role: 'manager' }],
      ])
      assert.equal(rows[2].verb, 'user.deleted')
      const { actor, address, target } = rows[1]
      assert.deepEqual([actor.user.username, address, target], ['ada', '127.0.0.1', bob.id])
    })

    test('changes of keys without the keys', async () => {
      const { call, log } = await openSite('keys')
      const made = await call('POST keys', { name: 'phone' })
      const rotated = await call(`POST keys/${made.id}/rotate`)
      await call(`DELETE keys/${made.id}`)
      const rows = await log(made.key, rotated.key)
      assert.deepEqual(rows.map(brief), [
        ['key.created', 'key', {}, { ...rows[0].after, name: 'phone', scope: 'upload' }],
        ['key.updated', 'key', { secret: redacted }, { secret: redacted }],
        ['key.deleted', 'key', { ...rows[2].before, name: 'phone', scope: 'upload' }, {}],
      ])
    })

    test('changes of pages with the first 1,000 characters of a long text', async () => {
      const { call, log } = await openSite('pages')
      const page = await call('POST pages', { url_key: 'imprint', title: 'Imprint', body: 'x'.repeat(5_000) })
      await call(`PATCH pages/${page.id}`, { title: 'Legal' })
      const [created, updated] = await log()
      const fields = { url_key: 'imprint', title: 'Imprint', is_visible: true }
      assert.deepEqual(brief(created), ['page.created', 'key', {}, { ...created.after, ...fields }])
      assert.equal(created.after.body.length, 1_001)
      assert.equal(updated.verb, 'page.updated')
    })

    test('changes of albums and shares without their passwords and links', async () => {
      const { call, log } = await openSite('albums')
      const album = await call('POST albums', { title: 'Box', privacy: 'password', password: canary })
      await call(`PATCH albums/${album.id}`, { password: `${canary}2` })
      const share = await call(`POST albums/${album.id}/shares`, { password: canary })
      await call(`DELETE shares/${share.id}`)
      await call(`DELETE albums/${album.id}`)
      const rows = await log(canary, share.url.split('/').at(-1))
      assert.deepEqual(
        rows.map(({ verb }) => verb),
        ['album.created', 'album.updated', 'share.created', 'share.revoked', 'album.deleted'],
      )
      assert.deepEqual(rows[1].after, { password: redacted })
      await assertHealthy(app.app)
    })
  })

  test('records log-ins, and failed ones until the throttle refuses them', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const session = await logIn(app, cats)
    for (let tried = 0; tried < 12; tried += 1)
      await ask5(app, cats, 'POST sessions', {
        body: { login: tried === 0 ? canary : 'ada', password: canary },
      })
    await ask5(app, cats, `DELETE sessions/${session.id}`, { headers: session.headers })
    const log = await logOf(app, cats, key)
    const ada = log[0].actor.user.id
    assert.deepEqual(
      log.map(({ verb, actor, target }) => [verb, actor.kind, target]),
      [
        ['session.created', 'user', session.id],
        ['session.failed', 'guest', ''],
        ...Array.from({ length: 9 }, () => ['session.failed', 'guest', ada]),
        ['session.ended', 'user', session.id],
      ],
    )
    assert.ok(!JSON.stringify(log).includes(canary))
  })

  test('records changes and removals of files, by users and jobs, but no uploads', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { id_encoded: id } = await uploaded(app, cats)
    const file = await picture({ seed: 2 })
    const { id_encoded: expiring } = await uploaded(app, cats, { file, fields: { expiration: 'PT5M' } })
    const bulk = (action: string) => ask5(app, cats, 'POST files/bulk', { key, body: { action, ids: [id] } })
    await ask5(app, cats, `PATCH files/${id}`, { key, body: { title: 'Tom', tags: ['cat'] } })
    for (const action of ['approve', 'trash', 'restore', 'reject', 'remove'])
      assert.equal((await bulk(action)).status, 200, action)
    app.wait(5 * 60 + 1)
    await doDueJobs(app, cats)
    const log = await logOf(app, cats, key)
    assert.deepEqual(
      log.map(({ verb, actor, target }) => [verb, actor.kind, target]),
      [
        ['tag.created', 'key', 'cat'],
        ...['updated', 'approved', 'trashed', 'restored', 'rejected', 'removed'].map((verb) => [
          `file.${verb}`,
          'key',
          id,
        ]),
        ['file.removed', 'job', expiring],
      ],
    )
    assert.deepEqual(log[1].after, { title: 'Tom', tags: ['cat'] })
    await assertHealthy(app.app)
  })

  test('has no row of a change that failed', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const change = (site: any) =>
      inTransaction(site.db, async (db: any) => {
        await db.insertInto('setting').values({ name: 'canary', value: '1' }).execute()
        await recordChange({ ...site, db }, { verb: 'setting.changed', target: 'canary' })
        throw new Error('It fails.')
      })
    await onSiteOf(app, cats, (site) => assert.rejects(change(site), /It fails/))
    assert.deepEqual(await logOf(app, cats, key), [])
    assert.deepEqual(problem(await ask5(app, cats, 'PATCH settings', { key, body: { listing: 'x' } })), [
      400,
      'invalid',
    ])
    assert.deepEqual(await logOf(app, cats, key), [])
  })

  test('keeps its order and its chain when many change at once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const changes = Array.from({ length: 24 }, (_, index) =>
      index % 3 === 0
        ? ask5(app, cats, 'POST keys', { key, body: { name: `key ${index}` } })
        : index % 3 === 1
          ? ask5(app, cats, 'POST albums', { key, body: { title: `Album ${index}` } })
          : ask5(app, cats, 'PATCH settings', { key, body: { site_name: `Cats ${index}` } }),
    )
    for (const { status, text } of await Promise.all(changes)) assert.ok(status < 300, text)
    const log = await walk(app, cats, 'GET audit?limit=5', { key })
    assert.deepEqual(
      log.map(({ sequence }) => sequence),
      Array.from(log, (_, index) => log.length - index),
    )
    assert.equal(log.filter(({ actor }) => actor.kind === 'key').length, 24)
    await assertHealthy(app.app)
  })

  test('cannot be changed by a statement, and the doctor finds what was changed past the trigger', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await keyOf(app, cats, 'admin')
    await onSiteOf(app, cats, async ({ db }) => {
      await assert.rejects(db.updateTable('audit').set({ verb: 'x' }).execute())
      await assert.rejects(db.deleteFrom('audit').execute())
      await assertHealthy(app.app)
      const head = await db.selectFrom('auditHead').selectAll().executeTakeFirstOrThrow()
      await db.updateTable('auditHead').set({ prunedSequence: 1 }).execute()
      await db.deleteFrom('audit').where('sequence', '=', 1).execute()
      await db.updateTable('auditHead').set({ prunedSequence: head.prunedSequence }).execute()
    })
    assert.deepEqual(faultsOf(await examineApp(app.app)), ['audit cats audit 1'])
  })

  test('loses its oldest rows after the retention period, and its chain is still whole', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_AUDIT_DAYS: '30' } })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    await doDueJobs(app, cats)
    assert.notEqual((await walk(app, cats, 'GET audit?limit=50', { key })).length, 0)
    app.wait(20 * 86_400)
    await ask5(app, cats, 'PATCH settings', { key, body: { listing: 'members' } })
    app.wait(12 * 86_400)
    await doDueJobs(app, cats)
    const kept = await walk(app, cats, 'GET audit?limit=50', { key })
    assert.deepEqual(
      kept.map(({ verb }) => verb),
      ['setting.changed'],
    )
    await assertHealthy(app.app)
    app.wait(60 * 86_400)
    await doDueJobs(app, cats)
    assert.deepEqual(await walk(app, cats, 'GET audit?limit=50', { key }), [])
    await ask5(app, cats, 'PATCH settings', { key, body: { listing: 'off' } })
    const [next] = await walk(app, cats, 'GET audit?limit=50', { key })
    assert.equal(next.sequence, kept[0].sequence + 1)
    await assertHealthy(app.app)
  })

  test('lists rows for administrators, filtered by verb, user and time', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { userId } = await userWithKey(app, cats, 'mia', 'manager')
    const managers = await keyOf(app, cats, 'admin', userId)
    assert.deepEqual(problem(await ask5(app, cats, 'GET audit', { key: managers })), [403, 'scope-missing'])
    assert.deepEqual(problem(await ask5(app, cats, 'GET audit')), [401, 'unauthenticated'])
    await ask5(app, cats, 'PATCH settings', { key, body: { listing: 'members' } })
    const middle = app.app.control.clock.now().toISOString()
    app.wait(60)
    assert.equal((await ask5(app, cats, 'POST keys', { key: managers, body: { name: 'phone' } })).status, 201)
    await ask5(app, cats, 'PATCH settings', { key, body: { listing: 'off' } })
    const verbs = async (query: string) =>
      (await ask5(app, cats, `GET audit?${query}`, { key })).json.data.map(({ verb }: any) => verb)
    assert.deepEqual(await verbs('verb=setting.changed'), ['setting.changed', 'setting.changed'])
    assert.deepEqual(await verbs(`created_after=${middle}&verb=setting.changed`), ['setting.changed'])
    assert.deepEqual(await verbs(`user_id=${userId}`), ['key.created', 'call.refused'])
    assert.deepEqual(await verbs('user_id=none'), [])
    for (const query of ['verb=x', 'created_after=today', 'user_id=', 'user_id=%00', 'day=2026-01-01'])
      assert.deepEqual(problem(await ask5(app, cats, `GET audit?${query}`, { key })), [400, 'invalid'], query)
  })

  test('is a page and a CSV of the dashboard for administrators, with every text escaped', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const evil = '<script>alert(1)</script>'
    await ask5(app, cats, 'POST albums', { key, body: { title: evil, description: '=1+1,"two"' } })
    await userWithKey(app, cats, 'mia', 'manager')
    const mia = await visitAs(app, cats, { login: 'mia', password: 'a long password' })
    for (const path of ['/dashboard/audit', '/dashboard/audit.csv']) {
      assert.equal((await mia.show(path)).status, 403, path)
      assert.equal((await askPage(app, cats, `GET ${path}`)).status, 302, path)
    }
    const ada = await visitAs(app, cats)
    const all = await ada.show('/dashboard/audit')
    assert.equal(all.status, 200)
    assert.ok(!all.text.includes(evil) && all.text.includes('&lt;script&gt;'), 'The title is escaped')
    const day = app.app.control.clock.now().toISOString().slice(0, 10)
    const albums = await ada.show(`/dashboard/audit?verb=album.created&who=ADA&day=${day}`)
    assert.equal((albums.text.match(/role="rowheader"/g) ?? []).length, 1)
    for (const query of ['who=nobody%00', 'day=2020-02-02', 'verb=page.deleted'])
      assert.match((await ada.show(`/dashboard/audit?${query}`)).text, /No entries/, query)
    for (const query of ['day=2026-02-30', 'verb=x', 'before=-1', 'before=1e3'])
      assert.equal((await ada.show(`/dashboard/audit?${query}`)).status, 400, query)
    const csv = await ada.show('/dashboard/audit.csv?verb=album.created')
    assert.deepEqual([csv.status, csv.headers['content-type']], [200, 'text/csv; charset=utf-8'])
    const [head = '', line = '', end] = csv.text.split('\r\n')
    assert.match(head, /^sequence,created_at,verb,actor,/)
    assert.match(line, /album\.created,key,.*""title""/)
    assert.equal(end, '')
  })
})
