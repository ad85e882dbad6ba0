import assert from 'node:assert/strict'
import { test } from 'vitest'
import { executeLater, inTransaction, type SiteDb } from '../../src/db/index.ts'
import { openSite, readTenant } from '../../src/tenants/index.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'

async function openCats({ app: { control }, tenant }: TestApp) {
  await tenant('cats')
  return openSite(control, await readTenant(control, 'cats'))
}

const insertion = (db: SiteDb, name: string) =>
  db.insertInto('tag').values({ name, createdAt: '2026-01-01T00:00:00.000Z', form: name })

const namesIn = async (db: SiteDb) =>
  (await db.selectFrom('tag').select('name').orderBy('name').execute()).map(({ name }) => name)

onEachStore('a statement that may run later in its transaction', (store) => {
  test('has run before the next statement, and before the commit', async () => {
    await using app = await startTestApp({ store })
    await using site = await openCats(app)
    await inTransaction(site.db, async (db) => {
      // The first statement, which begins the transaction.
      await executeLater(db, insertion(db, 'a'))
      await executeLater(db, insertion(db, 'b'))
      assert.deepEqual(await namesIn(db), ['a', 'b'])
      await executeLater(db, insertion(db, 'c'))
      await executeLater(db, insertion(db, 'd'))
    })
    assert.deepEqual(await namesIn(site.db), ['a', 'b', 'c', 'd'])
  })

  test('fails the whole transaction if it fails with the commit, and the site goes on', async () => {
    await using app = await startTestApp({ store })
    await using site = await openCats(app)
    await insertion(site.db, 'taken').execute()
    await assert.rejects(
      inTransaction(site.db, async (db) => {
        await insertion(db, 'a').execute()
        await executeLater(db, insertion(db, 'b'))
        await executeLater(db, insertion(db, 'taken'))
      }),
    )
    assert.deepEqual(await namesIn(site.db), ['taken'])
    await inTransaction(site.db, (db) => insertion(db, 'after').execute())
    assert.deepEqual(await namesIn(site.db), ['after', 'taken'])
  })

  test('is undone with its transaction, and never runs in the next one', async () => {
    await using app = await startTestApp({ store })
    await using site = await openCats(app)
    await assert.rejects(
      inTransaction(site.db, async (db) => {
        await insertion(db, 'a').execute()
        await executeLater(db, insertion(db, 'b'))
        throw new Error('changed its mind')
      }),
      /changed its mind/,
    )
    await inTransaction(site.db, (db) => insertion(db, 'after').execute())
    assert.deepEqual(await namesIn(site.db), ['after'])
  })

  test('runs at once outside of a transaction', async () => {
    await using app = await startTestApp({ store })
    await using site = await openCats(app)
    await executeLater(site.db, insertion(site.db, 'a'))
    assert.deepEqual(await namesIn(site.db), ['a'])
  })
})
