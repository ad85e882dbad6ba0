import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { axeFindings } from '../support/browsers/browser-checks.ts'
import { ada, type BrowserSite, faultsOf, startBrowserSite } from '../support/browsers/browser-site.ts'
import { needing } from '../support/needs.ts'
import { set, uploaded, userWithKey } from '../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('the look of the dashboard', () => {
  let site: BrowserSite
  beforeAll(async () => {
    site = await startBrowserSite()
    await set(site.app, site.tenant, { moderation: 'all' })
    const { key } = await userWithKey(site.app, site.tenant, 'ulla', 'user')
    for (const title of ['First', 'Second']) await uploaded(site.app, site.tenant, { key, fields: { title } })
  })
  afterAll(async () => site?.[Symbol.asyncDispose]())

  test('its pages are accessible and keep their policy', async () => {
    const tab = await site.open({ as: ada, viewport: { width: 390, height: 800 } })
    const faults = faultsOf(tab)
    for (const part of ['', '/queue', '/files', '/users', '/users/new', '/albums', '/categories', '/tags']) {
      await tab.goto(site.at(`/dashboard${part}`))
      faults.push(...(await axeFindings(tab)).map((fault) => `${part}: ${fault}`))
      const width = await tab.evaluate('document.documentElement.scrollWidth')
      if (width !== 390) faults.push(`${part}: ${width} pixels wide`)
    }
    assert.deepEqual(faults, [])
  })

  test('the log is accessible and keeps its policy', async () => {
    const tab = await site.open({ as: ada, viewport: { width: 390, height: 844 } })
    const faults = faultsOf(tab)
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.emulateMedia({ colorScheme })
      await tab.goto(site.at('/dashboard/audit'))
      await tab.getByRole('heading', { name: 'Audit' }).waitFor()
      faults.push(...(await axeFindings(tab)))
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), 390)
    }
    const here = tab.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Audit' })
    const { x = 0, width = 0 } = (await here.boundingBox()) ?? {}
    assert.ok(x >= 0 && x + width <= 390, 'the entry of the page is in sight on a phone')
    const download = tab.waitForEvent('download')
    await tab.getByRole('link', { name: 'Download as CSV' }).click()
    assert.equal((await download).suggestedFilename(), 'audit.csv')
    assert.deepEqual(faults, [])
  })
})
