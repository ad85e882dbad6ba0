import assert from 'node:assert/strict'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { watchFaults } from '../support/browsers/browser-checks.ts'
import { ada, type BrowserSite, gridTakenOver, startBrowserSite } from '../support/browsers/browser-site.ts'
import { h264, moving, videoOf } from '../support/fixtures/videos.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { picture, set, uploaded } from '../support/uploads.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const browsing = await needing('chromium', 'video libraries')
browsing.describe('on a phone', () => {
  let site: BrowserSite
  const pages: string[] = []
  beforeAll(async () => {
    site = await startBrowserSite()
    const { app, tenant } = site
    await set(app, tenant, { listing: 'public' })
    const key = await keyOf(app, tenant, 'write')
    const album = (await ask5(app, tenant, 'POST albums', { key, body: { title: 'Sea', privacy: 'public' } }))
      .json
    const file = await picture({ width: 1200, height: 800, format: 'jpeg' })
    for (const title of ['First', 'Second', 'Third']) {
      const fields = { title, album_id: album.id as string }
      pages.push((await uploaded(app, tenant, { file, fields })).url_viewer)
      app.wait(2)
    }
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  test('a file over its list is swiped through, springs back at the end, zooms and closes', {
    timeout: 120_000,
  }, async () => {
    const tab = await site.open(phone)
    const faults = watchFaults(tab)
    const fingers = await tab.context().newCDPSession(tab)
    await tab.goto(site.at('/explore'), { waitUntil: 'networkidle' })
    await tab.locator('.tile a').first().tap()
    await opened(tab, 'Third')
    await swipe(fingers, [300, 200], [60, 210])
    await opened(tab, 'Second')
    await swipe(fingers, [300, 200], [60, 190])
    await opened(tab, 'First')
    assert.equal(await tab.getByRole('dialog').getByRole('link', { name: 'Next' }).count(), 0)
    await swipe(fingers, [300, 200], [60, 200])
    await until(
      async () =>
        (await tab.evaluate(`document.querySelector('.stage > :first-child').style.transform`)) === '',
      'The last one springs back',
    )
    await opened(tab, 'First')
    await swipe(fingers, [60, 200], [300, 200])
    await opened(tab, 'Second')
    // Too short for a swipe.
    await swipe(fingers, [200, 200], [170, 200], 40)
    await opened(tab, 'Second')

    await tapAt(fingers, 200, 150)
    await tapAt(fingers, 200, 150)
    await tab.getByRole('button', { name: 'Close zoom' }).waitFor()
    const zoomed = await tab.locator('.pswp__img').last().boundingBox()
    assert.ok(zoomed && zoomed.width > 600, `zoomed to ${zoomed?.width}`)
    await tab.getByRole('button', { name: 'Close zoom' }).tap()
    await tab.getByRole('button', { name: 'Close zoom' }).waitFor({ state: 'detached' })

    await swipe(fingers, [200, 150], [205, 450])
    await tab.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(new URL(tab.url()).pathname, '/explore')
    assert.deepEqual(faults, [])
  })

  test('the page of a file in an album leads on by a swipe', async () => {
    const tab = await site.open(phone)
    const fingers = await tab.context().newCDPSession(tab)
    await tab.goto(pages[1] ?? '')
    await tab.getByRole('button', { name: 'Zoom', exact: true }).waitFor()
    await swipe(fingers, [300, 200], [60, 200])
    await tab.waitForURL((url) => url.pathname !== new URL(pages[1] ?? '').pathname)
    const [next] = await tab.getByRole('heading', { level: 1 }).allTextContents()
    await tab.getByRole('button', { name: 'Zoom', exact: true }).waitFor()
    assert.ok(next === 'First' || next === 'Third')
    await swipe(fingers, [60, 200], [300, 200])
    await tab.getByRole('heading', { level: 1, name: 'Second' }).waitFor()
  })

  test('a file of a share is swiped through and closed over its list, and on its own page', {
    timeout: 120_000,
  }, async () => {
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const [album] = (await ask5(app, tenant, 'GET albums', { key })).json.data
    const share = (await ask5(app, tenant, `POST albums/${album.id}/shares`, { key, body: {} })).json
    const list = new URL(share.url).pathname
    const tab = await site.open(phone)
    const faults = watchFaults(tab)
    const fingers = await tab.context().newCDPSession(tab)
    await tab.goto(site.at(list), { waitUntil: 'networkidle' })
    await tab.getByRole('link', { name: 'Second' }).tap()
    await opened(tab, 'Second')
    assert.match(new URL(tab.url()).pathname, new RegExp(`^${list}/\\w+$`))
    await swipe(fingers, [300, 200], [60, 210])
    await tab
      .getByRole('dialog')
      .getByRole('heading', { level: 1, name: 'Second' })
      .waitFor({ state: 'detached' })
    const next = String(await tab.getByRole('dialog').getByRole('heading', { level: 1 }).textContent())
    assert.ok(next === 'First' || next === 'Third')
    await swipe(fingers, [60, 200], [300, 200])
    await opened(tab, 'Second')
    await swipe(fingers, [200, 150], [205, 450])
    await tab.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(new URL(tab.url()).pathname, list)
    await tab.getByRole('heading', { level: 1, name: 'Sea' }).waitFor()

    await tab.getByRole('link', { name: 'Second' }).tap()
    await opened(tab, 'Second')
    await tab.reload()
    const zooms = tab.getByRole('button', { name: 'Zoom', exact: true })
    const title = (name: string) => tab.getByRole('heading', { level: 1, name, exact: true }).waitFor()
    await zooms.waitFor()
    assert.equal(await tab.getByRole('dialog').count(), 0)
    await swipe(fingers, [300, 200], [60, 200])
    await title(next)
    await zooms.waitFor()
    await swipe(fingers, [60, 200], [300, 200])
    await title('Second')
    await zooms.waitFor()
    // Nothing lies below a page: a swipe down is the browser's.
    await swipe(fingers, [200, 150], [205, 450])
    await title('Second')
    assert.deepEqual(faults, [])
  })

  test('the bar below has the main pages, and guests reach albums and tags', async () => {
    const barOf = async (tab: Page) => {
      await tab.goto(site.at('/explore'))
      return tab.locator('.tab-bar').getByRole('link').allTextContents()
    }
    const member = await site.open({ ...phone, as: ada })
    assert.deepEqual(await barOf(member), ['Explore', 'Albums', 'Upload', 'Search', 'You'])
    await set(site.app, site.tenant, { enable_guest_page_uploads: '1' })
    const guest = await site.open(phone)
    assert.deepEqual(await barOf(guest), ['Explore', 'Albums', 'Upload', 'Search', 'My uploads'])
    await guest.getByRole('navigation', { name: 'Explore' }).getByRole('link', { name: 'Tags' }).tap()
    await guest.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
    await guest.getByRole('link', { name: 'Albums' }).tap()
    await guest.getByRole('link', { name: 'Sea', exact: true }).tap()
    await guest.waitForURL((url) => url.pathname.startsWith('/album/'))
  })

  test('our button for the full screen is not over the menu of the player', async () => {
    const { app, tenant } = site
    const video = await videoOf('walk.mp4', ...moving({ size: '480x854', seconds: 1 }), ...h264)
    const { url_viewer: url } = await uploaded(app, tenant, { file: video, fileName: 'walk.mp4' })
    const tab = await site.open(phone)
    await tab.goto(url)
    const button = tab.getByRole('button', { name: 'Full screen' })
    await button.waitFor()
    const [ours, player] = [await button.boundingBox(), await tab.locator('video').boundingBox()]
    assert.ok(ours && player && ours.y + ours.height < player.y + player.height - 100)
  })
})

browsing.describe('on a bad line', () => {
  test('a tile shows what the list knows of it at once, and the file when the line is back', {
    timeout: 120_000,
  }, async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const file = await picture({ width: 1200, height: 800, format: 'jpeg' })
    for (const title of ['Older', 'Newer']) {
      await uploaded(app, tenant, { file, fields: { title } })
      app.wait(2)
    }
    const tab = await site.open({ as: ada, viewport: { width: 1280, height: 800 } })
    await tab.goto(site.at('/mine'))
    await gridTakenOver(tab)
    await tab.getByRole('img', { name: 'Newer' }).waitFor()
    // In the same task as the click: no frame shows the list without it.
    const isShown = await tab.evaluate(`(() => {
      const link = [...document.querySelectorAll('.tile a')].find((each) => each.querySelector('img')?.alt === 'Newer')
      link.click()
      const image = document.querySelector('dialog.lightbox img')
      const { width, height } = image.getBoundingClientRect()
      return image.alt === 'Newer' && image.src !== '' && width > 600 && height > 400
    })()`)
    assert.equal(isShown, true)
    await opened(tab, 'Newer')
    await tab.goBack()
    await tab.getByRole('dialog').waitFor({ state: 'detached' })

    await tab.context().setOffline(true)
    await tab.getByRole('link', { name: 'Older' }).click()
    const note = tab.getByText("You're offline. We'll go on when you're back.")
    await note.waitFor()
    // Back is the list, with all of its files.
    await tab.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await tab.getByRole('link', { name: 'Newer' }).click()
    await note.waitFor()
    await tab.context().setOffline(false)
    await opened(tab, 'Newer')
    assert.equal(await note.count(), 0)
    await tab.context().setOffline(true)
    await tab.keyboard.press('ArrowRight')
    await note.waitFor()
    await tab.context().setOffline(false)
    await opened(tab, 'Older')
  })

  test('a tile shows its placeholder while the page of the file is still on its way', async () => {
    await using site = await startBrowserSite()
    const file = await picture({ width: 1200, height: 800, format: 'jpeg' })
    await uploaded(site.app, site.tenant, { file, fields: { title: 'Dawn' } })
    const tab = await site.open({ ...phone, as: ada })
    await tab.goto(site.at('/mine'))
    await gridTakenOver(tab)
    const { promise: line, resolve: answer } = Promise.withResolvers<void>()
    const asked: string[] = []
    await tab.route(/\/image\//, async (route) => {
      asked.push(route.request().url())
      await line
      await route.continue()
    })
    const network = await tab.context().newCDPSession(tab)
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 400,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    })
    await tab.getByRole('link', { name: 'Dawn' }).tap()
    const shown = tab.getByRole('dialog').getByRole('img', { name: 'Dawn' })
    await shown.waitFor()
    assert.ok(((await shown.boundingBox())?.width ?? 0) > 300)
    await until(() => asked.length === 1, 'The page is asked for')
    assert.equal(await tab.getByRole('heading', { level: 1, name: 'Dawn' }).count(), 0)
    answer()
    await opened(tab, 'Dawn')
  })

  test('the first file of a visit waits for the line too', async () => {
    await using site = await startBrowserSite()
    await uploaded(site.app, site.tenant, { fields: { title: 'Dusk' } })
    const tab = await site.open({ as: ada })
    await tab.goto(site.at('/mine'))
    await gridTakenOver(tab)
    await tab.context().setOffline(true)
    await tab.getByRole('link', { name: 'Dusk' }).click()
    await tab.getByText("You're offline. We'll go on when you're back.").waitFor()
    await tab.context().setOffline(false)
    await tab.getByRole('heading', { level: 1, name: 'Dusk' }).waitFor()
  })
})

const opened = (tab: Page, name: string) =>
  tab.getByRole('dialog').getByRole('heading', { level: 1, name, exact: true }).waitFor()

type Point = readonly [x: number, y: number]

/** One finger from here to there, in steps, as a screen reports it. */
async function swipe(
  fingers: CDPSession,
  [fromX, fromY]: Point,
  [toX, toY]: Point,
  stepMs = 10,
): Promise<void> {
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    fingers.send('Input.dispatchTouchEvent', { type, touchPoints })
  await touch('touchStart', [{ x: fromX, y: fromY }])
  for (let step = 1; step <= 8; step += 1) {
    const part = step / 8
    await touch('touchMove', [{ x: fromX + (toX - fromX) * part, y: fromY + (toY - fromY) * part }])
    await new Promise((resolve) => setTimeout(resolve, stepMs))
  }
  await touch('touchEnd', [])
}

async function tapAt(fingers: CDPSession, x: number, y: number): Promise<void> {
  await fingers.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  await fingers.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}
