import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { ada, type BrowserSite, faultsOf, startBrowserSite } from '../support/browsers/browser-site.ts'
import { needing } from '../support/needs.ts'
import { picture, set, uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('keys of every page', () => {
  let site: BrowserSite
  let filePage: string
  beforeAll(async () => {
    site = await startBrowserSite()
    await set(site.app, site.tenant, { listing: 'public' })
    const file = await picture({ width: 900, height: 1600, format: 'jpeg' })
    filePage = (await uploaded(site.app, site.tenant, { file, fields: { title: 'Dusk' } })).url_viewer
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  test('are listed by ? everywhere', { timeout: 120_000 }, async () => {
    const tab = await site.open({ as: ada })
    const faults = faultsOf(tab)
    const list = tab.getByRole('dialog', { name: 'Keyboard shortcuts' })
    const paths = ['/explore', '/albums', '/tags', '/search', '/mine', '/settings', '/dashboard', '/upload']
    for (const path of [...paths, '/', new URL(filePage).pathname]) {
      await tab.goto(site.at(path))
      await tab.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor()
      await tab.keyboard.press('?')
      const rows = await list.locator('.key-list > div').allTextContents()
      for (const row of ['/Search', 'g then eExplore', 'g then aAlbums', 'g then mMy files'])
        assert.ok(rows.includes(row), `${row} on ${path}`)
      await tab.keyboard.press('Escape')
      await list.waitFor({ state: 'hidden' })
    }
    assert.deepEqual(faults, [])
  })

  test('lead to the main pages after a g, also from a grid', async () => {
    const tab = await site.open({ as: ada })
    for (const [letter, path] of Object.entries({
      e: '/explore',
      a: '/albums',
      m: '/mine',
      s: '/settings',
      d: '/dashboard',
    })) {
      await tab.goto(site.at('/mine'))
      await tab.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor()
      await tab.getByRole('link', { name: 'Dusk' }).focus()
      const left = tab.waitForEvent('domcontentloaded')
      await tab.keyboard.press('g')
      await tab.keyboard.press(letter)
      await left
      assert.equal(new URL(tab.url()).pathname, path)
    }
    await tab.keyboard.press('/')
    assert.equal(await tab.locator(':focus').getAttribute('type'), 'search')
    // While typing, letters are letters.
    await tab.keyboard.type('ge')
    assert.equal(await tab.locator(':focus').inputValue(), 'ge')
  })

  test('a guest has those of pages that guests may open', async () => {
    const tab = await site.open()
    await tab.goto(filePage)
    await tab.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    const rows = await tab.locator('.key-list > div').allTextContents()
    assert.ok(rows.includes('g then eExplore') && rows.includes('g then aAlbums'))
    assert.ok(!rows.some((row) => /Settings|Dashboard/.test(row)))
  })

  test('e opens Edit on the screen with its first field focused, and never closes it', async () => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      const tab = await site.open({ as: ada, viewport })
      await tab.goto(filePage)
      await tab.getByRole('button', { name: 'Zoom', exact: true }).waitFor()
      const title = tab.getByLabel('Title')
      for (let times = 0; times < 2; times += 1) {
        await tab.keyboard.press('e')
        await tab.waitForFunction(`document.activeElement.name === 'title'`)
        const box = await title.boundingBox()
        assert.ok(box && box.y >= 0 && box.y + box.height < viewport.height - 64, `at ${box?.y}`)
        assert.equal(await title.inputValue(), 'Dusk')
        await tab.evaluate('document.activeElement.blur()')
      }
    }
  })
})
