import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import {
  ada,
  type BrowserSite,
  gridTakenOver,
  logInBrowser,
  startBrowserSite,
} from '../support/browsers/browser-site.ts'
import { manyFiles } from '../support/fixtures/many-files.ts'
import { markupStrings } from '../support/fixtures/markup-strings.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { someInQuick } from '../support/tiers.ts'
import { until } from '../support/until.ts'
import { onSiteOf, picture, set, uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')

/** A site that lists its files to everyone. */
async function startGallery(files: number): Promise<BrowserSite> {
  const site = await startBrowserSite()
  await set(site.app, site.tenant, { listing: 'public' })
  await manyFiles(site.app, site.tenant, files)
  return site
}

const tiles = (tab: Page) =>
  tab
    .getByRole('list')
    .filter({ has: tab.locator('[data-id]') })
    .getByRole('link')
const shownIds = (tab: Page): Promise<string[]> =>
  tab.evaluate(`[...document.querySelectorAll('.tile a')].filter((link) => {
    const { top, bottom } = link.getBoundingClientRect()
    return bottom > 0 && top < innerHeight
  }).map((link) => link.dataset.id ?? '')`)

browsing.describe('the grid', () => {
  test('shows the whole list with few elements, from its top to its end', async () => {
    await using site = await startGallery(900)
    const tab = await site.open({ viewport: { width: 1280, height: 800 } })
    const violations = await watch(tab)
    await tab.goto(site.at('/explore'))
    const before = await boxesOf(tab)
    await gridTakenOver(tab)
    // The script lays the files out as the stylesheet does, so nothing moves.
    for (const [at, [x, y, width]] of (await boxesOf(tab)).slice(0, 30).entries()) {
      const [oldX = 0, oldY = 0, oldWidth = 0] = before[at] ?? []
      assert.ok(
        Math.abs(x - oldX) + Math.abs(y - oldY) + Math.abs(width - oldWidth) < 3,
        `${at}: ${x} ${y} ${width}, was ${oldX} ${oldY} ${oldWidth}`,
      )
    }
    const most = await tab.evaluate(`(async () => {
      let most = 0
      for (let top = 0; top < document.documentElement.scrollHeight; top += 2_000) {
        scrollTo(0, top)
        await new Promise(requestAnimationFrame)
        await new Promise(requestAnimationFrame)
        most = Math.max(most, document.querySelectorAll('.tile').length)
      }
      scrollTo(0, document.documentElement.scrollHeight)
      return most
    })()`)
    assert.ok(Number(most) <= 150, `${most} tiles at once`)
    await until(async () => (await shownIds(tab)).includes('f899'), 'The last file is shown')
    assert.equal(await tab.getByRole('link', { name: 'Next page' }).count(), 0)
    assert.deepEqual(violations, [])
  })

  test('comes back to the same file at the same height', async () => {
    await using site = await startGallery(800)
    const tab = await site.open({ viewport: { width: 1280, height: 800 } })
    await tab.goto(site.at('/explore'))
    await gridTakenOver(tab)
    const [first = ''] = await shownIds(tab)
    await tab.evaluate('scrollTo(0, 12_345)')
    let ids: string[] = []
    await until(async () => {
      ids = await shownIds(tab)
      return ids.length > 0 && !ids.includes(first) && ids.every((id) => id !== '')
    }, 'The files there are read')
    const top = await tab.evaluate('scrollY')
    // A file that arrives meanwhile moves nothing.
    await uploaded(site.app, site.tenant, { file: await picture({ seed: 5 }) })
    // One in the middle: a click on a file at the edge scrolls first.
    await tab.locator(`[data-id=${ids[ids.length >> 1]}]`).click()
    await tab.getByRole('heading', { level: 1, name: /^File/ }).waitFor()
    await tab.goBack()
    await until(async () => (await shownIds(tab)).join() === ids.join(), 'The same files are shown')
    assert.ok(Math.abs(Number(await tab.evaluate('scrollY')) - Number(top)) <= 1)
  })

  test('is led by arrows, and says what has arrived', async () => {
    await using site = await startGallery(300)
    const tab = await site.open({ viewport: { width: 1280, height: 800 } })
    await tab.clock.install()
    await tab.goto(site.at('/explore'))
    await gridTakenOver(tab)
    await tiles(tab).first().focus()
    const focused = () => tab.evaluate('document.activeElement.dataset.id')
    const first = await focused()
    await tab.keyboard.press('ArrowRight')
    const second = await focused()
    assert.notEqual(second, first)
    await tab.keyboard.press('ArrowLeft')
    assert.equal(await focused(), first)
    for (let row = 0; row < 12; row += 1) await tab.keyboard.press('ArrowDown')
    await tab.clock.runFor(200)
    const far = await focused()
    assert.ok((await shownIds(tab)).includes(String(far)))
    for (let row = 0; row < 12; row += 1) await tab.keyboard.press('ArrowUp')
    assert.equal(await focused(), first)
    await uploaded(site.app, site.tenant, { file: await picture({ seed: 6 }), fields: { title: 'Fresh' } })
    await tab.clock.runFor(31_000)
    const news = tab.getByRole('link', { name: '1 new' })
    await news.waitFor()
    await news.press('Enter')
    await tab.getByRole('img', { name: 'Fresh' }).waitFor()
  })

  test('is a list of pages without script', async () => {
    await using site = await startGallery(130)
    const tab = await site.open({ javaScriptEnabled: false })
    await tab.goto(site.at('/explore'))
    assert.equal(await tiles(tab).count(), 60)
    await tab.getByRole('link', { name: 'Next page' }).click()
    await tab.getByRole('link', { name: 'Next page' }).click()
    assert.equal(await tiles(tab).count(), 10)
    await tab.getByRole('link', { name: 'First page' }).click()
    assert.equal(await tiles(tab).count(), 60)
    await tab.getByRole('link', { name: 'Videos' }).click()
    await tab.getByRole('heading', { name: 'No files yet' }).waitFor()
  })

  test('and the viewer keep to their sizes', async () => {
    await using site = await startGallery(70)
    const tab = await site.open()
    const keepsTo = async (most: number, path: string, by = tab) => {
      const scripts: string[] = []
      by.on('response', (response) => {
        if (response.url().endsWith('.js')) scripts.push(response.url())
      })
      // Nothing of the page before arrives late.
      await by.goto('about:blank')
      scripts.length = 0
      await by.goto(site.at(path), { waitUntil: 'networkidle' })
      const sum = scripts.reduce(
        (all, url) => all + gzipSync(readFileSync(fileOf(url)), { level: 9 }).length,
        0,
      )
      assert.ok(sum > 0 && sum <= most, `${path}: ${sum} bytes of script`)
    }
    await keepsTo(3_000, '/tags')
    await keepsTo(14_000, '/explore')
    const html = await tab.evaluate(
      `fetch('/explore').then((answer) => answer.text()).then((text) => text.length)`,
    )
    assert.ok(Number(html) <= 36_000, `${html} bytes of HTML`)
    await keepsTo(6_000, '/image/f1')
    await logInBrowser(tab.context(), site.app, site.tenant)
    await keepsTo(6_000, '/image/f1')
  })

  test('and the other pages keep their stylesheets within 10 KB', async () => {
    await using site = await startGallery(70)
    const tab = await site.open({ as: ada })
    const key = await keyOf(site.app, site.tenant, 'admin')
    const text = { url_key: 'imprint', title: 'Imprint', body: 'Text' }
    assert.equal((await ask5(site.app, site.tenant, 'POST pages', { key, body: text })).status, 201)
    const { id } = (await ask5(site.app, site.tenant, 'POST albums', { key, body: { title: 'Party' } })).json
    await onSiteOf(site.app, site.tenant, ({ db }) => db.updateTable('file').set({ albumId: id }).execute())
    const shares = await Promise.all(
      [true, false].map(async (allow_download) => {
        const body = { allow_upload: true, allow_download }
        return (await ask5(site.app, site.tenant, `POST albums/${id}/shares`, { key, body })).json.url
      }),
    )
    const paths = ['/explore', '/mine', '/image/f1', '/upload', '/settings', '/dashboard', '/_/docs']
    for (const path of [...paths, '/page/imprint', ...shares.map((url) => new URL(url).pathname)]) {
      await tab.goto(site.at(path), { waitUntil: 'networkidle' })
      const sheets: string[] = await tab.evaluate(
        `[...document.querySelectorAll('link[rel=stylesheet][href^="/_/assets/"]')].map(({ href }) => href)`,
      )
      const bytes = sheets.map((url) => gzipSync(readFileSync(fileOf(url)), { level: 9 }).length)
      const sum = bytes.reduce((all, each) => all + each, 0)
      assert.ok(sheets.length > 0 && sum <= 10_000, `${path}: ${sum} bytes`)
    }
  })
})

const fileOf = (url: string) =>
  new URL(`../../build/web/${new URL(url).pathname.split('/').at(-1)}`, import.meta.url)

const boxesOf = (tab: Page): Promise<[number, number, number][]> =>
  tab.evaluate(`[...document.querySelectorAll('.tile')].map((tile) => {
    const { x, y, width } = tile.getBoundingClientRect()
    return [x, y, width]
  })`)

/** Violations of the policy, and scripts that fail. */
async function watch(tab: Page): Promise<string[]> {
  const found: string[] = []
  tab.on('pageerror', (error) => found.push(error.message))
  tab.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML/i.test(message.text())) found.push(message.text())
  })
  return found
}

browsing.describe('lists', () => {
  test('run no text of a person, and show all of it as it is', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    await set(app, tenant, { listing: 'public' })
    const key = await keyOf(app, tenant, 'write')
    const texts = markupStrings.filter((text) => text.trim() === text && [...text].length <= 100).slice(0, 30)
    const tags = texts.map((text) => text.replaceAll(/[,/#]/g, '')).filter((text) => [...text].length <= 32)
    for (const title of texts)
      await ask5(app, tenant, 'POST albums', { key, body: { title, description: title } })
    const { id_encoded: id } = await uploaded(app, tenant, { fields: { title: texts[0] ?? '' } })
    await ask5(app, tenant, `PATCH files/${id}`, { key, body: { tags: [...new Set(tags)] } })
    const tab = await site.open()
    const violations = await watch(tab)
    tab.on('dialog', (dialog) => violations.push(dialog.message()))
    const scripts = `document.querySelectorAll('script:not([type$=json])').length`
    await tab.goto(site.at('/albums'))
    assert.deepEqual((await tab.locator('.card-title').allTextContents()).sort(), texts.toSorted())
    assert.equal(await tab.evaluate(scripts), 1)
    await tab.locator('.card a').first().click()
    assert.equal(await tab.getByRole('heading', { level: 1 }).textContent(), texts.at(-1))
    await tab.goto(site.at('/tags'))
    assert.deepEqual((await tab.locator('.chip [dir]').allTextContents()).sort(), [...new Set(tags)].sort())
    await tab.locator('a.chip').first().click()
    assert.equal(await tab.getByRole('img').getAttribute('alt'), texts[0])
    for (const text of someInQuick(texts, 8)) {
      await tab.goto(site.at(`/search?q=${encodeURIComponent(text)}`))
      assert.equal(await tab.getByRole('searchbox').inputValue(), text)
      assert.equal(await tab.evaluate(scripts), 1)
    }
    assert.deepEqual(violations, [])
  })
})

browsing.describe('the viewer of a member', () => {
  /** The newer of two pictures in a private album, as its owner sees it. The script of the page shows the button Zoom. */
  async function openNewer() {
    const site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const album = (
      await ask5(app, tenant, 'POST albums', { key, body: { title: 'Sea', privacy: 'private' } })
    ).json
    const file = await picture({ width: 900, height: 600, format: 'jpeg' })
    const fields = { album_id: album.id as string }
    await uploaded(app, tenant, { file, fields: { ...fields, title: 'Older' } })
    app.wait(2)
    const newer = await uploaded(app, tenant, { file, fields: { ...fields, title: 'Newer' } })
    const tab = await site.open({ as: ada, viewport: { width: 1280, height: 800 } })
    const violations = await watch(tab)
    const isLedByKeys = () => tab.getByRole('button', { name: 'Zoom' }).waitFor()
    await tab.goto(newer.url_viewer)
    await isLedByKeys()
    const likes = async () => (await ask5(app, tenant, `GET files/${newer.id_encoded}`, { key })).json.likes
    return {
      site,
      tab,
      newer,
      likes,
      violations,
      isLedByKeys,
      [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
    }
  }

  test('likes, zooms and leads on, by mouse and by keys', async () => {
    await using viewer = await openNewer()
    const { site, tab, newer, likes, violations, isLedByKeys } = viewer
    // A private album: a visitor sees that there is nothing.
    assert.equal((await (await site.open()).goto(newer.url_viewer))?.status(), 404)
    await tab.getByRole('link', { name: 'Sea' }).waitFor()
    const like = tab.getByRole('button', { name: 'Like' })
    await like.click()
    await tab.getByText('1 like', { exact: true }).waitFor()
    await until(async () => (await likes()) === 1, 'The like is stored')
    await tab.keyboard.press('l')
    await until(async () => (await likes()) === 0, 'The like is taken back')
    await until(async () => (await like.getAttribute('aria-pressed')) === 'false', 'The button says so')

    await tab.keyboard.press('z')
    const close = tab.getByRole('button', { name: 'Close zoom' })
    await close.waitFor()
    await tab.locator('.pswp__img').first().waitFor()
    await tab.keyboard.press('Escape')
    await close.waitFor({ state: 'detached' })

    await tab.keyboard.press('ArrowRight')
    await tab.getByRole('heading', { name: 'Older' }).waitFor()
    await isLedByKeys()
    await tab.keyboard.press('ArrowLeft')
    await tab.getByRole('heading', { name: 'Newer' }).waitFor()
    assert.deepEqual(violations, [])
  })

  test('edits by a key, and moves to the trash with Undo', async () => {
    await using viewer = await openNewer()
    const { tab, violations } = viewer
    await tab.keyboard.press('e')
    await tab.getByLabel('Title').fill('<b>Renamed</b>')
    await tab.getByLabel('Tags').fill('dusk, <i>sea')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: '<b>Renamed</b>' }).waitFor()
    assert.deepEqual(await tab.getByRole('list', { name: 'Tags' }).getByRole('listitem').allTextContents(), [
      '<i>sea',
      'dusk',
    ])
    await tab.locator('summary', { hasText: 'Edit' }).click()
    await tab.getByRole('button', { name: 'Move to trash' }).click()
    await tab.getByText('Moved to trash.').waitFor()
    await tab.getByRole('button', { name: 'Undo' }).click()
    await tab.getByRole('img', { name: '<b>Renamed</b>' }).waitFor()
    assert.deepEqual(violations, [])
  })

  test('likes without script', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const image = await uploaded(app, tenant, { fields: { title: 'First' } })
    const tab = await site.open({ as: ada, javaScriptEnabled: false })
    await tab.goto(image.url_viewer)
    await tab.getByRole('button', { name: 'Like' }).click()
    await tab.getByText('1 like', { exact: true }).waitFor()
    assert.equal(await tab.getByRole('button', { name: 'Zoom' }).count(), 0)
  })
})
