import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { picture, uploaded, userWithKey } from '../support/uploads.ts'

/** The list of a zip whose entries are not compressed. */
function listIn(zip: string): any {
  const from = zip.indexOf('{\n  "site"')
  return JSON.parse(zip.slice(from, zip.indexOf('\n}\n', from) + 2))
}

onEachStore('the export of a user', (store) => {
  test('holds every file of one’s own, and none of others, with titles, tags and albums', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const bob = await userWithKey(app, cats, 'bob')
    const { json: album } = await ask5(app, cats, 'POST albums', {
      key,
      body: { title: 'Sea "quoted" </script>', privacy: 'private' },
    })
    const send = async (seed: number, fields: Record<string, string>, by?: string) =>
      uploaded(app, cats, {
        file: await picture({ seed }),
        fileName: 'files.json.png',
        fields,
        ...(by && { key: by }),
      })
    const first = await send(1, { title: 'Öl & Wasser', tags: 'sea,blue', album_id: album.id })
    const second = await send(2, { title: 'Second' })
    const gone = await send(3, {})
    await ask5(app, cats, `DELETE files/${gone.id_encoded}`, { key })
    const other = await send(4, { title: 'Of bob' }, bob.key)

    assert.equal((await askPage(app, cats, 'GET /settings/export')).status, 302)
    const ada = await visitAs(app, cats)
    const page = await ada.show('/settings/export')
    assert.match(page.text, /You have 2 files\./)
    const zip = await ada.send('/settings/export', { part: '1' })
    assert.deepEqual([zip.status, zip.headers['content-type']], [200, 'application/zip'])
    assert.match(String(zip.headers['content-length']), /^\d+$/)
    const list = listIn(zip.text)
    assert.deepEqual([list.username, list.albums.length, list.albums[0].title], ['ada', 1, album.title])
    assert.deepEqual(
      list.files.map((file: any) => [file.id, file.title, file.tags, file.album_id]),
      [
        [first.id_encoded, 'Öl & Wasser', ['blue', 'sea'], album.id],
        [second.id_encoded, 'Second', [], null],
      ],
    )
    assert.ok(!zip.text.includes(other.id_encoded) && !zip.text.includes(gone.id_encoded))
    for (const part of ['0', '-1', 'x', '2', '9'.repeat(20)])
      assert.equal((await ada.send('/settings/export', { part })).status, 400, part)
    assert.equal((await ada.send('/settings/export', { part: '1', csrf: 'forged' })).status, 403)
  })
})
