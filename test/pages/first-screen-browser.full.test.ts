import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { ada, type BrowserSite, faultsOf, startBrowserSite } from '../support/browsers/browser-site.ts'
import { h264, moving, videoOf } from '../support/fixtures/videos.ts'
import { needing } from '../support/needs.ts'
import { picture, uploaded } from '../support/uploads.ts'

const pictures = ['1x1', '60x60', '20x6000', '6000x20', '400x20000', '3000x2000', '900x1600']
const screens = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

const browsing = await needing('chromium', 'video libraries')
browsing.describe('the first screen of a file', () => {
  let site: BrowserSite
  const pages = new Map<string, string>()
  beforeAll(async () => {
    site = await startBrowserSite()
    const { app, tenant } = site
    for (const title of pictures) {
      const [width = 0, height = 0] = title.split('x').map(Number)
      const file = await picture({ width, height })
      pages.set(title, (await uploaded(app, tenant, { file, fields: { title } })).url_viewer)
    }
    const video = await videoOf('walk.mp4', ...moving({ size: '480x854', seconds: 1 }), ...h264)
    const sending = { file: video, fileName: 'walk.mp4', fields: { title: 'A walk' } }
    pages.set('A walk', (await uploaded(app, tenant, sending)).url_viewer)
    const long = { title: 'Winter '.repeat(14) }
    pages.set('a long title', (await uploaded(app, tenant, { fields: long })).url_viewer)
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  test.for(screens)(
    'has what people come for at $width × $height',
    { timeout: 300_000 },
    async (viewport) => {
      for (const as of [ada, undefined]) {
        const tab = await site.open({ viewport, ...(as && { as }) })
        const faults = faultsOf(tab)
        await tab.addInitScript(`window.shift = 0
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.shift += value
}).observe({ type: 'layout-shift', buffered: true })`)
        for (const [title, url] of pages) {
          await tab.goto(url, { waitUntil: 'load' })
          const what = `${title} for ${as ? 'its owner' : 'a guest'}`
          for (const part of partsOf(tab)) {
            await part.waitFor()
            assert.deepEqual(await beyondScreen(tab, part), [], `${what}: ${part}`)
          }
          assert.ok(Number(await tab.evaluate('window.shift')) <= 0.01, `${what} stays where it is`)
        }
        assert.deepEqual(faults, [])
      }
    },
  )

  test('shows a small picture in its size, and a long one whole', async () => {
    const tab = await site.open({ viewport: { width: 1280, height: 800 } })
    const boxOf = async (title: string) => {
      await tab.goto(pages.get(title) ?? '', { waitUntil: 'load' })
      const box = await tab.getByRole('img', { name: title }).boundingBox()
      return [box?.width, box?.height]
    }
    assert.deepEqual(await boxOf('1x1'), [1, 1])
    assert.deepEqual(await boxOf('60x60'), [60, 60])
    for (const title of ['20x6000', '400x20000', '6000x20']) {
      await boxOf(title)
      const fit = await tab.evaluate(`getComputedStyle(document.querySelector('.stage img')).objectFit`)
      assert.equal(fit, 'contain', title)
    }
    // Its shape is that of the file, where it is not much longer than the window.
    const [width = 0, height = 0] = await boxOf('3000x2000')
    assert.ok(width > 800 && height > 550, `${width} × ${height}`)
    const side = await tab.getByRole('heading', { name: 'Details' }).boundingBox()
    assert.ok(side && side.x > 960 && side.y < 200, 'the details are beside the picture')
  })

  test('zooms a long picture to a width that can be read', async () => {
    const tab = await site.open({ viewport: { width: 390, height: 844 } })
    for (const [title, least] of [
      ['400x20000', 390],
      ['20x6000', 20],
    ] as const) {
      await tab.goto(pages.get(title) ?? '')
      await tab.getByRole('button', { name: 'Zoom', exact: true }).waitFor()
      await tab.getByRole('link', { name: title }).click()
      await tab.getByRole('button', { name: 'Close zoom' }).waitFor()
      const box = await tab.locator('.pswp__img').last().boundingBox()
      assert.ok(box && Math.round(box.width) >= least, `${title} is ${box?.width} wide`)
    }
  })
})

const partsOf = (tab: Page): Locator[] => [
  tab.locator('.stage').locator('img, video').first(),
  tab.getByRole('heading', { level: 1 }),
  tab.getByRole('button', { name: 'Copy link', exact: true }),
  tab.locator('.actions').getByRole('link', { name: 'Share', exact: true }),
  tab.getByRole('button', { name: 'Like', exact: true }),
  tab.getByRole('link', { name: 'Download', exact: true }),
]

/** What of an element is outside of the window, or behind the bar below. */
async function beyondScreen(tab: Page, part: Locator): Promise<string[]> {
  const box = await part.boundingBox()
  const screen = tab.viewportSize()
  if (!box || !screen) return ['not shown']
  const bar = (await tab.locator('.tab-bar').count()) > 0 && (await tab.locator('.tab-bar').boundingBox())
  const [right, bottom] = [box.x + box.width, box.y + box.height]
  const end = bar ? bar.y : screen.height
  const sides = { left: box.x < 0, top: box.y < 0, right: right > screen.width, bottom: bottom > end }
  return Object.entries(sides).flatMap(([side, isBeyond]) => (isBeyond ? [`${side} of ${bottom}`] : []))
}
