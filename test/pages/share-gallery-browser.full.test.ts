import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
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
import { onSiteOf, picture, uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')

async function shareOf({ app, tenant, at }: BrowserSite, body: object = {}) {
  const key = await keyOf(app, tenant, 'write')
  const album = (
    await ask5(app, tenant, 'POST albums', {
      key,
      body: { title: 'Summer', description: 'At sea', privacy: 'private', sort: '-created' },
    })
  ).json
  const { id, url } = (await ask5(app, tenant, `POST albums/${album.id}/shares`, { key, body })).json
  const viewsOf = async () => (await ask5(app, tenant, `GET shares/${id}`, { key })).json.views
  return { albumId: album.id as string, address: at(new URL(url).pathname), viewsOf }
}

async function threeFiles({ app, tenant }: BrowserSite, albumId: string): Promise<void> {
  for (const seed of [1, 2, 3]) {
    const file = await picture({ width: 900, height: 600, seed })
    await uploaded(app, tenant, { file, fields: { album_id: albumId, title: `Day ${seed}` } })
    app.wait(2)
  }
}

const dialog = (tab: Page) => tab.getByRole('dialog')
const heading = (tab: Page, name: string) =>
  tab.getByRole('heading', { level: 1, name, exact: true }).last().waitFor()

browsing.describe('the gallery of a share', () => {
  test('opens a file over the list, leads through it by keys, and a reload shows the page of the file', async () => {
    await using site = await startBrowserSite()
    const { albumId, address, viewsOf } = await shareOf(site, { max_views: 1 })
    await threeFiles(site, albumId)
    const tab = await site.open({ viewport: { width: 1280, height: 800 } })
    const faults = faultsOf(tab)
    await tab.goto(address)
    await heading(tab, 'Summer')
    await tab.getByText('At sea').waitFor()
    await tab.getByText(/Shared by ada · 3 files/).waitFor()
    assert.match(
      String(await tab.getByRole('link', { name: 'Download all' }).getAttribute('href')),
      /^\/share\/\w+\/zip$/,
    )
    await tab.getByRole('link', { name: 'Day 3' }).click()
    await dialog(tab).getByRole('heading', { level: 1, name: 'Day 3' }).waitFor()
    assert.match(tab.url(), /\/share\/\w{22}\/\w{12}$/)
    await tab.keyboard.press('ArrowRight')
    await dialog(tab).getByRole('heading', { level: 1, name: 'Day 2' }).waitFor()
    await dialog(tab).getByRole('link', { name: 'Download' }).waitFor()
    await dialog(tab).getByRole('link', { name: 'Next' }).click()
    await dialog(tab).getByRole('heading', { level: 1, name: 'Day 1' }).waitFor()
    await tab.keyboard.press('z')
    await tab.locator('.pswp').waitFor()
    await tab.keyboard.press('Escape')
    await tab.locator('.pswp').waitFor({ state: 'detached' })
    await tab.reload()
    await heading(tab, 'Day 1')
    assert.equal(await dialog(tab).count(), 0)
    await tab.getByRole('link', { name: 'Previous' }).click()
    await heading(tab, 'Day 2')
    await tab.getByRole('link', { name: 'Summer' }).click()
    await heading(tab, 'Summer')
    assert.equal(await viewsOf(), 1)
    assert.deepEqual(faults, [])
  })

  test('lets a member log out, and choose a language, on plain http', async () => {
    await using site = await startBrowserSite()
    const { address } = await shareOf(site)
    const tab = await site.open({ as: ada, viewport: { width: 1280, height: 800 } })
    const sent: (string | undefined)[] = []
    tab.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.headers()['sec-fetch-site'])
    })
    await tab.goto(address)
    await tab.getByRole('button', { name: 'Deutsch' }).click()
    await tab.getByText(/Geteilt von ada/).waitFor()
    assert.equal(tab.url(), address)
    await tab.getByRole('button', { name: 'ada' }).click()
    await tab.getByRole('button', { name: 'Abmelden' }).click()
    await tab.getByRole('link', { name: 'Anmelden' }).first().waitFor()
    // Only the origin has proven them.
    assert.deepEqual(sent, [undefined, undefined])
  })

  test('works without script, and without downloads shows smaller pictures alone', async () => {
    await using site = await startBrowserSite()
    const { albumId, address } = await shareOf(site, { allow_download: false })
    await threeFiles(site, albumId)
    const tab = await site.open({ javaScriptEnabled: false })
    await tab.goto(address)
    assert.equal(await tab.getByRole('link', { name: /Download/ }).count(), 0)
    await tab.getByRole('link', { name: 'Day 2' }).click()
    await heading(tab, 'Day 2')
    assert.match(String(await tab.getByRole('img', { name: 'Day 2' }).getAttribute('src')), /\.md\./)
    assert.equal(await tab.getByRole('link', { name: /Download/ }).count(), 0)
    await tab.getByRole('link', { name: 'Next' }).click()
    await heading(tab, 'Day 1')
    assert.equal(await tab.getByRole('link', { name: 'Next' }).count(), 0)
  })

  test('of a long album is the grid of the site, and leads on beyond its first page', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    await manyFiles(app, tenant, 150)
    const { albumId, address, viewsOf } = await shareOf(site)
    await onSiteOf(app, tenant, ({ db }) => db.updateTable('file').set({ albumId }).execute())
    const tab = await site.open({ viewport: { width: 1280, height: 800 } })
    const faults = faultsOf(tab)
    await tab.goto(address)
    await gridTakenOver(tab)
    await tab.locator('.tile[aria-posinset="1"] a').click()
    const title = dialog(tab).getByRole('heading', { level: 1 })
    await title.waitFor()
    const seen = new Set([await title.textContent()])
    for (let at = 1; at < 70; at += 1) {
      const before = await title.textContent()
      await tab.keyboard.press('ArrowRight')
      await dialog(tab)
        .getByRole('heading', { level: 1 })
        .filter({ hasNotText: new RegExp(`^${before}$`) })
        .waitFor()
      seen.add(await title.textContent())
    }
    assert.equal(seen.size, 70)
    assert.equal(await viewsOf(), 1)
    // The rows of the fixture have no bytes of their own.
    assert.deepEqual(
      faults.filter((text) => !/status of 503/.test(text)),
      [],
    )
  })
})
