import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startBrowser } from '../support/browsers/browser.ts'
import { faultsOf } from '../support/browsers/browser-site.ts'
import { ask } from '../support/delivered.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { picture, uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('in a browser', () => {
  test('the page is led by keyboard, fits every window, and copies its codes', async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const file = await picture({ width: 3_200, height: 1_800, format: 'jpeg' })
    const fields = { title: 'W'.repeat(100), description: 'x'.repeat(3_000), tags: 'y'.repeat(32) }
    const image = await uploaded(app, await app.tenant('cats'), { file, fields })
    const tab = await browser.newPage({ viewport: { width: 390, height: 800 } })
    const faults = faultsOf(tab)
    await tab.goto(image.url_viewer)
    // Shown by scripts, each by its own.
    for (const name of ['Zoom', 'Full screen', 'Copy link', 'Copy'])
      await tab.getByRole('button', { name, exact: true }).first().waitFor()
    const focused = () => tab.locator(':focus')
    // The picture, zoom and full screen have no text.
    const order = ['Skip to content', 'cats.test', 'Log in', '', '', '']
    order.push('Copy link', 'Share', 'Like', 'Download')
    // The chosen format, the chosen size, and the button that copies in them.
    order.push('', '', 'Copy', 'Links and embed codes')
    for (const text of order) {
      await tab.keyboard.press('Tab')
      assert.equal((await focused().innerText()).trim(), text)
    }
    await tab.keyboard.press('Enter')
    await tab.keyboard.press('Tab')
    assert.equal(await tab.evaluate('getSelection().toString()'), image.url_viewer)
    await tab.keyboard.press('Tab')
    await tab.keyboard.press('Enter')
    await tab.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
    const field = await tab.evaluate('document.activeElement.parentNode.querySelector("input").value')
    assert.equal(field, image.url_viewer)

    for (const width of [320, 390, 768, 1280]) {
      await tab.setViewportSize({ width, height: 800 })
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), width)
    }
    const shown = () => tab.evaluate('document.querySelector(".stage img").currentSrc')
    // A browser chooses anew some time after its window has changed.
    await until(
      async () => (await shown()) === `${image.url}?width=1280`,
      'the large window has a larger picture',
    )
    const small = await browser.newPage({ viewport: { width: 390, height: 800 } })
    await small.goto(image.url_viewer)
    const chosen = await small.evaluate('document.querySelector(".stage img").currentSrc')
    assert.equal(chosen, `${image.url}?width=500`)
    assert.deepEqual(faults, [])
  })

  test('a sensitive picture is not loaded before the visitor asks for it', async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const image = await uploaded(app, await app.tenant('cats'), { fields: { nsfw: '1' } })
    const tab = await browser.newPage()
    const loaded: string[] = []
    tab.on('request', (request) => loaded.push(request.url()))
    await tab.goto(image.url_viewer, { waitUntil: 'networkidle' })
    const ofSite = () => loaded.filter((url) => !url.includes('/_/assets/'))
    assert.deepEqual(ofSite(), [image.url_viewer])
    assert.equal(await tab.locator('.stage img').isVisible(), false)
    const asked = tab.waitForRequest(image.url)
    await tab.locator('.cover summary').press('Enter')
    await asked
    await tab.locator('.stage img').waitFor({ state: 'visible' })
    assert.deepEqual(ofSite(), [image.url_viewer, image.url])
  })

  test('a file that the browser cannot decode shows the icon of its type', async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const file = await picture({ width: 900, height: 600, format: 'jpeg' })
    const image = await uploaded(app, await app.tenant('cats'), { file, fields: { title: 'Dusk' } })
    const tab = await browser.newPage()
    const bytes = { contentType: 'image/jpeg', body: 'no picture' }
    await tab.route(/\/images\//, (route) => route.fulfill(bytes))
    await tab.goto(image.url_viewer)
    await tab.locator('.stage').getByText('JPEG', { exact: true }).waitFor()
    assert.equal(await tab.locator('.stage img').isVisible(), false)
    await tab.getByRole('button', { name: 'Copy link', exact: true }).waitFor()
  })

  test('a delete link asks, and deletes when the button is pressed', async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const image = await uploaded(app, await app.tenant('cats'))
    const tab = await browser.newPage()
    const faults = faultsOf(tab)
    await tab.goto(image.delete_url)
    await tab.getByText('Keep it').click()
    assert.equal(tab.url(), image.url_viewer)
    await tab.goBack()
    await tab.getByRole('button', { name: 'Delete for good' }).press('Enter')
    await tab.waitForURL(new URL('/', image.url).href)
    assert.equal((await ask(app, image.url)).status, 404)
    assert.deepEqual(faults, [])
  })
})
