import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import {
  ada,
  type BrowserSite,
  gridTakenOver,
  startBrowserSite,
} from '../../support/browsers/browser-site.ts'
import { manyFiles } from '../../support/fixtures/many-files.ts'
import { needing } from '../../support/needs.ts'
import { until } from '../../support/until.ts'
import { picture, set, uploaded } from '../../support/uploads.ts'

const browsing = await needing('chromium')

/** Violations of the policy, and scripts that fail. */
function watch(tab: Page): string[] {
  const found: string[] = []
  tab.on('pageerror', (error) => found.push(error.message))
  tab.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML/i.test(message.text())) found.push(message.text())
  })
  return found
}

async function startGallery(files: number): Promise<BrowserSite> {
  const site = await startBrowserSite()
  await set(site.app, site.tenant, { listing: 'public' })
  await manyFiles(site.app, site.tenant, files)
  return site
}

const dialog = (tab: Page) => tab.getByRole('dialog')
const title = (tab: Page, name: string) =>
  dialog(tab).getByRole('heading', { level: 1, name, exact: true }).waitFor()

browsing.describe('a file over its list', () => {
  test('is opened, led through in the order of the grid, and closed by Back', {
    timeout: 300_000,
  }, async () => {
    await using site = await startGallery(600)
    const tab = await site.open({ viewport: { width: 1280, height: 800 } })
    const violations = watch(tab)
    await tab.goto(site.at('/explore'))
    await gridTakenOver(tab)
    await tab.evaluate('scrollTo(0, 6_000)')
    let middle = ''
    await until(async () => {
      middle = String(
        await tab.evaluate(`[...document.querySelectorAll('.tile a[data-id]')].find((link) => {
          const { top, bottom } = link.getBoundingClientRect()
          return top > 200 && bottom < innerHeight - 100
        })?.dataset.id ?? ''`),
      )
      return middle !== ''
    }, 'The files there are read')
    const top = await tab.evaluate('scrollY')
    const number = Number(middle.slice(1))
    const position = Number(
      await tab.locator('.tile', { has: tab.locator(`[data-id=${middle}]`) }).getAttribute('aria-posinset'),
    )
    const next = await tab.locator(`.tile[aria-posinset="${position + 1}"] a`).getAttribute('data-id')
    await tab.locator(`[data-id=${middle}]`).click()
    await title(tab, `File ${number}`)
    assert.match(tab.url(), new RegExp(`/image/[^?]*${middle}$`))
    assert.equal(await tab.title(), `File ${number} - ${site.tenant.hostname}`)
    await tab.keyboard.press('ArrowRight')
    await title(tab, `File ${next?.slice(1)}`)
    await dialog(tab).getByRole('link', { name: 'Previous' }).click()
    await title(tab, `File ${number}`)
    assert.equal(await tab.evaluate('scrollY'), top)

    await tab.keyboard.press('Escape')
    await dialog(tab).waitFor({ state: 'detached' })
    assert.equal(new URL(tab.url()).pathname, '/explore')
    assert.equal(await tab.evaluate('scrollY'), top)
    assert.equal(await tab.evaluate('document.activeElement.dataset.id'), middle)

    await tab.keyboard.press('Enter')
    await title(tab, `File ${number}`)
    await tab.goBack()
    await dialog(tab).waitFor({ state: 'detached' })
    await tab.goForward()
    await title(tab, `File ${number}`)
    // The address is that of the page itself.
    await tab.reload()
    await tab
      .getByRole('main')
      .getByRole('heading', { level: 1, name: `File ${number}` })
      .waitFor()
    assert.equal(await dialog(tab).count(), 0)
    await tab.goBack()
    await tab.locator(`[data-id=${middle}]`).waitFor()
    await until(async () => (await tab.evaluate('scrollY')) === top, 'The grid is where it was')
    assert.deepEqual(violations, [])
  })

  test('likes, copies and zooms as on its page, in a short list too', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const file = await picture({ width: 900, height: 600, format: 'jpeg' })
    await uploaded(app, tenant, { file, fields: { title: 'Older' } })
    app.wait(2)
    await uploaded(app, tenant, { file, fields: { title: 'Newer' } })
    const tab = await site.open({ as: ada, viewport: { width: 390, height: 800 } })
    const violations = watch(tab)
    await tab.goto(site.at('/mine'))
    await gridTakenOver(tab)
    await tab.getByRole('link', { name: 'Newer' }).click()
    await title(tab, 'Newer')
    await tab.keyboard.press('l')
    await tab.getByText('1 like', { exact: true }).waitFor()
    await tab.keyboard.press('c')
    await tab
      .getByRole('status')
      .getByText(/copied|copy/i)
      .waitFor()
    await tab.keyboard.press('z')
    const zoom = tab.getByRole('button', { name: 'Close zoom' })
    await zoom.waitFor()
    await tab.keyboard.press('Escape')
    await zoom.waitFor({ state: 'detached' })
    assert.equal(await dialog(tab).count(), 1)
    await tab.keyboard.press('ArrowRight')
    await title(tab, 'Older')
    assert.equal(await dialog(tab).getByRole('link', { name: 'Next' }).count(), 0)
    await dialog(tab).getByRole('button', { name: 'Close', exact: true }).click()
    await dialog(tab).waitFor({ state: 'detached' })
    // Another click than a plain one is the browser's.
    const opened = tab.context().waitForEvent('page')
    await tab.getByRole('link', { name: 'Newer' }).click({ button: 'middle' })
    await (await opened).close()
    assert.equal(await dialog(tab).count(), 0)

    await tab.getByRole('link', { name: 'Older' }).click()
    await title(tab, 'Older')
    await tab.keyboard.press('Delete')
    await tab.getByText('Moved to trash.').waitFor()
    assert.deepEqual(violations, [])
  })
})

browsing.describe('a placeholder', () => {
  test('is drawn in grid and viewer until the picture is there', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    await set(app, tenant, { listing: 'public' })
    const file = await picture({ width: 900, height: 600, format: 'jpeg' })
    const image = await uploaded(app, tenant, { file, fields: { title: 'Dusk' } })
    const tab = await site.open({ viewport: { width: 1280, height: 800 } })
    const violations = watch(tab)
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    await tab.route(/\/images\//, async (route) => {
      await isReleased
      await route.continue()
    })
    const drawn = () =>
      tab.evaluate(`(() => {
        const image = document.querySelector('img[alt="Dusk"]')
        const { width, height } = image.getBoundingClientRect()
        return [image.style.backgroundImage.slice(0, 19), Math.round(width), Math.round(height)]
      })()`)
    await tab.goto(site.at('/explore'), { waitUntil: 'domcontentloaded' })
    await until(
      async () => String(await drawn()).startsWith('url("data:image/png'),
      'It is drawn in the grid',
    )
    await tab.goto(image.url_viewer, { waitUntil: 'domcontentloaded' })
    await until(
      async () => String(await drawn()).startsWith('url("data:image/png'),
      'It is drawn in the viewer',
    )
    const before = String(await drawn())
      .split(',')
      .slice(-2)
    release()
    await until(async () => String(await drawn()).startsWith(','), 'It goes when the picture is there')
    assert.deepEqual(
      String(await drawn())
        .split(',')
        .slice(-2),
      before,
    )
    assert.deepEqual(violations, [])
  })
})

browsing.describe('a page that comes back', () => {
  test('is read anew when its session has ended', async () => {
    await using site = await startBrowserSite()
    const tab = await site.open({ as: ada })
    await tab.goto(site.at('/settings'))
    const mark = `document.body.dataset.session`
    assert.match(String(await tab.evaluate(mark)), /^[\w-]{12}$/)
    // Browsers under a debugger keep no pages in memory, so the event is made by hand.
    const comeBack = `dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`
    await tab.evaluate(`window.isKept = true; ${comeBack}`)
    assert.equal(await tab.evaluate('window.isKept'), true)
    const other = await tab.context().newPage()
    await other.goto(site.at('/settings'))
    await tab.evaluate(comeBack)
    assert.equal(await tab.evaluate('window.isKept'), true)
    await tab.context().clearCookies()
    await other.goto(site.at('/'))
    await tab.evaluate(comeBack)
    await tab.waitForURL(/\/login/)
  })
})
