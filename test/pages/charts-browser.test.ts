import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { axeFindings } from '../support/browsers/browser-checks.ts'
import { ada, type BrowserSite, startBrowserSite } from '../support/browsers/browser-site.ts'
import { markupStrings } from '../support/fixtures/markup-strings.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { fewInQuick } from '../support/tiers.ts'
import { uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('charts and audit in a browser', () => {
  let site: BrowserSite
  beforeAll(async () => {
    site = await startBrowserSite()
    await uploaded(site.app, site.tenant)
  })
  afterAll(async () => site?.[Symbol.asyncDispose]())

  test('charts are drawn from the table, gone through by keys, within their budget', async () => {
    const tab = await site.open({ as: ada, viewport: { width: 390, height: 844 } })
    const faults = faultsOf(tab)
    const scripts: string[] = []
    tab.on('response', (response) => {
      if (response.url().endsWith('.js')) scripts.push(response.url())
    })
    for (const colorScheme of fewInQuick(['light', 'dark'] as const, 1)) {
      await tab.emulateMedia({ colorScheme })
      await tab.goto(site.at('/dashboard'))
      await tab.getByRole('heading', { name: 'Activity' }).scrollIntoViewIfNeeded()
      await tab.locator('[data-is-drawn] canvas').nth(2).waitFor()
      faults.push(...(await axeFindings(tab)))
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), 390)
    }
    const bytes = [...new Set(scripts)].reduce(
      (sum, url) => sum + gzipSync(readFileSync(fileOf(url)), { level: 9 }).length,
      0,
    )
    assert.ok(bytes <= 36_000, `${bytes} bytes of script`)

    const uploads = tab.getByRole('figure', { name: /^Uploads/ })
    const shown = uploads.getByRole('status')
    assert.match((await shown.textContent()) ?? '', /: 1$/)
    await uploads.getByRole('group', { name: /^Uploads/ }).focus()
    const today = await shown.textContent()
    await tab.keyboard.press('Home')
    await uploads.getByText(/: 0$/).waitFor()
    assert.notEqual(await shown.textContent(), today)
    await tab.keyboard.press('End')
    await uploads.getByText(today ?? '').waitFor()

    await tab.getByText('Daily numbers').click()
    await tab.getByRole('columnheader', { name: 'Storage' }).waitFor({ state: 'attached' })
    assert.equal(await tab.getByRole('rowheader').count(), 30)
    await tab.getByRole('link', { name: '90 days' }).click()
    await tab.locator('[data-is-drawn] canvas').nth(2).waitFor()
    assert.deepEqual(faults, [])
  })

  test('without script the numbers are a table, and the log is filtered by a form', async () => {
    const key = await keyOf(site.app, site.tenant, 'admin')
    const titles = markupStrings
      .filter((title) => [...title].length <= 100 && title.trim() === title)
      .slice(0, 5)
    for (const title of titles)
      assert.equal((await ask5(site.app, site.tenant, 'POST albums', { key, body: { title } })).status, 201)
    const tab = await site.open({ as: ada, javaScriptEnabled: false })
    await tab.goto(site.at('/dashboard'))
    assert.equal(await tab.getByRole('rowheader').count(), 30)
    await tab.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Audit' }).click()
    await tab.getByLabel('What').selectOption('Album created')
    await tab.getByLabel('User name').fill('ada')
    await tab.getByRole('search', { name: 'Filter the log' }).getByRole('button').click()
    await tab.waitForURL(/verb=album\.created/)
    assert.equal(await tab.getByRole('rowheader').count(), titles.length)
    const shown = await tab.locator('.audit-changes li [dir="auto"]').allTextContents()
    for (const title of titles) assert.ok(shown.includes(title), title)
  })
})

const fileOf = (url: string) =>
  new URL(`../../build/web/${new URL(url).pathname.split('/').at(-1)}`, import.meta.url)

/** What the console says and the policy stops. */
function faultsOf(tab: Page): string[] {
  const faults: string[] = []
  tab.on('console', (message) => faults.push(message.text()))
  tab.on('pageerror', (error) => faults.push(error.message))
  return faults
}
