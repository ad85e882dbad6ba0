import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { startBrowserConsole } from '../support/console.ts'
import { needing } from '../support/needs.ts'

const folder = fileURLToPath(new URL('../../build/web/', import.meta.url))

/** With charts; every other page has tables and forms. */
const withCharts = { '': 36_000, 'tenants/cats': 36_000 }
const others = [
  'tenants',
  'tenants/new',
  'tenants/cats/values',
  'tenants/cats/place',
  'tenants/cats/delete',
  'plans',
  'plans/small',
  'moves',
  'jobs',
  'health',
  'backups',
  'keys',
  'operators',
  'audit',
  'me',
]
const budgets = [...Object.entries(withCharts), ...others.map((path) => [path, 14_000] as const)]

const browsing = await needing('chromium')

browsing.describe('the pages of the console', () => {
  test('load no more script than they may, in bytes as they are sent with gzip', async () => {
    await using place = await startBrowserConsole()
    await place.app.tenant('cats')
    await place.app.call('POST', 'tenants-plans', { id: 'small' })
    const tab = await place.open()
    const found: string[] = []
    for (const [path, mostBytes] of budgets) {
      const scripts = new Set<string>()
      tab.removeAllListeners('request')
      tab.on('request', (request) => {
        if (request.resourceType() === 'script') scripts.add(basename(request.url()))
      })
      const answer = await tab.goto(place.at(path), { waitUntil: 'networkidle' })
      assert.equal(answer?.status(), 200, path)
      const bytes = [...scripts].reduce((sum, name) => sum + readFileSync(`${folder}${name}.gz`).length, 0)
      if (scripts.size === 0 || bytes > mostBytes) found.push(`${path}: ${bytes} bytes of ${mostBytes}`)
    }
    assert.deepEqual(found, [])
  })
})
