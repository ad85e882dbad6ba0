import assert from 'node:assert/strict'
import { test } from 'vitest'
import { allTotals } from '../../src/site/index.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'
import { limit, onSiteOf, picture, set, uploaded, userWithKey } from '../support/uploads.ts'

onEachStore('the storages of the dashboard', (store) => {
  test("shows what is stored by kind and by user, with the operator's limits, and of this site alone", async () => {
    await using app = await startTestApp({ store })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    await set(app, cats, { public_key: 'a-public-key-of-cats' })
    const { show } = await visitAs(app, cats)
    assert.match((await show('/dashboard/storages')).text, /Server disk/)
    await uploaded(app, dogs)
    assert.match((await show('/dashboard/storages')).text, /No files/)

    const { key } = await userWithKey(app, cats, 'ulla')
    const [first, second] = [await picture({ seed: 1 }), await picture({ seed: 2 })]
    const { id_encoded: id } = await uploaded(app, cats, { file: first, key })
    await uploaded(app, cats, { file: second, key: 'a-public-key-of-cats' })
    await limit(app, cats, { SERVICE_MAX_FILES: '7', SERVICE_MAX_STORAGE: '3M' })
    const admin = await keyOf(app, cats, 'admin')
    const replaced = await app.send('PUT', `/api/5/files/${id}/content`, {
      bytes: (await picture({ seed: 3 })) as any,
      headers: { host: cats.hostname, 'x-api-key': admin, 'content-type': 'image/png' },
    })
    assert.equal(replaced.status, 200, replaced.text)
    assert.equal((await ask5(app, cats, `DELETE files/${id}`, { key: admin })).status, 204)

    const { text } = await show('/dashboard/storages')
    const { storageUsed } = await onSiteOf(app, cats, (site) => allTotals(site.db))
    assert.match(text, new RegExp(`<meter[^>]*value="${storageUsed}"`), 'bytes of all, as they are counted')
    assert.match(text, /<meter[^>]*max="7" value="1"/)
    const rows = text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
    for (const row of [
      /(PNG|JPEG) 2 [\d.]+ /,
      /Old versions of replaced files 1 [\d.]+ /,
      /In the trash: 1 /,
      /ulla 0 [\d.]+ /,
      /Guests 1 [\d.]+ /,
      /File limit 7 /,
    ])
      assert.match(rows, row)
    assert.doesNotMatch(text, /s3:|<form[^>]*action="\/dashboard\/storages/)
  })
})
