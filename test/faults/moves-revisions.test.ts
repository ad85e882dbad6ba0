import assert from 'node:assert/strict'
import { ask } from '../support/delivered.ts'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { moveTenant } from '../support/stores/moves.ts'
import { otherDatabase } from '../support/stores/other-databases.ts'
import { type Radosgw, radosgwOfRun } from '../support/stores/radosgw.ts'
import { runHere } from '../support/tool.ts'
import { md5Of, onSiteOf, picture, statsOf, uploaded } from '../support/uploads.ts'

const radosgw: Radosgw | undefined = await radosgwOfRun()
const bucketed = await needing('radosgw')

bucketed.describe('a tenant that moves', () => {
  bucketed.test.for(['sqlite', 'postgres'] as const)(
    'takes the earlier bytes of its files and its trash along (%s)',
    { timeout: 300_000 },
    async (store) => {
      await using database = await otherDatabase()
      await using app = await startTestApp({ store })
      const cats = await app.tenant('cats')
      const key = await keyOf(app, cats, 'write')
      const next = await picture({ seed: 2, width: 90 })
      const replaced = await uploaded(app, cats, { file: await picture({ seed: 1 }) })
      const id: string = replaced.id_encoded
      const headers = { host: cats.hostname, 'x-api-key': key, 'content-type': 'image/png' }
      const put = await app.send('PUT', `/api/5/files/${id}/content`, { bytes: next, headers })
      assert.equal(put.status, 200, put.text)
      const removed = await uploaded(app, cats, { file: await picture({ seed: 3 }) })
      assert.equal((await ask5(app, cats, `DELETE files/${removed.id_encoded}`, { key })).status, 204)
      const stats = await statsOf(app, cats)

      const served = async (url: string) => {
        const { status, bytes } = await ask(app, url)
        return status === 200 ? md5Of(bytes) : status
      }
      const objects = () =>
        onSiteOf(app, cats, async ({ storage }) => {
          const found = await storage.list('', undefined, 100)
          return found.map(({ key: name, sizeBytes }) => [name, sizeBytes]).toSorted()
        })
      const before = await objects()
      const there = {
        SERVICE_DATABASE_URL: store === 'sqlite' ? database.url : 'sqlite:',
        SERVICE_STORAGE_URL: (await freshBucket(radosgw as Radosgw)).url,
      }
      for (const values of [there, {}, there]) {
        const { moved, cleaned } = await moveTenant(app, cats, values)
        assert.deepEqual([moved, cleaned], [true, true])
        assert.deepEqual(await objects(), before)
        assert.deepEqual(await statsOf(app, cats), stats)
        assert.equal(await served(replaced.url), md5Of(next))
        assert.equal(await served(removed.url), 404)
      }

      const reverted = await ask5(app, cats, `POST files/${id}/revert`, { key, body: { revision: 1 } })
      assert.equal(reverted.status, 200, reverted.text)
      assert.equal(await served(replaced.url), replaced.md5)
      const restored = await ask5(app, cats, `POST files/${removed.id_encoded}/restore`, { key })
      assert.equal(restored.status, 200, restored.text)
      assert.equal(await served(removed.url), removed.md5)
      const { code, out } = await runHere(['doctor', '--deep'], app.environment)
      assert.equal(code, 0, out)
    },
  )
})
