import assert from 'node:assert/strict'
import { test } from 'vitest'
import { assertHealthy } from '../support/doctor.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { onSiteOf, userWithKey } from '../support/uploads.ts'

const unset = {
  width: null,
  height: null,
  fit: null,
  format: null,
  quality: null,
  position: null,
  background: null,
  anim: null,
}

onEachStore('presets', (store) => {
  test('are created, read, listed by name, changed and deleted, each with a row in the log', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const card = { width: 400, height: 300, fit: 'cover', format: 'auto', quality: 70, position: 'top' }
    const made = await ask5(app, cats, 'PUT presets/card', { key, body: { name: 'card', ...card } })
    assert.deepEqual([made.status, made.json], [201, { name: 'card', ...unset, ...card }])
    const all = { background: 'FFcc00', anim: true, width: 50 }
    assert.equal((await ask5(app, cats, 'PUT presets/a-1_b', { key, body: all })).status, 201)

    const read = await ask5(app, cats, 'GET presets/card', { key })
    assert.deepEqual(
      [read.status, read.json, read.headers.etag, read.headers['cache-control']],
      [200, made.json, made.headers.etag, 'private, no-cache'],
    )
    const list = await ask5(app, cats, 'GET presets', { key })
    assert.deepEqual(list.json, { data: [{ name: 'a-1_b', ...unset, ...all }, made.json], next_cursor: null })

    const changed = await ask5(app, cats, 'PUT presets/card', { key, body: { width: 500, fit: null } })
    assert.deepEqual([changed.status, changed.json], [200, { name: 'card', ...unset, width: 500 }])
    assert.notEqual(changed.headers.etag, made.headers.etag)
    const again = await ask5(app, cats, 'PUT presets/card', { key, body: { width: 500 } })
    assert.deepEqual([again.status, again.headers.etag], [200, changed.headers.etag])
    const known = { 'if-none-match': changed.headers.etag ?? '' }
    assert.equal((await ask5(app, cats, 'GET presets/card', { key, headers: known })).status, 304)

    assert.equal((await ask5(app, cats, 'DELETE presets/card', { key })).status, 204)
    for (const call of ['GET presets/card', 'DELETE presets/card', 'GET presets/No', 'GET presets/%00'])
      assert.deepEqual(problem(await ask5(app, cats, call, { key })), [404, 'not-found'], call)

    const { json: audit } = await ask5(app, cats, 'GET audit', { key })
    const rows = audit.data.filter(({ verb }: { verb: string }) => verb.startsWith('preset.'))
    assert.deepEqual(
      rows.map(({ verb, target, before, after }: Record<string, unknown>) => [verb, target, before, after]),
      [
        ['preset.deleted', 'card', { ...unset, width: 500 }, {}],
        [
          'preset.updated',
          'card',
          card,
          { ...Object.fromEntries(Object.keys(card).map((name) => [name, null])), width: 500 },
        ],
        ['preset.created', 'a-1_b', {}, { ...unset, ...all }],
        ['preset.created', 'card', {}, { ...unset, ...card }],
      ],
    )
    await assertHealthy(app.app)
  })

  test('are changed only as If-Match says, and a version never comes back', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const put = (width: number, match?: string) =>
      ask5(app, cats, 'PUT presets/card', {
        key,
        body: { width },
        ...(match && { headers: { 'if-match': match } }),
      })
    for (const match of ['*', '"1"'])
      assert.deepEqual(problem(await put(100, match)), [412, 'version-differs'], match)
    const first = (await put(100)).headers.etag ?? ''
    assert.match(first, /^"\d+"$/)
    assert.equal((await put(200, first)).status, 200)
    assert.deepEqual(problem(await put(300, first)), [412, 'version-differs'])
    const headers = { 'if-match': first }
    assert.deepEqual(problem(await ask5(app, cats, 'DELETE presets/card', { key, headers })), [
      412,
      'version-differs',
    ])
    assert.equal((await ask5(app, cats, 'DELETE presets/card', { key })).status, 204)
    app.wait(1)
    assert.equal((await put(100)).status, 201)
    assert.deepEqual(problem(await put(300, first)), [412, 'version-differs'])
    assert.equal((await put(300, '*')).status, 200)
  })

  test('are written by administrators, and read by users', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const manager = await userWithKey(app, cats, 'mia', 'manager')
    const user = await userWithKey(app, cats, 'uli')
    const keys = {
      manager: await keyOf(app, cats, 'admin', manager.userId),
      user: await keyOf(app, cats, 'write', user.userId),
      write: await keyOf(app, cats, 'write'),
      read: await keyOf(app, cats, 'read'),
    }
    const body = { width: 100 }
    for (const [who, key] of Object.entries(keys)) {
      for (const call of ['PUT presets/card', 'DELETE presets/card'])
        assert.equal(
          (await ask5(app, cats, call, { key, ...(call.startsWith('PUT') && { body }) })).status,
          403,
          who,
        )
      assert.equal((await ask5(app, cats, 'GET presets', { key })).status, 200, who)
    }
    const upload = await keyOf(app, cats, 'upload')
    assert.deepEqual(problem(await ask5(app, cats, 'GET presets', { key: upload })), [403, 'scope-missing'])
    assert.deepEqual(problem(await ask5(app, cats, 'GET presets')), [401, 'unauthenticated'])
    assert.deepEqual(problem(await ask5(app, cats, 'PUT presets/card', { body })), [401, 'unauthenticated'])
  })

  test('are refused with every fault by its name', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const faulty: [body: object, pointers: string[]][] = [
      [{}, ['#']],
      [{ name: 'card' }, ['#']],
      [{ width: null }, ['#']],
      [{ width: 0 }, ['#/width']],
      [{ width: 4097, height: 1.5 }, ['#/width', '#/height']],
      [{ width: '100' }, ['#/width']],
      [{ quality: 0 }, ['#/quality']],
      [{ quality: 101 }, ['#/quality']],
      [{ fit: 'fill' }, ['#/fit']],
      [{ format: 'gif' }, ['#/format']],
      [{ position: 'middle' }, ['#/position']],
      [{ background: 'red' }, ['#/background']],
      [{ anim: 1 }, ['#/anim']],
      [{ width: 100, dpr: 2 }, ['#/dpr']],
      [{ width: 100, name: 'other' }, ['#/name']],
    ]
    for (const [body, pointers] of faulty) {
      const { status, json } = await ask5(app, cats, 'PUT presets/card', { key, body })
      assert.deepEqual(
        [status, json.errors?.map(({ pointer }: { pointer: string }) => pointer).sort()],
        [400, pointers.toSorted()],
        JSON.stringify(body),
      )
    }
    for (const name of ['UPPER', '-a', '_a', 'a.b', 'a'.repeat(33), '%00', 'ä']) {
      const refused = await ask5(app, cats, `PUT presets/${encodeURI(name)}`, { key, body: { width: 100 } })
      assert.deepEqual([refused.status, refused.json.errors?.[0].pointer], [400, '#/name'], name)
    }
    assert.deepEqual((await ask5(app, cats, 'GET presets', { key })).json.data, [])
    const words = [
      ['fit', ['scale-down', 'contain', 'inside', 'cover', 'crop', 'pad']],
      ['format', ['auto', 'avif', 'webp', 'jpeg', 'jpg', 'png', 'origin']],
    ] as const
    for (const [option, values] of words)
      for (const value of values) {
        const { json } = await ask5(app, cats, `PUT presets/${value}`, { key, body: { [option]: value } })
        assert.equal(json[option], value)
      }
  })

  test('there are at most fifty of them, also if many are created at once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const put = (index: number) =>
      ask5(app, cats, `PUT presets/p${index}`, { key, body: { width: index + 1 } })
    for (let index = 0; index < 45; index += 1) assert.equal((await put(index)).status, 201)
    const statuses = await Promise.all(Array.from({ length: 10 }, (_, index) => put(45 + index)))
    assert.deepEqual(statuses.map(({ status }) => status).sort(), [
      ...Array(5).fill(201),
      ...Array(5).fill(403),
    ])
    const refused = await put(60)
    assert.deepEqual([...problem(refused), refused.json.error.code], [403, 'limit-reached', 999])
    assert.equal((await put(3)).status, 200)
    const { json } = await ask5(app, cats, 'GET presets', { key })
    assert.equal(json.data.length, 50)
    const sorted = json.data.map(({ name }: { name: string }) => name)
    assert.deepEqual(sorted, sorted.toSorted())
    const rows = await onSiteOf(app, cats, ({ db }) => db.selectFrom('preset').select('name').execute())
    assert.equal(rows.length, 50)
  })
})
