import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startBrowser } from '../support/browsers/browser.ts'
import { pasteInto } from '../support/browsers/browser-site.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { picture, uploaded } from '../support/uploads.ts'

async function startBrowserSite() {
  const app = await startTestApp()
  const cats = await app.tenant('cats')
  const file = await picture({ width: 1200, height: 800, format: 'jpeg' })
  const image = await uploaded(app, cats, { file, fields: { title: 'A <b>cat</b>' } })
  const browser = await startBrowser()
  const dispose = async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  }
  return { app, image, browser, home: new URL('/', image.url).href, [Symbol.asyncDispose]: dispose }
}

const browsing = await needing('chromium')
browsing.describe('the frame of the pages', () => {
  test('takes language and theme from its footer, without script, and comes back to the page', async () => {
    await using site = await startBrowserSite()
    const context = await site.browser.newContext({ javaScriptEnabled: false, locale: 'es-MX' })
    const tab = await context.newPage()
    await tab.goto(`${site.image.url_viewer}?a=1&b=2`)
    assert.equal(await tab.getAttribute('html', 'lang'), 'es')
    await tab.getByRole('link', { name: 'Descargar' }).waitFor()

    await tab.getByRole('form', { name: 'Idioma' }).getByRole('button', { name: 'Deutsch' }).click()
    assert.equal(tab.url(), `${site.image.url_viewer}?a=1&b=2`)
    assert.equal(await tab.getAttribute('html', 'lang'), 'de')
    assert.equal(await tab.getByRole('button', { name: 'Deutsch' }).getAttribute('aria-pressed'), 'true')

    const themes = tab.getByRole('form', { name: 'Design' })
    const paper = () => tab.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    assert.equal(await paper(), 'rgb(246, 244, 238)')
    await themes.getByRole('button', { name: 'Dunkel' }).click()
    assert.equal(await tab.getAttribute('html', 'class'), 'dark')
    assert.equal(await paper(), 'rgb(19, 21, 18)')
    // Another page of the site has both too.
    await tab.goto(site.home)
    assert.deepEqual(
      [await tab.getAttribute('html', 'lang'), await tab.getAttribute('html', 'class')],
      ['de', 'dark'],
    )
    await themes.getByRole('button', { name: 'Automatisch' }).click()
    assert.equal(await tab.getAttribute('html', 'class'), null)
  })

  test('copies in the format and size used last, on every file', async () => {
    await using site = await startBrowserSite()
    const context = await site.browser.newContext()
    const tab = await context.newPage()
    await tab.goto(site.image.url_viewer)
    const copied = async () => {
      await tab.locator('.copy-bar > button').click()
      await tab.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
      return pasteInto(tab)
    }
    assert.equal(await copied(), site.image.url)
    await tab.locator('.copy-bar').getByText('Markdown').click()
    await tab.locator('.copy-bar').getByText('Medium').click()
    const { url_short: short, medium } = site.image
    const markdown = `[![A \\<b\\>cat\\<\\/b\\>](${medium.url})](${short})`
    assert.equal(await copied(), markdown)
    await tab.reload()
    assert.equal(await copied(), markdown)
  })

  test('is led by keys, which a person can switch off', async () => {
    await using site = await startBrowserSite()
    const tab = await (await site.browser.newContext()).newPage()
    await tab.goto(site.image.url_viewer)
    await tab.keyboard.press('?')
    const list = tab.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await list.waitFor()
    assert.match(String(await list.textContent()), /Copy in the last used format/)
    await tab.keyboard.press('Escape')
    await list.waitFor({ state: 'hidden' })
    await tab.keyboard.press('i')
    assert.equal(await tab.locator(':focus').textContent(), 'Details')
    await tab.locator('.copy-bar').waitFor()
    await tab.keyboard.press('c')
    await tab.getByRole('status').filter({ hasText: 'Copied' }).waitFor()

    await tab.keyboard.press('?')
    await list.getByRole('switch').press('Space')
    await tab.keyboard.press('Escape')
    await tab.reload()
    await tab.keyboard.press('i')
    assert.equal(await tab.evaluate('document.activeElement.tagName'), 'BODY')
    await tab.keyboard.press('?')
    await list.waitFor()
  })

  test('works without script: every code is there, and no button that would do nothing', async () => {
    await using site = await startBrowserSite()
    const context = await site.browser.newContext({ javaScriptEnabled: false })
    const tab = await context.newPage()
    await tab.goto(site.image.url_viewer)
    await tab.getByText('Links and embed codes').click()
    assert.equal(await tab.locator('.code input').count(), 14)
    const names = await tab.locator('button:visible').allTextContents()
    assert.deepEqual(names, ['Like', 'English', 'Español', 'Deutsch', 'Automatic', 'Light', 'Dark'])
  })

  test('shows its parts to developers alone, and they work by keyboard', async () => {
    await using site = await startBrowserSite()
    assert.equal((await site.app.send('GET', '/_/parts', { headers: { host: 'cats.test' } })).status, 404)
    await using development = await startTestApp({
      environment: { SERVICE_DEVELOPMENT: '1' },
    })
    const tab = await (await site.browser.newContext()).newPage()
    await tab.goto(`http://cats.test:${development.port}/_/parts`)
    await tab.getByRole('button', { name: 'Open a dialog' }).press('Enter')
    const dialog = tab.getByRole('dialog', { name: 'Delete the album?' })
    await dialog.waitFor()
    await dialog.getByRole('button', { name: 'Keep it' }).press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await tab.getByRole('button', { name: 'Actions', exact: true }).press('Enter')
    await tab.keyboard.press('Tab')
    assert.equal(await tab.locator(':focus').textContent(), 'Edit')
    await tab.keyboard.press('Escape')
    await tab.locator('#sample-menu').waitFor({ state: 'hidden' })
    await tab.keyboard.press('/')
    assert.equal(await tab.locator(':focus').getAttribute('name'), 'search')
  })
})
