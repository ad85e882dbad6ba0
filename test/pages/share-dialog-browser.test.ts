import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { axeFindings, watchFaults } from '../support/browsers/browser-checks.ts'
import { ada, startBrowserSite } from '../support/browsers/browser-site.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')

const name = '<img src=x onerror=alert(1)>"\'&amp;'

const shareLink = (tab: Page) => tab.getByRole('link', { name: 'Share', exact: true })
/** The script has taken the link over. */
const isReady = (tab: Page) => tab.locator('a[data-share][aria-haspopup=dialog]').first().waitFor()
const focused = (tab: Page) => tab.evaluate('document.activeElement.id')
const dialog = (tab: Page) => tab.getByRole('dialog', { name: 'Share', exact: true })

browsing.describe('the dialog of shares', () => {
  test('makes, copies and shows a link by one press, and changes it by its options', {
    timeout: 180_000,
  }, async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const image = await uploaded(app, tenant, { fields: { title: 'A quay' } })
    const sharesOf = async () =>
      (await ask5(app, tenant, `GET shares?file_id=${image.id_encoded}`, { key })).json.data
    const tab = await site.open({ as: ada, permissions: ['clipboard-read', 'clipboard-write'] })
    const faults = watchFaults(tab)
    const path = new URL(image.url_viewer).pathname
    await tab.goto(site.at(path))
    await isReady(tab)
    await shareLink(tab).press('Enter')
    await dialog(tab).getByText('Everyone can see this now.').waitFor()
    assert.equal(new URL(tab.url()).pathname, path)
    assert.deepEqual(await axeFindings(tab), [])
    assert.deepEqual(await sharesOf(), [])

    await tab.keyboard.press('Enter')
    await dialog(tab).getByText('Copied', { exact: true }).waitFor()
    const [made] = await sharesOf()
    assert.deepEqual([made.allow_download, made.max_views, made.has_password], [true, null, false])
    const days = (Date.parse(made.expires_at) - Date.parse(made.created_at)) / 86_400_000
    assert.ok(days > 29.9 && days < 30.1)
    assert.equal(await dialog(tab).getByLabel('Link', { exact: true }).inputValue(), made.url)
    assert.equal(await tab.evaluate('getSelection().toString()'), made.url)
    await dialog(tab).getByRole('img', { name: 'QR code of the link' }).waitFor()

    await dialog(tab).getByText('Options', { exact: true }).click()
    await dialog(tab).getByLabel('View limit').fill('many')
    await tab.keyboard.press('Tab')
    await until(async () => (await focused(tab)) === 'share-max_views', 'the field that was refused')
    assert.deepEqual(await axeFindings(tab), [])
    await dialog(tab).getByLabel('View limit').fill('7')
    await tab.keyboard.press('Tab')
    await dialog(tab).getByText('Saved', { exact: true }).waitFor()
    await dialog(tab).getByLabel('Password', { exact: true }).fill('meow')
    await dialog(tab).getByLabel('Name').fill(name)
    await dialog(tab).getByLabel('Allow downloads').uncheck()
    await until(async () => {
      const [{ max_views, has_password, name: given, allow_download }] = await sharesOf()
      return max_views === 7 && has_password && given === name && !allow_download
    }, 'each change is saved')
    assert.equal(await dialog(tab).getByLabel('Name').inputValue(), name)
    // A second press copies the same link.
    await dialog(tab).getByRole('button', { name: 'Copy link' }).click()
    assert.equal((await sharesOf()).length, 1)

    assert.deepEqual(faults, [])
  })

  test('shows the links that there are, and stops one', { timeout: 180_000 }, async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const { id_encoded: id, url_viewer } = await uploaded(app, tenant)
    const sharesOf = async () => (await ask5(app, tenant, `GET shares?file_id=${id}`, { key })).json.data
    await ask5(app, tenant, `POST files/${id}/shares`, { key, body: { name, max_views: 7 } })
    assert.equal((await sharesOf()).length, 1)
    const tab = await site.open({ as: ada })
    const faults = watchFaults(tab)
    await tab.goto(url_viewer)
    await isReady(tab)
    await shareLink(tab).press('Enter')
    await dialog(tab).getByRole('heading', { level: 3, name, exact: true }).waitFor()
    await dialog(tab)
      .getByRole('button', { name: `Copy link: ${name}` })
      .waitFor()
    await dialog(tab)
      .getByRole('link', { name: `Edit ${name}` })
      .click()
    await until(
      async () => (await dialog(tab).getByLabel('View limit').inputValue()) === '7',
      'its options are shown',
    )
    await dialog(tab)
      .getByRole('button', { name: `Stop sharing ${name}` })
      .click()
    await dialog(tab).getByLabel('Link', { exact: true }).waitFor({ state: 'detached' })
    assert.deepEqual(await sharesOf(), [])
    assert.deepEqual(faults, [])
  })

  test('offers the share sheet of a phone with the same link', { timeout: 180_000 }, async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const album = (await ask5(app, tenant, 'POST albums', { key, body: { title: 'Party' } })).json
    const tab = await site.open({
      as: ada,
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    })
    await tab.addInitScript(`navigator.share = async (given) => { window.handed = given.url }`)
    await tab.goto(site.at(`/album/${album.id}`))
    await isReady(tab)
    await shareLink(tab).tap()
    await dialog(tab).getByRole('button', { name: 'Share', exact: true }).tap()
    await until(async () => (await tab.evaluate('window.handed')) !== undefined, 'the sheet is open')
    const [made] = (await ask5(app, tenant, `GET shares?album_id=${album.id}`, { key })).json.data
    assert.equal(await tab.evaluate('window.handed'), made.url)
  })

  test('opens over an album, over a file that is over the album, and says when the line is cut', {
    timeout: 180_000,
  }, async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const album = (await ask5(app, tenant, 'POST albums', { key, body: { title: 'Party' } })).json
    const image = await uploaded(app, tenant, { fields: { title: 'A quay', album_id: album.id } })
    const sharesOf = async (query: string) =>
      (await ask5(app, tenant, `GET shares?${query}`, { key })).json.data
    const tab = await site.open({ as: ada, viewport: { width: 390, height: 800 } })
    const faults = watchFaults(tab)
    await tab.goto(site.at(`/album/${album.id}`))
    await isReady(tab)
    await tab.locator('.tiles.placed').waitFor()
    await shareLink(tab).click()
    const copy = dialog(tab).getByRole('button', { name: 'Copy link' })
    await copy.waitFor()
    await tab.context().setOffline(true)
    await copy.click()
    await dialog(tab).getByText('The server isn’t responding. Try again.').waitFor()
    await tab.context().setOffline(false)
    await copy.click()
    await dialog(tab).getByLabel('Link', { exact: true }).waitFor()
    assert.equal((await sharesOf(`album_id=${album.id}`)).length, 1)
    await dialog(tab).getByRole('button', { name: 'Close' }).click()
    await dialog(tab).waitFor({ state: 'hidden' })

    await tab.getByRole('link', { name: 'A quay', exact: true }).click()
    const over = tab.getByRole('dialog', { name: 'A quay' })
    await over.locator('a[data-share][aria-haspopup=dialog]').click()
    const inner = over.getByRole('dialog', { name: 'Share' })
    await inner.getByRole('button', { name: 'Copy link' }).click()
    await inner.getByLabel('Link', { exact: true }).waitFor()
    assert.equal((await sharesOf(`file_id=${image.id_encoded}`)).length, 1)
    assert.deepEqual(await axeFindings(tab), [])
    // The first Escape closes the dialog, the next one the file.
    await tab.keyboard.press('Escape')
    await inner.waitFor({ state: 'hidden' })
    await over.getByRole('heading', { level: 1, name: 'A quay' }).waitFor()
    await tab.keyboard.press('Escape')
    await over.waitFor({ state: 'detached' })

    // Among all shares those without a name go by what they open.
    await tab.goto(site.at('/mine/shares'))
    assert.deepEqual(await axeFindings(tab), [])
    await tab.getByRole('rowheader').getByRole('link', { name: 'Party', exact: true }).waitFor()
    await tab.getByRole('button', { name: 'Stop sharing A quay' }).waitFor()
    await tab.getByRole('link', { name: 'A quay', exact: true }).click()
    await tab.getByRole('heading', { level: 1, name: 'A quay' }).waitFor()
    assert.deepEqual(faults, [])
  })

  test('is a page without script', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const album = (await ask5(app, tenant, 'POST albums', { key, body: { title: 'Party' } })).json
    const tab = await site.open({ as: ada, javaScriptEnabled: false })
    await tab.goto(site.at(`/album/${album.id}`))
    await shareLink(tab).click()
    await tab.getByRole('button', { name: 'Copy link' }).click()
    await tab.getByRole('img', { name: 'QR code of the link' }).waitFor()
    await tab.getByText('Options', { exact: true }).click()
    await tab.getByLabel('View limit').fill('3')
    await tab.getByRole('button', { name: 'Save' }).click()
    assert.equal(await tab.getByLabel('View limit').inputValue(), '3')
    const [made] = (await ask5(app, tenant, `GET shares?album_id=${album.id}`, { key })).json.data
    assert.equal(made.max_views, 3)
    assert.equal(await tab.getByLabel('Link', { exact: true }).inputValue(), made.url)
  })
})
