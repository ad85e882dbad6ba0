import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { routes } from '../../src/routes.ts'
import { countLimits, sizeLimits } from '../../src/site/values.ts'
import { anyCharacter } from '../support/fixtures/any-character.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { runsOf } from '../support/tiers.ts'

const prototypeNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  'toLocaleString',
  'propertyIsEnumerable',
  '__defineGetter__',
  '__lookupSetter__',
  'CONSTRUCTOR',
  'TOSTRING',
]

const isClean = () =>
  (({}) as { polluted?: unknown }).polluted === undefined && Object.keys(Object.prototype).length === 0

const state = async (app: TestApp) =>
  (await app.call('GET', 'tenants')).text + (await app.call('GET', 'tenants-plans')).text

onEachStore('ids', (store) => {
  test('an id is 1 to 64 plain characters, and nothing that would harm a map or a path', async () => {
    await using app = await startTestApp({ store })
    const good = [
      'a',
      '0',
      'Z9',
      'a-b',
      'a_b',
      'a--',
      'x'.repeat(64),
      '-'.padStart(64, 'q'),
      'proto',
      'api',
      '123',
      'null',
      'true',
      'config',
    ]
    for (const [place, id] of good.entries()) {
      const tenant = await app.call('POST', 'tenants', { id, hostname: `h${place}.test`, is_enabled: true })
      const plan = await app.call('POST', 'tenants-plans', { id })
      assert.deepEqual([tenant.status, tenant.json.id, plan.status, plan.json.id], [201, id, 201, id])
      assert.equal((await app.call('GET', `tenants/${id}`)).json.id, id)
    }
    const before = await state(app)
    const bad = [
      '',
      ' ',
      'a ',
      ' a',
      'a b',
      '-a',
      '_a',
      '.',
      '..',
      'a.b',
      'a/b',
      '../a',
      'a\\b',
      '*',
      'a*',
      'a:b',
      'a@b',
      'a\n',
      'a\0',
      '\u00e4',
      'a\u200b',
      '\uff41',
      '\u{1f600}',
      'x'.repeat(65),
      'x'.repeat(10_000),
      '-rf',
      '%41',
      'CON',
      'nul',
      'Aux',
      'prn',
      'COM1',
      'lpt9',
      ...prototypeNames,
      'a`b',
      "a'b",
      'a"b',
      '<a>',
      'a;b',
      '$a',
      '{a}',
    ]
    for (const id of bad) {
      const tenant = await app.call('POST', 'tenants', { id, hostname: 'bad.test', is_enabled: true })
      const plan = await app.call('POST', 'tenants-plans', { id })
      for (const { status, json } of [tenant, plan]) {
        assert.equal(status, 400, id)
        assert.ok(json.error.list.length === 1 && json.error.list[0].startsWith('id: '), id)
      }
      assert.equal((await app.call('GET', `tenants/${encodeURIComponent(id)}x`)).status, 404, id)
    }
    assert.equal(await state(app), before)
    assert.ok(isClean())
  })

  test('names of the prototype are fields and values like any other: refused', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    const before = await state(app)
    const pollution = '{"polluted":"yes","SERVICE_MAX_FILES":"0"}'
    for (const name of prototypeNames) {
      const key = JSON.stringify(name)
      for (const { method, path, endpoint } of routes) {
        if (endpoint.access !== 'signed') continue
        const target = path
          .slice('/_/api/4/'.length)
          .replace('{id}', path.includes('plans') ? 'small' : 'cats')
        for (const body of [`{${key}:${pollution}}`, `{${key}:"1"}`, `{"limits":{${key}:${pollution}}}`]) {
          assert.equal((await app.call(method, target, body)).status, 400, `${method} ${target} ${body}`)
        }
      }
      for (const field of ['limits', 'env']) {
        for (const [method, target, rest] of [
          ['PATCH', 'tenants/cats', ''],
          ['PATCH', 'tenants-plans/small', ''],
          ['POST', 'tenants', '"id":"new","hostname":"new.test","is_enabled":true,'],
          ['POST', 'tenants-plans', '"id":"new",'],
        ] as const) {
          // In capitals they are good names, and stand for themselves.
          if (/^[A-Z]+$/.test(name)) continue
          const { status, json } = await app.call(method, target, `{${rest}"${field}":{${key}:"0"}}`)
          assert.deepEqual(
            [status, json.error.list],
            [400, [`${field}.${name}: must be a name of A-Z 0-9 _`]],
          )
        }
      }
    }
    assert.equal(await state(app), before)
    assert.ok(isClean())
    const { json } = await app.call('GET', 'tenants/cats/effective')
    assert.deepEqual(json.limits.SERVICE_MAX_FILES, { value: '0', level: 'default' })
  })
})

onEachStore('values', (store) => {
  test('names, numbers of entries and lengths have their limits, to the last one', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants-plans', { id: 'p' })
    const patch = (field: string, map: object) => app.call('PATCH', 'tenants-plans/p', { [field]: map })
    const entries = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, place) => [`N${place}`, 'v']))
    for (const field of ['limits', 'env']) {
      for (const name of [
        'A',
        'A1',
        'A_',
        'SERVICE_NO_SUCH',
        'X'.repeat(64),
        'CONSTRUCTOR',
        'PATH',
        'NODE_OPTIONS',
      ])
        assert.equal((await patch(field, { [name]: 'v' })).status, 204, name)
      for (const name of [
        '',
        'a',
        'Ab',
        '1A',
        '_A',
        'A-B',
        'A B',
        'A.B',
        'A\n',
        '\u00c4',
        'X'.repeat(65),
        'A=B',
      ])
        assert.equal((await patch(field, { [name]: 'v' })).status, 400, name)
      assert.equal((await patch(field, entries(200))).status, 204)
      const { json } = await patch(field, entries(201))
      assert.deepEqual(json.error.list, [`${field}: must have at most 200 entries, not 201`])
      for (const [value, status] of [
        ['x'.repeat(4_000), 204],
        ['x'.repeat(4_001), 400],
        ['\u00e4'.repeat(2_000), 204],
        ['\u00e4'.repeat(2_001), 400],
        ['', 204],
        [' spaces \n and \u{1f600} ', 204],
        ['a\0b', 400],
      ] as const) {
        assert.equal((await patch(field, { A: value })).status, status, JSON.stringify(value).slice(0, 20))
        if (status === 204)
          assert.deepEqual((await app.call('GET', 'tenants-plans/p')).json[field], { A: value })
      }
    }
  })

  test('numbers and booleans are kept as their text', async () => {
    await using app = await startTestApp({ store })
    const values =
      '{"A":1,"B":0,"C":-1.5,"D":1e3,"E":true,"F":false,"G":1e21,"H":0.1,"I":-0,"J":9007199254740991}'
    const texts = {
      A: '1',
      B: '0',
      C: '-1.5',
      D: '1000',
      E: 'true',
      F: 'false',
      G: '1e+21',
      H: '0.1',
      I: '0',
      J: '9007199254740991',
    }
    for (const field of ['limits', 'env']) {
      const body = `{"id":"${field}","${field}":${values}}`
      assert.deepEqual((await app.call('POST', 'tenants-plans', body)).json[field], texts)
      assert.deepEqual((await app.call('GET', `tenants-plans/${field}`)).json[field], texts)
    }
  })

  test('known limits are whole numbers in their only spelling, wherever they are set', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', { id: 'a', hostname: 'a.test', is_enabled: true })
    const patch = async (name: string, value: unknown, field = 'limits') =>
      (await app.call('PATCH', 'tenants/a', { [field]: { [name]: value } })).status
    const counts = [0, 1, '0', '1', '15', 1_000_000, '999999999999999']
    const sizes = ['1K', '20M', '5G', '0G', '9007199G']
    const never = [
      '',
      ' ',
      '5 ',
      ' 5',
      '5\n',
      '\n5',
      '+5',
      '-1',
      '-0',
      '1.0',
      '1e9',
      '0x10',
      '0b1',
      '0o7',
      '05',
      '00',
      '1_000',
      '1,000',
      'NaN',
      'Infinity',
      'many',
      '9007199254740993',
      '9'.repeat(20),
      '\u0661',
      '\uff15',
      '5k',
      '5KB',
      'K',
      '5T',
      '5KK',
      'null',
      'true',
      -1,
      1.5,
      1e21,
      true,
      false,
      '9007200G',
      '999999999999999G',
    ]
    for (const field of ['limits', 'env']) {
      for (const value of counts)
        assert.equal(await patch('SERVICE_MAX_FILES', value, field), 204, String(value))
      for (const value of [...counts, ...sizes])
        assert.equal(await patch('SERVICE_MAX_STORAGE', value, field), 204, String(value))
      for (const value of [...never, ...sizes])
        assert.equal(await patch('SERVICE_MAX_FILES', value, field), 400, String(value))
      for (const value of never)
        assert.equal(await patch('SERVICE_MAX_STORAGE', value, field), 400, String(value))
      for (const name of countLimits) assert.equal(await patch(name, '1e9', field), 400, name)
      for (const name of sizeLimits) assert.equal(await patch(name, '1e9', field), 400, name)
      assert.equal(await patch('SERVICE_MAX_UNHEARD_OF', '1e9', field), 204)
    }
    await app.call('PATCH', 'tenants/a', { limits: {}, env: {} })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ maxLength: 8 }), fc.integer().map(String), fc.double().map(String)),
        async (text) => {
          const isWhole = /^(0|[1-9][0-9]{0,14})$/.test(text)
          assert.equal(await patch('SERVICE_MAX_USERS', text), isWhole ? 204 : 400)
          const { json } = await app.call('GET', 'tenants/a/effective')
          assert.match(json.limits.SERVICE_MAX_USERS.value, /^(0|[1-9][0-9]*)$/)
        },
      ),
      { numRuns: runsOf(100) },
    )
  })

  test('no body that can be thought of is answered with a bug, or changes anything when it is refused', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants-plans', { id: 'a', limits: { A: '1' } })
    await app.call('POST', 'tenants', { id: 'a', hostname: 'a.test', is_enabled: true, plan_id: 'a' })
    const key = fc.oneof(
      fc.constantFrom(
        'id',
        'hostname',
        'is_enabled',
        'plan_id',
        'limits',
        'env',
        'username',
        'email',
        'password',
      ),
      fc.constantFrom('drop_tables', '__proto__', 'constructor', ''),
      fc.string({ unit: anyCharacter, maxLength: 6 }),
    )
    const leaf = fc.oneof(
      fc.constantFrom<unknown>(
        'a',
        'A',
        'new',
        'a.test',
        'new.test',
        'ada',
        'ada@example.com',
        '',
        null,
        true,
        false,
        0,
        -1,
      ),
      fc.constantFrom<unknown>(
        '\0',
        'a\0',
        '1e9',
        '__proto__',
        'x'.repeat(300),
        1e308,
        '\u{1f600}',
        "'; drop table tenant; --",
      ),
      fc.string({ unit: anyCharacter, maxLength: 10 }),
    )
    const map = fc.dictionary(fc.oneof(fc.constantFrom('A', 'SERVICE_MAX_FILES', 'a'), key), leaf, {
      maxKeys: 4,
    })
    const body = fc.dictionary(key, fc.oneof(leaf, map, fc.array(leaf, { maxLength: 3 })), { maxKeys: 6 })
    const calls = routes
      .filter(({ endpoint }) => endpoint.access === 'signed')
      .map(({ method, path }) => [method, path.slice('/_/api/4/'.length)] as const)
    let before = await state(app)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...calls),
        fc.constantFrom('a', 'new', '%00', '%F0%9F%98%80'),
        body,
        async ([method, path], id, value) => {
          const answer = await app.call(method, path.replace('{id}', id), value)
          const after = await state(app)
          assert.ok(answer.status < 500, answer.text)
          if (answer.status >= 300) {
            assert.equal(after, before)
            assert.equal(answer.json.status_code, answer.status)
          }
          before = after
        },
      ),
      { numRuns: runsOf(300) },
    )
    assert.ok(isClean())
  })
})
