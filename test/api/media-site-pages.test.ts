import assert from 'node:assert/strict'
import { test } from 'vitest'
import { assertHealthy } from '../support/doctor.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { limit, statsOf, userWithKey } from '../support/uploads.ts'

const imprint = { url_key: 'imprint', title: 'Imprint', body: '# Imprint\n\nÄda 🐈' }

onEachStore('pages of a site', (store) => {
  test('are written, read by id and key, changed and deleted', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const made = await ask5(app, cats, 'POST pages', { key, body: imprint })
    assert.equal(made.status, 201, made.text)
    const { id, created_at, updated_at } = made.json
    assert.deepEqual(made.json, {
      id,
      ...imprint,
      is_visible: true,
      sort_order: 0,
      created_at,
      updated_at,
      version: 1,
    })
    for (const name of [id, 'imprint']) {
      const read = await ask5(app, cats, `GET pages/${name}`)
      assert.deepEqual([read.status, read.json, read.headers.etag], [200, made.json, '"1"'])
    }
    assert.deepEqual(problem(await ask5(app, cats, 'POST pages', { key, body: imprint })), [409, 'conflict'])

    const edit = { title: 'Legal notice', url_key: 'legal', sort_order: -5 }
    const changed = await ask5(app, cats, 'PATCH pages/imprint', { key, body: edit })
    assert.deepEqual(changed.json, { ...made.json, ...edit, version: 2, updated_at: changed.json.updated_at })
    assert.deepEqual(problem(await ask5(app, cats, 'GET pages/imprint')), [404, 'not-found'])
    const late = { key, body: { title: 'Other' }, headers: { 'if-match': '"1"' } }
    assert.deepEqual(problem(await ask5(app, cats, 'PATCH pages/legal', late)), [412, 'version-differs'])
    assert.equal((await statsOf(app, cats)).pages, 1)
    assert.equal((await ask5(app, cats, 'DELETE pages/legal', { key })).status, 204)
    assert.deepEqual(problem(await ask5(app, cats, 'DELETE pages/legal', { key })), [404, 'not-found'])
    assert.equal((await statsOf(app, cats)).pages, 0)
    await assertHealthy(app.app)
  })

  test('are listed in their order, hidden ones for administrators alone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    for (const [url_key, sort_order, is_visible] of [
      ['c', 3, true],
      ['hidden', 2, false],
      ['a', 1, true],
    ])
      await ask5(app, cats, 'POST pages', { key, body: { ...imprint, url_key, sort_order, is_visible } })
    const list = async (by?: string) => {
      const names: string[] = []
      for (let cursor = ''; ; ) {
        const { json } = await ask5(
          app,
          cats,
          `GET pages?limit=1${cursor}`,
          by === undefined ? {} : { key: by },
        )
        for (const page of json.data) {
          assert.equal(page.body, undefined)
          names.push(page.url_key)
        }
        if (json.next_cursor === null) return names
        cursor = `&cursor=${json.next_cursor}`
      }
    }
    const { userId } = await userWithKey(app, cats, 'bob')
    const manager = await userWithKey(app, cats, 'meg', 'manager')
    const others = [
      undefined,
      await keyOf(app, cats, 'write'),
      await keyOf(app, cats, 'read', userId),
      await keyOf(app, cats, 'admin', manager.userId),
    ]
    for (const by of others) {
      assert.deepEqual(await list(by), ['a', 'c'])
      const read = await ask5(app, cats, 'GET pages/hidden', by === undefined ? {} : { key: by })
      assert.deepEqual(problem(read), [404, 'not-found'])
    }
    assert.deepEqual(await list(key), ['a', 'hidden', 'c'])
    assert.equal((await ask5(app, cats, 'GET pages/hidden', { key })).status, 200)
    const upload = await keyOf(app, cats, 'upload')
    assert.deepEqual(problem(await ask5(app, cats, 'GET pages', { key: upload })), [403, 'scope-missing'])
  })

  test('have limits: 64 kB of text, a key of plain characters, and as many as the operator allows', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const post = (fields: object) => ask5(app, cats, 'POST pages', { key, body: { ...imprint, ...fields } })
    for (const [field, value] of [
      ['body', 'x'.repeat(65_537)],
      ['body', 'ä'.repeat(32_769)],
      ['body', 'a\0b'],
      ['url_key', 'Imprint'],
      ['url_key', '-a'],
      ['url_key', ''],
      ['url_key', 'a'.repeat(65)],
      ['title', ' '],
      ['title', 'x'.repeat(101)],
      ['sort_order', 1_000_001],
      ['is_visible', null],
    ] as const) {
      const refused = await post({ [field]: value })
      assert.deepEqual(problem(refused), [400, 'invalid'], `${field} ${value}`)
      assert.equal(refused.json.errors[0].pointer, `#/${field}`)
    }
    assert.equal((await post({ body: 'x'.repeat(65_536) })).status, 201)
    await limit(app, cats, { SERVICE_MAX_PAGES: '1' })
    const refused = await post({ url_key: 'second' })
    assert.deepEqual(problem(refused), [403, 'limit-reached'])
    assert.equal(refused.json.error.code, 999)
    for (const name of ['a%00b', 'a%2Fb', 'x'.repeat(65), '%F0%9F%90%88'])
      assert.deepEqual(problem(await ask5(app, cats, `GET pages/${name}`)), [404, 'not-found'])
  })
})
