import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { axeFindings, watchFaults } from '../support/browsers/browser-checks.ts'
import { ada, pasteInto, startBrowserSite } from '../support/browsers/browser-site.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')

const name = '<img src=x onerror=alert(1)>"\'&amp;'

const shareLink = (tab: Page) => tab.getByRole('link', { name: 'Share', exact: true })
/** The script has taken the link over. */
const isReady = (tab: Page) => tab.locator('a[data-share][aria-haspopup=dialog]').waitFor()
const focused = (tab: Page) => tab.evaluate('document.activeElement.id')
const dialog = (tab: Page) => tab.getByRole('dialog', { name: 'Share', exact: true })

browsing.describe('the dialog of shares', () => {
  test('makes, copies and revokes a link by keys alone, over the page of a file', {
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
    await dialog(tab).getByRole('heading', { name: 'New share' }).waitFor()
    assert.equal(new URL(tab.url()).pathname, path)
    assert.deepEqual(await axeFindings(tab), [])

    await dialog(tab).getByLabel('Name').fill(name)
    await dialog(tab).getByLabel('View limit').fill('many')
    await tab.keyboard.press('Enter')
    const refused = dialog(tab).locator('[aria-invalid=true]')
    await refused.waitFor()
    await until(async () => (await focused(tab)) === 'share-max_views', 'it has the focus')
    assert.equal(await dialog(tab).getByLabel('Name').inputValue(), name)
    assert.deepEqual(await sharesOf(), [])
    await dialog(tab).getByLabel('View limit').fill('7')
    await tab.keyboard.press('Enter')
    await dialog(tab).getByText('Your link is ready.').waitFor()
    const [made] = await sharesOf()
    assert.deepEqual([made.name, made.max_views], [name, 7])
    await until(async () => (await focused(tab)) === 'new-link', 'the link has the focus')
    assert.equal(await dialog(tab).locator('#new-link').inputValue(), made.url)
    await dialog(tab).getByRole('heading', { level: 3, name, exact: true }).waitFor()
    await tab.keyboard.press('Tab')
    await tab.keyboard.press('Enter')
    await dialog(tab).getByText('Copied', { exact: true }).waitFor()
    assert.deepEqual(await axeFindings(tab), [])

    await dialog(tab)
      .getByRole('button', { name: `Stop sharing ${name}` })
      .press('Enter')
    await until(
      async () => (await dialog(tab).getByRole('list', { name: 'Shares' }).count()) === 0,
      'revoked',
    )
    assert.deepEqual(await sharesOf(), [])
    await tab.keyboard.press('Escape')
    await dialog(tab).waitFor({ state: 'hidden' })
    assert.equal(await tab.evaluate('document.activeElement.textContent'), 'Share')
    assert.equal(await pasteInto(tab), made.url)
    assert.deepEqual(faults, [])
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
    await dialog(tab).getByLabel('Allow uploads').check()
    await tab.context().setOffline(true)
    await dialog(tab).getByRole('button', { name: 'Create link' }).click()
    await dialog(tab).getByText('The server isn’t responding. Try again.').waitFor()
    await tab.context().setOffline(false)
    await dialog(tab).getByRole('button', { name: 'Create link' }).click()
    await dialog(tab).getByText('Your link is ready.').waitFor()
    const [made] = await sharesOf(`album_id=${album.id}`)
    assert.equal(made.allow_upload, true)
    await dialog(tab).getByRole('button', { name: 'Close' }).click()
    await dialog(tab).waitFor({ state: 'hidden' })

    await tab.getByRole('link', { name: 'A quay', exact: true }).click()
    const over = tab.getByRole('dialog', { name: 'A quay' })
    await over.locator('a[data-share][aria-haspopup=dialog]').click()
    await over.getByRole('button', { name: 'Create link' }).click()
    await over.getByText('Your link is ready.').waitFor()
    assert.equal((await sharesOf(`file_id=${image.id_encoded}`)).length, 1)
    assert.deepEqual(await axeFindings(tab), [])
    // The first Escape closes the dialog, the next one the file.
    await tab.keyboard.press('Escape')
    await over.getByRole('dialog', { name: 'Share' }).waitFor({ state: 'hidden' })
    await over.getByRole('heading', { level: 1, name: 'A quay' }).waitFor()
    await tab.keyboard.press('Escape')
    await over.waitFor({ state: 'detached' })
    assert.deepEqual(faults, [])
  })
})
