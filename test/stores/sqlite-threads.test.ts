import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openStore } from '../../src/db/index.ts'
import { startTestApp } from '../support/harness.ts'
import { onSiteOf } from '../support/uploads.ts'

const tag = (name: string) => ({ name, createdAt: '', form: name })

test('a store that is closed holds no file and takes no more work', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const store = await openStore({ dataDir: app.dataDir, onFault: () => undefined })
  // A site that its user never closes, in a transaction that holds the file.
  const { db } = await store.openSite(1)
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const running = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('tag').values(tag('undone')).execute()
    begun.resolve()
    await ended.promise
    await transaction.insertInto('tag').values(tag('late')).execute()
  })
  await begun.promise
  await store[Symbol.asyncDispose]()

  await onSiteOf(app, cats, async (site) => {
    await site.db.insertInto('tag').values(tag('theirs')).execute()
    ended.resolve()
    await assert.rejects(running, { kind: 'unavailable', code: 'store-unavailable' })
    assert.deepEqual(await site.db.selectFrom('tag').select('name').execute(), [{ name: 'theirs' }])
  })
})
