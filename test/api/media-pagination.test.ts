import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { walkFiles } from '../support/clients/file-pagination.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { startServers } from '../support/servers/several-servers.ts'
import { runsOf } from '../support/tiers.ts'
import { picture, type TestTenant, uploaded } from '../support/uploads.ts'

onEachStore('walks through lists of files', (store) => {
  test('keep their promises while files come, change and go', () => walkFiles(store, runsOf(200)), 600_000)

  test('go on at another server', async () => {
    await using servers = await startServers(store)
    const cats = await servers.first.tenant('cats')
    const key = await keyOf(servers.first, cats, 'read')
    for (const seed of [1, 2, 3, 4]) await uploaded(servers.first, cats, { file: await picture({ seed }) })
    const ids: string[] = []
    let cursor: string | null = ''
    for (let page = 0; cursor !== null; page += 1) {
      const app = servers.all[page % servers.all.length] as TestApp
      const answer = await ask5(app, cats, `GET files?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`, {
        key,
      })
      assert.equal(answer.status, 200, answer.text)
      ids.push(...answer.json.data.map(({ id }: { id: string }) => id))
      cursor = answer.json.next_cursor
    }
    assert.equal(new Set(ids).size, 4)
  })
})

test('a cursor is good after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-cursor-'))
  const environment = { SERVICE_DATA_DIR: folder }
  const ids: string[] = []
  const page = async (app: TestApp, cats: TestTenant, query: string, key: string) => {
    const answer = await ask5(app, cats, `GET files?limit=2${query}`, { key })
    assert.equal(answer.status, 200, answer.text)
    ids.push(...answer.json.data.map(({ id }: { id: string }) => id))
    return answer.json.next_cursor as string
  }
  try {
    const [cats, key, cursor] = await (async () => {
      await using app = await startTestApp({ environment })
      const tenant = await app.tenant('cats')
      for (const seed of [1, 2, 3, 4]) await uploaded(app, tenant, { file: await picture({ seed }) })
      const read = await keyOf(app, tenant, 'read')
      return [tenant, read, await page(app, tenant, '', read)] as const
    })()
    await using again = await startTestApp({ environment })
    await page(again, cats, `&cursor=${cursor}`, key)
    assert.equal(new Set(ids).size, 4)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
