import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { ada, type BrowserSite, startBrowserSite } from '../support/browsers/browser-site.ts'
import { manyFiles } from '../support/fixtures/many-files.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { someInQuick } from '../support/tiers.ts'
import { picture, set, uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')

/** A higher score is seen as a jump. */
const most = 0.01

const lists =
  '/explore /mine /explore?sort=popular /mine/trash /mine/shares /albums /tags /tag/dusk /categories'
const others = '/ /upload /search /search?q=file /ada /ada/albums'
const settings = ['', 'uploads', 'security', 'keys', 'apps'].map((part) => `/settings/${part}`)
const dashboards = 'queue files users albums categories tags pages storages branding audit settings/general'
const paths = [
  '/dashboard',
  ...lists.split(' '),
  ...others.split(' '),
  ...settings.map((path) => path.replace(/\/$/, '')),
  ...dashboards.split(' ').map((part) => `/dashboard/${part}`),
]

/** A site with files, an album with a cover, a tag and a file in the trash, and the path of its album. */
async function startPages(): Promise<[BrowserSite, string]> {
  const site = await startBrowserSite()
  const { app, tenant } = site
  await set(app, tenant, { listing: 'public' })
  await manyFiles(app, tenant, 230)
  const key = await keyOf(app, tenant, 'write')
  const album = (await ask5(app, tenant, 'POST albums', { key, body: { title: 'Sea' } })).json
  const file = await picture({ width: 900, height: 600, seed: 3, format: 'jpeg' })
  await uploaded(app, tenant, { file, fields: { title: 'Dusk', tags: 'dusk', album_id: album.id } })
  await ask5(app, tenant, 'PATCH files/f2', { key, body: { album_id: album.id } })
  await ask5(app, tenant, 'DELETE files/f3', { key })
  return [site, `/album/${album.id}`]
}

/** A line on which styles, scripts and pictures arrive one after the other. */
async function slowDown(tab: Page, bytesPerSecond = 200_000): Promise<void> {
  const client = await tab.context().newCDPSession(tab)
  await client.send('Network.enable')
  await client.send('Network.setCacheDisabled', { cacheDisabled: true })
  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 40,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
}

interface Shift {
  value: number
  /** What moved, from where to where. */
  moved: string[]
}

/** What has moved so far without a press of the reader. */
const shiftsOf = (tab: Page): Promise<Shift[]> =>
  tab.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type: 'layout-shift', buffered: true })
    // There is no call of the observer if nothing has moved.
    setTimeout(() => resolve([]), 100)
  }).then((entries) => entries.filter(({ hadRecentInput }) => !hadRecentInput).map(({ value, sources }) => ({
    value,
    moved: sources.map(({ node, previousRect, currentRect }) => [
      [node?.nodeName, node?.className].join('.'),
      ...[previousRect, currentRect].map(({ x, y, width, height }) => [x, y, width, height].map(Math.round).join()),
    ].join(' ')),
  })))`)

/** Pages on which more has moved than people overlook. */
async function movedOn(tab: Page, addresses: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const address of addresses) {
    await tab.goto(address, { waitUntil: 'networkidle' })
    const shifts = await shiftsOf(tab)
    const score = shifts.reduce((sum, { value }) => sum + value, 0)
    if (score > most) found.push(`${address}: ${score} ${shifts.flatMap(({ moved }) => moved).join(' | ')}`)
  }
  return found
}

browsing.describe('pages that load over a slow line', () => {
  test.for([390, 1280])('move nothing that is already shown, at %d', { timeout: 600_000 }, async (width) => {
    const [site, album] = await startPages()
    await using _ = site
    const tab = await site.open({ as: ada, viewport: { width, height: 800 } })
    await slowDown(tab)
    const found = await movedOn(tab, someInQuick([...paths, album], 10).map(site.at))
    assert.deepEqual(found, [])
  })
  test.for([390, 1280])(
    'move nothing while they arrive in pieces, at %d',
    { timeout: 600_000 },
    async (width) => {
      const [site, album] = await startPages()
      await using _ = site
      const found: string[] = []
      for (const [as, seen] of [
        [undefined, ['/explore', '/mine', '/upload']],
        [ada, ['/explore', '/mine', album, '/dashboard/branding']],
      ] as const) {
        const tab = await site.open({ ...(as && { as }), viewport: { width, height: 800 } })
        // A page of sixty tiles takes half a second.
        await slowDown(tab, 50_000)
        found.push(...(await movedOn(tab, seen.map(site.at))))
      }
      assert.deepEqual(found, [])
    },
  )
})
