import assert from 'node:assert/strict'
import { test } from 'vitest'
import { removeUser } from '../../src/media/index.ts'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { onSiteOf, picture, set, upload, uploaded, userWithKey } from '../support/uploads.ts'

const guest = 'a-key-for-every-guest'

onEachStore('an upload that is answered with an existing file', (store) => {
  test('carries a delete link for the owner of the file alone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const bob = await userWithKey(app, cats, 'bob')
    await set(app, cats, { duplicates: 'existing', public_key: guest })

    const first = await uploaded(app, cats, { key: guest })
    assert.match(first.delete_url, /\/delete\/[0-9a-f]{48}$/)
    // Guests of one address cannot be distinguished: whoever sends the same bytes must not delete the first one's file.
    const again = await uploaded(app, cats, { key: guest })
    assert.deepEqual([again.id_encoded, again.delete_url], [first.id_encoded, ''])
    const thirdParty = await upload(app, cats, { path: '/1/upload', key: guest, fileField: 'image' })
    assert.deepEqual([thirdParty.json.data.id, thirdParty.json.data.delete_url], [first.id_encoded, ''])

    const own = await uploaded(app, cats, { key: bob.key })
    const ownAgain = await uploaded(app, cats, { key: bob.key })
    assert.equal(own.id_encoded, ownAgain.id_encoded)
    assert.notEqual(own.id_encoded, first.id_encoded)
    assert.notEqual(own.delete_url, ownAgain.delete_url)
    assert.equal((await ask(app, ownAgain.delete_url, {}, 'DELETE')).status, 200)
    assert.equal((await ask(app, first.delete_url, {}, 'DELETE')).status, 200)
  })

  test('of a user who is gone carries no delete link for the guest at the same address', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const bob = await userWithKey(app, cats, 'bob')
    await set(app, cats, { duplicates: 'existing', public_key: guest })
    const his = await uploaded(app, cats, { key: bob.key })
    await onSiteOf(app, cats, (site) => removeUser(site, { username: 'bob', files: 'keep' }))
    const { id_encoded, delete_url } = await uploaded(app, cats, { key: guest })
    assert.deepEqual([id_encoded, delete_url], [his.id_encoded, ''])
  })

  test('as one of many at once carries a delete link only where it was stored', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { duplicates: 'existing', public_key: guest })
    const file = await picture({ seed: 9 })
    const images = await Promise.all([1, 2, 3, 4, 5, 6].map(() => uploaded(app, cats, { key: guest, file })))
    assert.equal(new Set(images.map(({ id_encoded }) => id_encoded)).size, 1)
    assert.equal(images.filter(({ delete_url }) => delete_url !== '').length, 1)
  })
})

onEachStore('floods', (store) => {
  test('are counted by the /64 of an IPv6 address, and by each IPv4 address', async () => {
    const environment = { SERVICE_TRUSTED_PROXIES: '127.0.0.1' }
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    await set(app, cats, { public_key: guest, flood_guest_minute: '2' })
    const from = async (address: string) =>
      (await upload(app, cats, { key: guest, headers: { 'x-forwarded-for': address } })).status
    assert.deepEqual([await from('2001:db8:1:2::1'), await from('2001:db8:1:2:aaaa::2')], [200, 200])
    assert.deepEqual([await from('2001:DB8:1:2:ffff::3'), await from('2001:db8:1:3::1')], [429, 200])
    assert.deepEqual([await from('198.51.100.7'), await from('::ffff:198.51.100.7')], [200, 200])
    assert.deepEqual([await from('198.51.100.7'), await from('198.51.100.8')], [429, 200])
  })
})
