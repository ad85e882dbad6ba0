import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { limit, set, uploaded, userWithKey } from '../support/uploads.ts'

onEachStore('who calls the API of a site', (store) => {
  test('a user sees the account, and what the site has left', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await limit(app, cats, { SERVICE_MAX_FILES: '7', SERVICE_MAX_UPLOAD_SIZE: '5M' })
    await uploaded(app, cats)
    const { status, json, headers } = await ask5(app, cats, 'GET me', { key: cats.apiKey })
    assert.equal(status, 200)
    assert.deepEqual([json.user.username, json.user.email], ['ada', 'ada@example.com'])
    assert.deepEqual([json.role, json.scope], ['admin', 'upload'])
    assert.deepEqual(json.limits.SERVICE_MAX_FILES, { value: 7, used: 1 })
    assert.deepEqual(json.limits.SERVICE_MAX_KEYS_PER_USER, { value: 50, used: 1 })
    assert.equal(json.limits.SERVICE_MAX_STORAGE.value, null)
    assert.ok(json.limits.SERVICE_MAX_STORAGE.used > 0)
    assert.deepEqual(json.limits.SERVICE_MAX_USERS, { value: null, used: 1 })
    const used = json.limits.SERVICE_MAX_STORAGE.used
    assert.deepEqual(json.limits.SERVICE_MAX_STORAGE_PER_USER, { value: null, used, reserved: 0 })
    assert.deepEqual(json.limits.SERVICE_MAX_FILES_PER_USER, { value: null, used: 1 })
    assert.deepEqual(json.limits.SERVICE_MAX_SHARES, { value: null, used: 0 })
    assert.equal(json.max_file_size, 5_000_000)
    assert.equal(headers['cache-control'], 'no-store')

    const { userId } = await userWithKey(app, cats, 'bob')
    const bobs = await keyOf(app, cats, 'read', userId)
    const bob = await ask5(app, cats, 'GET me', { key: bobs })
    assert.equal(bob.json.limits.SERVICE_MAX_USERS, undefined)
    assert.deepEqual(bob.json.limits.SERVICE_MAX_FILES_PER_USER, { value: null, used: 0 })
  })

  test('a visitor and a guest see no account and no totals', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { public_key: 'a-public-key-of-cats', enable_svg: '1' })
    const visitor = (await ask5(app, cats, 'GET me')).json
    assert.deepEqual([visitor.user, visitor.role, visitor.scope, visitor.limits], [null, null, null, {}])
    assert.equal(visitor.max_file_size, 10_000_000)
    assert.ok(visitor.kinds.some(({ name }: { name: string }) => name === 'svg'))
    const guest = (await ask5(app, cats, 'GET me', { key: 'a-public-key-of-cats' })).json
    assert.deepEqual([guest.user, guest.scope], [null, 'upload'])
    await set(app, cats, { enable_svg: '0' })
    const { kinds } = (await ask5(app, cats, 'GET me')).json
    assert.ok(!kinds.some(({ name }: { name: string }) => name === 'svg'))
    assert.ok(
      kinds.some(({ name, mime }: Record<string, string>) => name === 'jpeg' && mime === 'image/jpeg'),
    )
  })
})
