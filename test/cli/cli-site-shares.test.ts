import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore } from '../support/harness.ts'
import { installationWithCats, refused } from '../support/tool.ts'

const site = ['site', '--tenant', 'cats']

onEachStore('presets', (store) => {
  test('are set, replaced, listed and deleted', async () => {
    await using installation = await installationWithCats(store)
    const empty = await installation.run(...site, 'preset:list')
    assert.deepEqual([empty.code, empty.out], [0, ''])
    assert.match(empty.err, /no presets yet.*terrace site --tenant cats preset:set NAME/)

    const none = Object.fromEntries(
      'width height fit format quality position background anim'.split(' ').map((name) => [name, null]),
    )
    const set = [...site, 'preset:set', 'card']
    const options = [
      '--width',
      '400',
      '--height',
      '300',
      '--fit',
      'cover',
      '--anim',
      '1',
      '--background',
      '000123',
    ]
    const card = {
      name: 'card',
      ...none,
      width: 400,
      height: 300,
      fit: 'cover',
      anim: true,
      background: '000123',
    }
    assert.deepEqual(await installation.json(...set, ...options), card)
    const { code, out } = await installation.run(...set, '--width', '500')
    assert.deepEqual([code, out], [0, 'Changed the preset card: width=500.\n'])
    const made = await installation.run(...site, 'preset:set', 'a_1', ...options)
    assert.equal(
      made.out,
      'Created the preset a_1: width=400 height=300 fit=cover background=000123 anim=1.\n',
    )
    assert.deepEqual(await installation.json(...site, 'preset:list'), [
      { ...card, name: 'a_1' },
      { name: 'card', ...none, width: 500 },
    ])
    assert.equal(
      (await installation.run(...site, 'preset:list')).out,
      'NAME\tOPTIONS\na_1\twidth=400 height=300 fit=cover background=000123 anim=1\ncard\twidth=500\n',
    )
    const nothing = await installation.run(...set)
    assert.deepEqual([nothing.code, nothing.out], [2, ''])
    assert.match(nothing.err, /give at least one option besides NAME/)
    const remove = [...site, 'preset:delete', 'card']
    assert.deepEqual(await installation.json(...remove), { name: 'card', deleted: true })
    await refused(installation, remove, 'There is no preset "card".')
  })
})

onEachStore('shares', (store) => {
  test('are created, listed and revoked', async () => {
    await using installation = await installationWithCats(store)
    const empty = await installation.run(...site, 'share:list')
    assert.deepEqual([empty.code, empty.out], [0, ''])
    assert.match(empty.err, /no shares.*share:create --album ID/)
    const album = await installation.json(...site, 'album:create', '--username', 'ada', '--title', 'Lions')
    const create = [...site, 'share:create', '--album', album.id]
    const share = await installation.json(...create, '--name', 'for Bob', '--max_views', '5', '--never')
    assert.match(share.url, /\/share\/[A-Za-z0-9]{22}$/)
    assert.deepEqual([share.album_id, share.max_views, share.expires_at], [album.id, 5, null])
    assert.deepEqual(await installation.json(...site, 'share:list'), [share])
    const shown = await installation.run(...site, 'share:list')
    assert.match(shown.out, /for Bob\talbum \w+\tada\t0 of 5\t0\tnever\t/)
    const box = await installation.json(...create, '--upload', '1', '--download', '0', '--password', 'x')
    assert.deepEqual([box.allow_upload, box.allow_download, box.has_password], [true, false, true])
    await refused(
      installation,
      [...create, '--max_uploads', '5'],
      'max_uploads: must be given only with allow_upload',
    )
    await refused(
      installation,
      [...create, '--expires', '2020-01-01 00:00:00'],
      'expires: must be in the future',
    )
    await refused(
      installation,
      [...create, '--password', ''],
      'password: must be 1 to 128 characters long, not 0',
    )
    await refused(installation, [...site, 'share:create', '--file', 'none'], 'There is no file "none".')
    for (const wrong of [
      [...create, '--file', 'x'],
      [...site, 'share:create'],
    ])
      assert.equal((await installation.run(...wrong)).code, 2)
    const revoke = [...site, 'share:revoke', '--id', share.id]
    assert.deepEqual(await installation.json(...revoke), { id: share.id, revoked: true })
    await refused(installation, revoke, `There is no share "${share.id}".`)
    assert.equal((await installation.json(...site, 'share:list')).length, 1)
  })
})
