import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { onSiteOf, picture, set, uploaded } from '../support/uploads.ts'

onEachStore('a list that visitors ask for again', (store) => {
  test('shows each change at once, and ends with the files that expire', async () => {
    await using app = await startTestApp({ store })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const key = await keyOf(app, cats, 'admin')
    for (const tenant of [cats, dogs]) await set(app, tenant, { listing: 'public' })
    const upload = async (seed: number, fields: Record<string, string> = {}) =>
      (await uploaded(app, cats, { key, file: await picture({ seed }), fields })).id_encoded as string
    const listed = async (query = '', tenant = cats, caller?: string) => {
      const answers = []
      for (let time = 0; time < 2; time += 1)
        answers.push(
          await ask5(app, tenant, `GET files${query}`, caller === undefined ? {} : { key: caller }),
        )
      const [ids = [], again] = answers.map(({ json }) => json.data.map(({ id }: { id: string }) => id))
      assert.deepEqual(again, ids)
      return ids as string[]
    }
    const [one, two] = [await upload(1), await upload(2)]
    assert.deepEqual(await listed(), [two, one])
    assert.deepEqual(await listed('?limit=1'), [two])
    assert.deepEqual(await listed('?sort=created'), [one, two])
    assert.deepEqual(await listed('', dogs), [])

    const edit = (id: string, body: object) => ask5(app, cats, `PATCH files/${id}`, { key, body })
    await edit(one, { is_private: true })
    assert.deepEqual(await listed(), [two])
    assert.deepEqual(await listed('', cats, key), [two, one])
    await edit(one, { is_private: false, title: 'Tabby' })
    const { json } = await ask5(app, cats, 'GET files')
    assert.equal(json.data[1].title, 'Tabby')
    await ask5(app, cats, `DELETE files/${two}`, { key })
    assert.deepEqual(await listed(), [one])

    const short = await upload(3, { expiration: 'PT5M' })
    assert.deepEqual(await listed(), [short, one])
    app.wait(200)
    assert.deepEqual(await listed(), [short, one])
    app.wait(100)
    assert.deepEqual(await listed(), [one])

    await onSiteOf(app, cats, ({ db }) => db.updateTable('file').set({ isApproved: 0 }).execute())
    assert.deepEqual(await listed(), [])
    await onSiteOf(app, cats, ({ db }) => db.updateTable('file').set({ isApproved: 1 }).execute())
    await set(app, cats, { listing: 'members' })
    assert.deepEqual(await listed(), [])
  })
})
