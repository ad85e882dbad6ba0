import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createUserKey } from '../../src/accounts/index.ts'
import { inTransaction } from '../../src/db/index.ts'
import { createCategory } from '../../src/media/index.ts'
import { addToTotal, changingSite } from '../../src/site/index.ts'
import { moveTenant, openSite, readLocation, readTenant } from '../../src/tenants/index.ts'
import { ask } from '../support/delivered.ts'
import { onBothStores, startTestApp } from '../support/harness.ts'
import { otherDatabase } from '../support/stores/other-databases.ts'
import { statsOf, uploaded } from '../support/uploads.ts'
import { recordedWork } from '../support/work.ts'

const moving = { code: 'site-moving', kind: 'unavailable' }

onBothStores('a process that knows a site as it was before a move', (store) => {
  test('can change nothing at either location, and the site goes on', async () => {
    await using app = await startTestApp({ store })
    await using database = await otherDatabase()
    const cats = await app.tenant('cats')
    const { control } = app.app
    const tenant = await readTenant(control, 'cats')
    await using held = await openSite(control, tenant)
    await createCategory(changingSite(held), { name: 'before' })
    const { userId } = await held.db.selectFrom('userKey').select('userId').executeTakeFirstOrThrow()

    await app.call('PATCH', 'tenants/cats', { env: { SERVICE_DATABASE_URL: database.url } })
    assert.equal((await moveTenant(control, 'cats')).isMoved, true)
    await assert.rejects(createCategory(changingSite(held), { name: 'after' }), moving)
    await assert.rejects(createUserKey(changingSite(held), { userId, name: 'after' }), moving)

    await app.call('PATCH', 'tenants/cats', { env: {} })
    assert.equal((await moveTenant(control, 'cats')).isMoved, true)
    await assert.rejects(createCategory(changingSite(held), { name: 'after' }), moving)
    const image = await uploaded(app, cats)
    assert.equal((await ask(app, image.url)).status, 200)
    const { categories, files } = await statsOf(app, cats)
    assert.deepEqual([categories, files], [1, 1])
  })

  test('is waited for while it writes', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    const { control } = app.app
    await using site = await openSite(control, await readTenant(control, 'cats'))
    const order: string[] = []
    let closing: Promise<unknown> = Promise.resolve()
    await inTransaction(site.db, async (db) => {
      await addToTotal(db, 'categories', 1)
      closing = control.store
        .setWriteFence(site.number, { rowsGeneration: 0, from: 0, to: 7 })
        .then((isClosed) => order.push(`closed ${isClosed}`))
      await db.selectFrom('total').selectAll().execute()
      order.push('written')
    })
    await closing
    assert.deepEqual(order, ['written', 'closed true'])
    await assert.rejects(
      inTransaction(site.db, (db) => addToTotal(db, 'categories', 1)),
      moving,
    )
    assert.equal(await control.store.setWriteFence(site.number, { rowsGeneration: 0, from: 3, to: 5 }), false)
    assert.equal(await control.store.setWriteFence(site.number, { rowsGeneration: 0, from: 7, to: 0 }), true)
    await inTransaction(site.db, (db) => addToTotal(db, 'categories', 1))
  })
})

test('a change of only the password of a database copies nothing', async () => {
  await using app = await startTestApp()
  await using database = await otherDatabase()
  const cats = await app.tenant('cats')
  const { control } = app.app
  const at = async (url: string) => {
    await app.call('PATCH', 'tenants/cats', { env: { SERVICE_DATABASE_URL: url } })
    return moveTenant(control, 'cats')
  }
  assert.equal((await at(database.url)).isMoved, true)
  const other = `${database.url}?application_name=other`
  assert.equal((await at(other)).isMoved, false)
  const { site } = await readTenant(control, 'cats')
  assert.equal((await readLocation(control, site)).database, other)
  assert.equal((await moveTenant(control, 'cats')).isMoved, false)
  assert.deepEqual(await recordedWork(app), Array(2).fill('move.finished cats job'), 'each change once')
  assert.equal((await uploaded(app, cats)).type, 'image')
})
