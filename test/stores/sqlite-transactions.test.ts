import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openStore } from '../../src/db/index.ts'
import { startTestApp } from '../support/harness.ts'

/** Two on one folder, as a server and a tool beside it. */
async function twoStores() {
  const undo = new AsyncDisposableStack()
  const { dataDir } = undo.use(await startTestApp())
  const open = async () => undo.use(await openStore({ dataDir, onFault: () => undefined }))
  return { one: await open(), other: await open(), [Symbol.asyncDispose]: () => undo.disposeAsync() }
}

const mark = (name: string) => ({ name, value: '' })

test('a transaction whose first statement fails has not begun', async () => {
  await using stores = await twoStores()
  const { one, other } = stores
  await one.control.transaction().execute(async (db) => {
    await assert.rejects(db.insertInto('meta').values(mark('version')).execute())
    // Nobody holds the file.
    await other.control.insertInto('meta').values(mark('theirs')).execute()
    await db.insertInto('meta').values(mark('ours')).execute()
  })
  const names = await one.control.selectFrom('meta').select('name').where('value', '=', '').execute()
  assert.deepEqual(names.map(({ name }) => name).sort(), ['ours', 'theirs'])
})

test('what a transaction did before a later statement failed is undone with it', async () => {
  await using stores = await twoStores()
  const { one, other } = stores
  const failing = one.control.transaction().execute(async (db) => {
    await db.insertInto('meta').values(mark('ours')).execute()
    await db.insertInto('meta').values(mark('version')).execute()
  })
  await assert.rejects(failing)
  await other.control.insertInto('meta').values(mark('theirs')).execute()
  const names = await one.control.selectFrom('meta').select('name').where('value', '=', '').execute()
  assert.deepEqual(names, [{ name: 'theirs' }])
})

test('an idle one holds up no other', async () => {
  await using stores = await twoStores()
  const { one, other } = stores
  await one.control
    .transaction()
    .execute(() => other.control.insertInto('meta').values(mark('theirs')).execute())
  await one.control.insertInto('meta').values(mark('ours')).execute()
})

test('what a change reads is read when the file is taken', async () => {
  await using stores = await twoStores()
  const { one, other } = stores
  const order: string[] = []
  let second: Promise<unknown> = Promise.resolve()
  await one.changeControl(async (db) => {
    second = other.changeControl(async () => order.push('second'))
    // Long enough for the other to have asked.
    for (let turn = 0; turn < 20; turn += 1) await db.selectFrom('meta').selectAll().execute()
    order.push('first')
  })
  await second
  assert.deepEqual(order, ['first', 'second'])
})

test('a transaction that is open when its store is closed holds no file', async () => {
  await using app = await startTestApp()
  const open = () => openStore({ dataDir: app.dataDir, onFault: () => undefined })
  await using other = await open()
  await (await other.draftSite(7, async () => undefined)).publish()
  const tagNamed = (name: string) => ({ name, createdAt: '2026-11-17' })

  const one = await open()
  const left = await (await one.openSite(7)).db.startTransaction().execute()
  await left.insertInto('tag').values(tagNamed('left')).execute()
  await one[Symbol.asyncDispose]()

  const site = await other.openSite(7)
  await site.db.insertInto('tag').values(tagNamed('kept')).execute()
  assert.deepEqual(await site.db.selectFrom('tag').select('name').execute(), [{ name: 'kept' }])
  await site.close()
})
