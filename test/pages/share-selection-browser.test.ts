import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { axeFindings } from '../support/browsers/browser-checks.ts'
import {
  ada,
  type BrowserSite,
  faultsOf,
  gridTakenOver,
  startBrowserSite,
} from '../support/browsers/browser-site.ts'
import { manyFiles } from '../support/fixtures/many-files.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { picture, uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')

const box = (tab: Page, title: string) => tab.getByRole('checkbox', { name: `Select ${title}`, exact: true })
const bar = (tab: Page) => tab.getByRole('group', { name: 'Selected files' })
const share = (tab: Page) => bar(tab).getByRole('button', { name: 'Share', exact: true })
const dialog = (tab: Page) => tab.getByRole('dialog', { name: 'Share', exact: true })
const heading = (tab: Page, name: string) =>
  tab.getByRole('heading', { level: 1, name, exact: true }).last().waitFor()
const isReady = (tab: Page) => tab.locator('[data-clear]:not([hidden])').waitFor({ state: 'attached' })

/** Five files of ada, two of them private, and the shares of some of them. */
async function fiveFiles({ app, tenant }: BrowserSite) {
  const key = await keyOf(app, tenant, 'write')
  const ids: string[] = []
  for (const seed of [1, 2, 3, 4, 5]) {
    const file = await picture({ width: 900, height: 600, seed })
    const { id_encoded: id } = await uploaded(app, tenant, { file, fields: { title: `Day ${seed}` } })
    if (seed > 3) await ask5(app, tenant, `PATCH files/${id}`, { key, body: { is_private: true } })
    ids.push(id)
    app.wait(2)
  }
  return {
    sharesOf: async () => (await ask5(app, tenant, 'GET shares', { key })).json.data,
    shareOf: async (...days: number[]) => {
      const body = { file_ids: days.map((day) => ids[day - 1]), max_views: 2 }
      return (await ask5(app, tenant, 'POST shares', { key, body })).json
    },
  }
}

async function select(tab: Page, site: BrowserSite) {
  await tab.goto(site.at('/mine'))
  await isReady(tab)
  for (const title of ['Day 2', 'Day 5', 'Day 1']) await box(tab, title).click()
}

browsing.describe('Share for selected files', () => {
  test('makes and copies a link of exactly these files', { timeout: 180_000 }, async () => {
    await using site = await startBrowserSite()
    const { sharesOf } = await fiveFiles(site)
    const tab = await site.open({
      as: ada,
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const faults = faultsOf(tab)
    await select(tab, site)
    await share(tab).click()
    await dialog(tab)
      .getByText(/^Other people can already see some of these files\./)
      .waitFor()
    assert.deepEqual(await axeFindings(tab), [])
    assert.deepEqual(await sharesOf(), [])

    await dialog(tab).getByRole('button', { name: 'Copy link' }).click()
    await dialog(tab).getByText('Copied', { exact: true }).waitFor()
    const [made] = await sharesOf()
    assert.equal(made.file_ids.length, 3)
    assert.equal(await dialog(tab).getByLabel('Link', { exact: true }).inputValue(), made.url)
    assert.equal(await tab.evaluate('getSelection().toString()'), made.url)
    await dialog(tab).getByRole('img', { name: 'QR code of the link' }).waitFor()
    await dialog(tab).getByText('Options', { exact: true }).click()
    await dialog(tab).getByLabel('View limit').fill('2')
    await tab.keyboard.press('Tab')
    await dialog(tab).getByText('Saved', { exact: true }).waitFor()
    assert.equal((await sharesOf())[0].max_views, 2)
    assert.deepEqual(await axeFindings(tab), [])
    await tab.keyboard.press('Escape')
    await dialog(tab).waitFor({ state: 'hidden' })
    await bar(tab).getByText('3 selected').waitFor()
    assert.deepEqual(faults, [])
  })

  test('leads a guest through these files and no others', { timeout: 180_000 }, async () => {
    await using site = await startBrowserSite()
    const { shareOf } = await fiveFiles(site)
    const made = await shareOf(2, 5, 1)
    const guest = await site.open({ viewport: { width: 1280, height: 800 } })
    const faults = faultsOf(guest)
    await guest.goto(site.at(new URL(made.url).pathname))
    await heading(guest, '3 files')
    assert.equal(await guest.locator('.tile').count(), 3)
    assert.deepEqual(await axeFindings(guest), [])
    await guest.getByRole('link', { name: 'Day 2', exact: true }).click()
    const over = guest.getByRole('dialog')
    await over.getByRole('heading', { level: 1, name: 'Day 2' }).waitFor()
    await guest.keyboard.press('ArrowRight')
    await over.getByRole('heading', { level: 1, name: 'Day 5' }).waitFor()
    await over.getByRole('link', { name: 'Next' }).click()
    await over.getByRole('heading', { level: 1, name: 'Day 1' }).waitFor()
    assert.equal(await over.getByRole('link', { name: 'Next' }).count(), 0)
    await guest.reload()
    await heading(guest, 'Day 1')
    await guest.getByRole('link', { name: 'Previous' }).click()
    await heading(guest, 'Day 5')
    await guest.getByRole('link', { name: '3 files' }).click()
    await heading(guest, '3 files')
    assert.deepEqual(faults, [])
  })

  test('shows the link that these files have, and stops it', { timeout: 180_000 }, async () => {
    await using site = await startBrowserSite()
    const { sharesOf, shareOf } = await fiveFiles(site)
    const made = await shareOf(2, 5, 1)
    const tab = await site.open({ as: ada, viewport: { width: 1280, height: 800 } })
    const faults = faultsOf(tab)
    await select(tab, site)
    await share(tab).click()
    await dialog(tab).getByRole('heading', { level: 3, name: '3 files' }).waitFor()
    await dialog(tab).getByRole('link', { name: 'Edit 3 files' }).click()
    await until(
      async () => (await dialog(tab).getByLabel('View limit').inputValue()) === '2',
      'its options are shown',
    )
    await dialog(tab).getByRole('button', { name: 'Stop sharing' }).click()
    await dialog(tab).getByText('The link no longer works.').waitFor()
    assert.deepEqual(await sharesOf(), [])
    assert.equal((await (await site.open()).goto(site.at(new URL(made.url).pathname)))?.status(), 410)
    assert.deepEqual(faults, [])
  })

  test('is in the bar of a phone and hands the link to its share sheet', { timeout: 180_000 }, async () => {
    await using site = await startBrowserSite()
    const { sharesOf } = await fiveFiles(site)
    const tab = await site.open({
      as: ada,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await tab.addInitScript(`navigator.share = async (given) => { window.handed = given.url }`)
    await tab.goto(site.at('/mine'))
    await isReady(tab)
    for (const title of ['Day 4', 'Day 5']) await box(tab, title).tap()
    await share(tab).tap()
    await dialog(tab)
      .getByText(/^Only you can see this now\./)
      .waitFor()
    await dialog(tab).getByRole('button', { name: 'Share', exact: true }).tap()
    await until(async () => (await tab.evaluate('window.handed')) !== undefined, 'the sheet is open')
    const [made] = await sharesOf()
    assert.equal(await tab.evaluate('window.handed'), made.url)
    assert.equal(made.file_ids.length, 2)
  })

  test('works without script, and the list of shares leads to the link', { timeout: 180_000 }, async () => {
    await using site = await startBrowserSite()
    const { sharesOf } = await fiveFiles(site)
    const tab = await site.open({ as: ada, javaScriptEnabled: false })
    await tab.goto(site.at('/mine'))
    for (const title of ['Day 1', 'Day 3']) await box(tab, title).check()
    await share(tab).click()
    await tab.getByText('Everyone can see this now.').waitFor()
    await tab.getByRole('button', { name: 'Copy link' }).click()
    await tab.getByRole('img', { name: 'QR code of the link' }).waitFor()
    await tab.getByText('Options', { exact: true }).click()
    await tab.getByLabel('View limit').fill('many')
    await tab.getByRole('button', { name: 'Save' }).click()
    assert.equal(await tab.getByLabel('View limit').inputValue(), 'many')
    await tab.getByLabel('View limit').fill('7')
    await tab.getByRole('button', { name: 'Save' }).click()
    const [made] = await sharesOf()
    assert.deepEqual([made.file_ids.length, made.max_views], [2, 7])
    await tab.goto(site.at('/mine/shares'))
    await tab.getByRole('row').getByRole('link', { name: '2 files', exact: true }).click()
    assert.equal(await tab.getByLabel('Link', { exact: true }).inputValue(), made.url)
    await tab.getByRole('button', { name: 'Stop sharing' }).click()
    await tab.getByText('The link no longer works.').waitFor()
    assert.deepEqual(await sharesOf(), [])
  })

  test('of more than 500 files says how many a link can open', { timeout: 180_000 }, async () => {
    await using site = await startBrowserSite()
    await manyFiles(site.app, site.tenant, 510)
    const tab = await site.open({ as: ada, viewport: { width: 1280, height: 800 } })
    await tab.goto(site.at('/mine'))
    await gridTakenOver(tab)
    await isReady(tab)
    await tab.keyboard.press('Control+a')
    await bar(tab).getByText('All 510 selected').waitFor()
    await share(tab).click()
    await dialog(tab).getByText('A link can open up to 500 files. Select fewer, or share an album.').waitFor()
    assert.equal(await dialog(tab).getByRole('button', { name: 'Copy link' }).count(), 0)
    assert.deepEqual(await axeFindings(tab), [])
  })
})
