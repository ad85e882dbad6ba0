import assert from 'node:assert/strict'
import { sql } from 'kysely'
import pg from 'pg'
import { test } from 'vitest'
import { openStore } from '../../src/db/index.ts'
import { dropDatabase, freshDatabaseUrl } from '../support/stores/postgres.ts'

test('every fresh database is another one, empty, and gone when dropped', async () => {
  const [one, two] = await Promise.all([freshDatabaseUrl(), freshDatabaseUrl()])
  assert.notEqual(one, two)
  assert.deepEqual(await rows(one, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`), [])

  await dropDatabase(one)
  await assert.rejects(rows(one, 'SELECT 1'), /does not exist/)
  await dropDatabase(two)
})

test('a sort that forgets to ask for character codes shows', async () => {
  const url = await freshDatabaseUrl()
  const words = `SELECT word FROM (VALUES ('B'), ('a')) AS list (word) ORDER BY word`
  assert.deepEqual(await rows(url, words), [{ word: 'a' }, { word: 'B' }])
  assert.deepEqual(await rows(url, `${words} COLLATE "C"`), [{ word: 'B' }, { word: 'a' }])
  await dropDatabase(url)
})

test('what a connection has prepared stays bounded, however many texts there are', async () => {
  const url = await freshDatabaseUrl()
  const store = await openStore({ dataDir: '/nowhere', databaseUrl: url, onFault: () => undefined })
  const prepared = async () => {
    const { rows: found } = await sql<{ count: number }>`
      select count(*)::int as count from pg_prepared_statements`.execute(store.control)
    return found[0]?.count ?? 0
  }
  let most = 0
  for (let number = 0; number < 3_000; number += 1) {
    const other = store.control.selectNoFrom((eb) => eb.lit(1).as(`other${number}`))
    assert.deepEqual(await other.execute(), [{ [`other${number}`]: 1 }])
    if (number % 250 === 249) most = Math.max(most, await prepared())
  }
  assert.ok(most > 100 && most <= 1_100, `${most} statements are prepared on one connection`)
  await store[Symbol.asyncDispose]()
  await dropDatabase(url)
})

async function rows(url: string, query: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(query)).rows
  } finally {
    await client.end()
  }
}
