import assert from 'node:assert/strict'
import pg from 'pg'
import { test } from 'vitest'
import { dropDatabase, freshDatabaseUrl } from './postgres.ts'

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

async function rows(url: string, query: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(query)).rows
  } finally {
    await client.end()
  }
}
