import assert from 'node:assert/strict'
import { test } from 'vitest'
import { allTotals, countRows, wrongUserTotals } from '../../src/site/index.ts'
import { syncStats } from '../../src/tenants/index.ts'
import { created, patch, terminate } from '../support/clients/resumable.ts'
import { type Answer, onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs, jobRowOf } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import {
  limit,
  multipartOf,
  nowOf,
  onSiteOf,
  picture,
  type TestTenant,
  uploaded,
} from '../support/uploads.ts'

const environment = { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0' }

const storedStats = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ number }) => {
    const { control } = app.app.control.store
    const row = control.selectFrom('site').select('stats').where('number', '=', number)
    return JSON.parse((await row.executeTakeFirstOrThrow()).stats)
  })

/** The stored stats equal the rows, and the stored due time is not later than the rows say. */
async function assertSynced(app: TestApp, tenant: TestTenant, after: string): Promise<void> {
  const stored = await storedStats(app, tenant)
  const storedDue = (await jobRowOf(app, tenant))?.dueAt ?? 'never'
  await onSiteOf(app, tenant, async (site) => {
    assert.deepEqual(stored, { ...(await allTotals(site.db)), ...(await countRows(site.db)) }, after)
    assert.deepEqual(await wrongUserTotals(site.db), [], after)
    await syncStats(app.app.control, site)
  })
  const due = (await jobRowOf(app, tenant))?.dueAt ?? 'never'
  assert.ok(storedDue <= due, `${after}: due at ${storedDue}, but should be at ${due}`)
}

/** Makes a change and looks at the stats; its answer must be a success. */
const walkOf = (app: TestApp, cats: TestTenant) => async (what: string, change: () => Promise<Answer>) => {
  const answer = await change()
  assert.ok(answer.status < 400, `${what}: ${answer.status} ${answer.text.slice(0, 2_000)}`)
  await assertSynced(app, cats, what)
  return answer
}

const idIn = (path: string | undefined) => path?.split('/')[3]?.split('?')[0] ?? ''

onBothStores('the stats of a site', (store) => {
  test('equal its rows after every change through the APIs', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const step = walkOf(app, cats)
    const api = async (call: string, body?: unknown, headers?: Record<string, string>) =>
      (await step(call, () => ask5(app, cats, call, { key, body, ...(headers && { headers }) }))).json
    const sendFile = async (call: string, seed: number) => {
      const { type, bytes } = multipartOf([
        { name: 'source', fileName: 'cat.png', value: await picture({ seed }) },
      ])
      const [method = '', path = ''] = call.split(' ')
      const headers = { host: cats.hostname, 'x-api-key': key, 'content-type': type }
      return (await step(call, () => app.send(method, `/api/5/${path}`, { bytes, headers }))).json
    }

    const { id_encoded: first, delete_url } = await uploaded(app, cats, { fields: { tags: 'sea,sand' } })
    await assertSynced(app, cats, 'POST /api/1/upload')
    const { id } = await sendFile('POST files', 2)
    await api(`PATCH files/${id}`, { add_tags: ['sun'] })
    await api(`PATCH files/${id}`, { expires_at: new Date(nowOf(app).getTime() + 300_000).toISOString() })
    await api(`PUT files/${id}/like`)
    await api(`DELETE files/${id}/like`)
    await sendFile(`PUT files/${id}/content`, 3)
    await api(`POST files/${id}/revert`, { revision: 1 })
    await step('POST reports', () =>
      ask5(app, cats, `POST files/${id}/reports`, { body: { reason: 'spam' } }),
    )
    await api(`DELETE files/${id}`)
    await api(`POST files/${id}/restore`)
    await api('POST files/bulk', { action: 'trash', ids: [id, first] })
    await api('POST files/bulk', { action: 'restore', ids: [id, first] })
    await api(`DELETE files/${id}?permanent=true`)
    const { pathname } = new URL(delete_url)
    await step('the delete link', () => app.send('DELETE', pathname, { headers: { host: cats.hostname } }))

    await api('PATCH tags/sea', { name: 'sand' })
    await api('DELETE tags/sand')
    const { id: category } = await api('POST categories', { name: 'Animals' })
    await api(`DELETE categories/${category}`)
    const { id: album } = await api('POST albums', { title: 'Trip' })
    await api(`PUT albums/${album}/like`)
    const { url } = await api(`POST albums/${album}/shares`, { allow_upload: true })
    await sendFile(`POST shares/${url.split('/').at(-1)}/files`, 4)
    await api(`DELETE albums/${album}`)
    const { id: page } = await api('POST pages', { url_key: 'imprint', title: 'Imprint', body: 'We.' })
    await api(`DELETE pages/${page}`)
    const account = { username: 'bob', email: 'bob@example.com', password: 'a long password' }
    const { id: user } = await api('POST users', account)
    await api(`PATCH users/${user}`, { role: 'manager' })
    await api(`PATCH users/${user}`, { role: 'admin' })
    await api('POST sessions', { login: 'bob', password: 'a long password' })
    await api(`DELETE users/${user}?files=trash`)
    await api('PATCH settings', { trash_days: 3 })

    const bytes = await picture({ seed: 5 })
    const ended = await created([app, cats], { key, length: 1_000 })
    await assertSynced(app, cats, 'POST uploads')
    await step('DELETE uploads', () => terminate([app, cats], ended, key))
    const finished = await created([app, cats], { key, length: bytes.length })
    await step('PATCH uploads', () => patch([app, cats], finished, { key, offset: 0, bytes }))
  })

  test('equal its rows after every change through the pages', async () => {
    await using app = await startTestApp({
      store,
      environment: { ...environment, SERVICE_ENABLE_SIGNUP: '1' },
    })
    const cats = await app.tenant('cats')
    const step = walkOf(app, cats)
    const ada = await visitAs(app, cats)
    await assertSynced(app, cats, 'POST /login')
    const send = (path: string, form: Record<string, string> = {}) => step(path, () => ada.send(path, form))
    const files = await Promise.all(
      [1, 2].map(async (seed) =>
        uploaded(app, cats, { file: await picture({ seed }), fields: { tags: 'sea' } }),
      ),
    )
    const [first = '', second = ''] = files.map(({ id_encoded }) => id_encoded)

    await send(`/-/files/${first}/like`, { liked: '1' })
    await send('/dashboard/files', { action: 'trash', id: first })
    await send('/dashboard/files/undo', { action: 'restore', id: first })
    await send(`/image/${second}/edit`, { title: 'A cat', tags: 'sea, sand', version: '1' })
    await send(`/image/${second}/trash`)
    await send('/mine/trash', { action: 'remove', save: '1' })
    await send('/dashboard/tags/delete', { key: 'sea' })
    await send('/dashboard/categories', { name: 'Animals' })
    await send('/dashboard/categories/1/delete', { key: '1' })
    const { headers } = await send('/albums/new', { title: 'Trip', privacy: 'public' })
    await send(`${headers.location?.split('?')[0]}/delete`)
    await send('/dashboard/pages/new', { url_key: 'imprint', title: 'Imprint', body: 'We.' })
    const [, id] = /dashboard\/pages\/(\w+)" dir/.exec((await ada.show('/dashboard/pages')).text) ?? []
    await send(`/dashboard/pages/${id}/delete`, { version: '1' })
    const office = { title: 'Work', issuer: 'https://login.example', client_id: 'terrace', is_enabled: '1' }
    await send('/dashboard/providers/new', {
      ...office,
      name: 'office',
      scopes: 'openid',
      new_user_role: 'user',
    })
    await send('/dashboard/providers/office/switch', { to: 'off' })
    const bob = { username: 'bob', email: 'bob@example.com', password: 'a long password' }
    const made = await send('/dashboard/users/new', { ...bob, role: 'manager' })
    const user = idIn(made.headers.location)
    await send(`/dashboard/users/${user}/role`, { role: 'user', version: '1' })
    await send(`/dashboard/users/${user}/delete`, { files: 'trash', version: '2', confirm: 'bob' })
    await step('POST /signup', () =>
      askPage(app, cats, 'POST /signup', { form: { ...bob, username: 'berta', email: 'b@example.com' } }),
    )
  })

  test('are written with the first row of an empty audit log, which makes its retention due', async () => {
    await using app = await startTestApp({ store, environment: { ...environment, SERVICE_AUDIT_DAYS: '1' } })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { json: album } = await ask5(app, cats, 'POST albums', { key, body: { title: 'Trip' } })
    app.wait(2 * 86_400)
    await doDueJobs(app, cats)
    assert.deepEqual((await ask5(app, cats, 'GET audit', { key })).json.data, [])
    await walkOf(app, cats)('the first row', () =>
      ask5(app, cats, `PATCH albums/${album.id}`, { key, body: { title: 'Journey' } }),
    )
  })

  test('are not written by a change that leaves totals and due times as they are', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { id_encoded: id } = await uploaded(app, cats)
    const part = { key, length: 1_000_000 }
    const open = await created([app, cats], part)
    const marker = { marker: 1 }
    const mark = () =>
      onSiteOf(app, cats, ({ number }) =>
        app.app.control.store.control
          .updateTable('site')
          .set({ stats: JSON.stringify(marker) })
          .where('number', '=', number)
          .execute(),
      )
    await mark()
    const changes: [call: string, body: unknown][] = [
      [`PATCH files/${id}`, { title: 'A cat', is_private: true }],
      ['POST files/bulk', { action: 'edit', ids: [id], set: { description: 'It sleeps.' } }],
      ['POST keys', { name: 'script', scope: 'read' }],
      [`POST files/${id}/shares`, {}],
    ]
    for (const [call, body] of changes) {
      const { status, text } = await ask5(app, cats, call, { key, body })
      assert.ok(status < 300, `${call}: ${text}`)
      assert.deepEqual(await storedStats(app, cats), marker, call)
    }
    const bytes = Buffer.alloc(1_000)
    assert.equal((await patch([app, cats], open, { key, offset: 0, bytes })).status, 204)
    assert.deepEqual(await storedStats(app, cats), marker, 'a part of an upload')
    await limit(app, cats, { SERVICE_MAX_TAGS: '1' })
    const body = { add_tags: ['sea', 'sand'] }
    assert.equal((await ask5(app, cats, `PATCH files/${id}`, { key, body })).status, 403)
    assert.deepEqual(await storedStats(app, cats), marker, 'a change that was rolled back')
    await uploaded(app, cats, { file: await picture({ seed: 2 }) })
    assert.equal((await storedStats(app, cats)).files, 2)
  })
})
