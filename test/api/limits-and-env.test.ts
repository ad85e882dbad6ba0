import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'

onEachStore('limits and env', (store) => {
  test('a number that would be changed is refused, with its field and its digits', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants', { id: 'a', hostname: 'a.test', is_enabled: true })
    await app.call('POST', 'tenants-plans', { id: 'a' })
    const before = (await app.call('GET', 'tenants/a')).text
    for (const field of ['limits', 'env']) {
      for (const literal of [
        '9007199254740993',
        '18446744073709551615',
        '-9007199254740993',
        '1e400',
        '0.30000000000000001',
      ]) {
        const line = (name: string) =>
          `${field}.${name}: the number ${literal} cannot be kept exactly; send it as a string`
        for (const [method, path, more] of [
          ['POST', 'tenants', '"id":"b","hostname":"b.test","is_enabled":true,'],
          ['PATCH', 'tenants/a', ''],
          ['POST', 'tenants-plans', '"id":"b",'],
          ['PATCH', 'tenants-plans/a', ''],
        ] as const) {
          const body = `{${more}"${field}":{"A":${literal},"B":1,"SERVICE_MAX_FILES":${literal},"c":1}}`
          const { status, json } = await app.call(method, path, body)
          assert.equal(status, 400, body)
          assert.deepEqual(json.error.list, [
            line('A'),
            line('SERVICE_MAX_FILES'),
            `${field}.c: must be a name of A-Z 0-9 _`,
          ])
        }
      }
      const kept = { A: '9007199254740993', B: '18446744073709551615' }
      assert.equal((await app.call('PATCH', 'tenants-plans/a', { [field]: kept })).status, 204)
      assert.deepEqual((await app.call('GET', 'tenants-plans/a')).json[field], kept)
    }
    assert.equal((await app.call('GET', 'tenants/a')).text, before)
    const { json } = await app.call('PATCH', 'tenants/a', '{"is_enabled":9007199254740993}')
    assert.deepEqual(json.error.list, ['is_enabled: must be a boolean'])
  })

  test('an empty list is an empty map, and no other list is', async () => {
    await using app = await startTestApp({ store })
    const tenant = { id: 'a', hostname: 'a.test', is_enabled: true }
    const made = await app.call('POST', 'tenants', { ...tenant, limits: [], env: [] })
    assert.deepEqual([made.status, made.json.limits, made.json.env], [201, {}, {}])
    const plan = await app.call('POST', 'tenants-plans', { id: 'p', limits: [], env: [] })
    assert.deepEqual([plan.status, plan.json.limits, plan.json.env], [201, {}, null])
    for (const path of ['tenants/a', 'tenants-plans/p']) {
      assert.equal((await app.call('PATCH', path, { limits: { A: '1' }, env: { B: '2' } })).status, 204)
      assert.equal((await app.call('PATCH', path, { limits: [], env: [] })).status, 204)
      const { json } = await app.call('GET', path)
      assert.deepEqual([json.limits, json.env ?? {}], [{}, {}])
      for (const value of [[1], [[]], [null], [{}]]) {
        const { status, json: refused } = await app.call('PATCH', path, { limits: value })
        assert.deepEqual([status, refused.error.list], [400, ['limits: must be an object or null']])
      }
    }
  })
})
