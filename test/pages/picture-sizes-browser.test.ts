import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { ada, type BrowserSite, faultsOf, startBrowserSite } from '../support/browsers/browser-site.ts'
import { heicGrid } from '../support/fixtures/imaging-heic.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { limit, noise, picture, set, uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')

const ratios = [1, 2, 3] as const
const phone = { width: 390, height: 844 }

interface Loaded {
  path: string
  /** That the address asks for; undefined for a stored picture. */
  width: number | undefined
  query: string
  mime: string
  status: number
}

/** Pictures that a tab loads, in the order of their answers. */
function logPictures(tab: Page): Loaded[] {
  const loaded: Loaded[] = []
  tab.on('response', (response) => {
    const { pathname, searchParams, search } = new URL(response.url())
    if (!pathname.startsWith('/images/')) return
    const width = searchParams.get('width')
    loaded.push({
      path: pathname,
      width: width === null ? undefined : Number(width),
      query: search,
      mime: response.headers()['content-type'] ?? '',
      status: response.status(),
    })
  })
  return loaded
}

const shiftOf = (tab: Page): Promise<number> =>
  tab.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve([]), 100)
  }).then((entries) => entries.reduce((sum, { value }) => sum + value, 0))`)

const areDrawn = (tab: Page, selector: string): Promise<boolean> =>
  tab.evaluate(
    `[...document.querySelectorAll('${selector}')].every((image) => image.complete && image.naturalWidth > 0)`,
  )

/** Pixels of the screen that the first of these pictures covers. */
const coveredBy = (tab: Page, selector: string): Promise<number> =>
  tab.evaluate(`document.querySelector('${selector}').getBoundingClientRect().width * devicePixelRatio`)

const ladder = [320, 500, 640, 960, 1280, 1920, 2560]

/** Enough pixels, as browsers see it: they take the lower of two widths up to their geometric mean. */
function assertFits(width: number | undefined, needed: number, about: string): void {
  const at = ladder.indexOf(width ?? 0)
  assert.ok(at >= 0, `${about}: ${width}`)
  const [lower = 0, higher = Number.POSITIVE_INFINITY] = [ladder[at - 1], ladder[at + 1]]
  const enough = Math.sqrt((width ?? 0) * higher)
  assert.ok(lower < needed && needed <= enough, `${about}: ${width} for ${needed}`)
}

async function open(site: BrowserSite, path: string, dpr: number, options: { as?: typeof ada } = {}) {
  const tab = await site.open({ viewport: phone, deviceScaleFactor: dpr, ...options })
  const loaded = logPictures(tab)
  const faults = faultsOf(tab)
  await tab.goto(site.at(path), { waitUntil: 'networkidle' })
  return { tab, loaded, faults }
}

browsing.describe('pictures in the size of the screen', () => {
  test('the viewer on a phone loads one picture, in the width and format that it needs', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const file = await picture({ width: 4_000, height: 3_000, format: 'jpeg' })
    const image = await uploaded(app, tenant, { file })
    const [page, path] = [image.url_viewer, image.url].map((url) => new URL(url).pathname)
    for (const dpr of ratios) {
      const { tab, loaded, faults } = await open(site, page ?? '', dpr)
      assert.deepEqual(
        loaded.map((each) => [each.path, each.status, each.mime]),
        [[path, 200, 'image/webp']],
      )
      assertFits(loaded[0]?.width, await coveredBy(tab, '.stage img'), `at ${dpr}`)
      assert.ok(await areDrawn(tab, '.stage img'))
      assert.equal(await shiftOf(tab), 0)
      assert.deepEqual(faults, [])
      await tab.close()
    }
    // The smaller format was made meanwhile.
    await until(async () => {
      const { tab, loaded } = await open(site, page ?? '', 1)
      await tab.close()
      return loaded[0]?.mime === 'image/avif'
    }, 'the viewer gets AVIF once it is made')
  })

  test('grids load for each tile what its place needs, written by the server and by the script', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    await set(app, tenant, { listing: 'public' })
    const sizes = [
      [3_000, 2_000],
      [2_000, 3_000],
      [2_000, 2_000],
      [4_000, 1_200],
    ] as const
    for (const [seed, [width, height]] of sizes.entries())
      await uploaded(app, tenant, { file: await picture({ width, height, seed, format: 'jpeg' }) })
    const pages = [
      { path: '/explore', as: undefined },
      { path: '/mine', as: ada },
    ]
    for (const { path, as } of pages) {
      for (const dpr of ratios) {
        const { tab, loaded, faults } = await open(site, path, dpr, as && { as })
        await until(() => areDrawn(tab, '.tile img'), 'all tiles are drawn')
        assert.equal(loaded.length, sizes.length, `${path}: ${JSON.stringify(loaded)}`)
        for (const [index, each] of loaded.entries()) {
          const selector = `.tile img[srcset*="${each.path}"]`
          const needed = await coveredBy(tab, selector)
          const about = `${path} at ${dpr}, ${index}: ${each.width} for ${needed}`
          assert.ok(each.width && needed / each.width < 1.45, about)
          assert.ok(each.width <= 2.6 * needed, about)
          assert.match(each.mime, /^image\/(webp|avif)$/)
        }
        assert.equal(await shiftOf(tab), 0)
        assert.deepEqual(faults, [])
        await tab.close()
      }
    }
  })

  test('HEIC and TIFF are seen in viewer, zoom and grid', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    await set(app, tenant, { listing: 'public' })
    const files = [heicGrid(12, 9), await picture({ width: 900, height: 700, format: 'tiff' })]
    for (const file of files) {
      const image = await uploaded(app, tenant, { file })
      const { tab, loaded } = await open(site, new URL(image.url_viewer).pathname, 3)
      assert.ok(await areDrawn(tab, '.stage img'), image.url)
      await tab.getByRole('button', { name: 'Zoom', exact: true }).click()
      await tab.locator('.pswp__img:not(.pswp__img--placeholder)').waitFor()
      await until(() => areDrawn(tab, '.pswp__img'), 'the zoom shows the picture')
      assert.ok(loaded.every(({ width, mime }) => width !== undefined && /webp|avif/.test(mime)))
      await tab.close()
    }
    const { tab } = await open(site, '/explore', 2)
    assert.equal(await tab.locator('.tile img').count(), files.length)
    await until(() => areDrawn(tab, '.tile img'), 'the tiles are drawn')
  })

  test('a protected album and a share without downloads load signed addresses', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const body = { title: 'Private', privacy: 'private' }
    const album = (await ask5(app, tenant, 'POST albums', { key, body })).json
    const fields = { album_id: album.id }
    const image = await uploaded(app, tenant, { file: await picture({ width: 900, height: 600 }), fields })
    const pages = [`/album/${album.id}`, new URL(image.url_viewer).pathname]
    for (const path of pages) {
      const { tab, loaded } = await open(site, path, 1, { as: ada })
      await until(() => areDrawn(tab, '.tile img, .stage img'), 'it is drawn')
      assert.equal(loaded.length, 1)
      assert.match(loaded[0]?.query ?? '', /^\?width=\d+&e=\d+&s=[0-9a-f]{32}$/)
      assert.equal(loaded[0]?.status, 200)
      await tab.close()
    }
    const share = await ask5(app, tenant, `POST albums/${album.id}/shares`, {
      key,
      body: { allow_download: false },
    })
    const token = new URL(share.json.url).pathname
    for (const path of [token, `${token}/${image.id_encoded}`]) {
      const { tab, loaded } = await open(site, path, 3)
      await until(() => areDrawn(tab, '.tile img, .stage img'), 'it is drawn')
      assert.deepEqual(
        loaded.map(({ status, width }) => [status, width]),
        [[200, 640]],
      )
      assert.match(loaded[0]?.query ?? '', /&e=\d+&sh=\w+&s=[0-9a-f]{32}$/)
      const text = await tab.content()
      assert.doesNotMatch(text, /width=(?:960|1280)/)
      assert.ok(!text.includes(`${new URL(image.url).pathname}?e=`))
      await tab.close()
    }
  })

  test('where no other sizes are made, pages load the stored versions', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    await set(app, tenant, { listing: 'public' })
    await limit(app, tenant, { SERVICE_ENABLE_TRANSFORMS: '0' })
    const image = await uploaded(app, tenant, { file: await noise(1_600, 1_200) })
    const medium = new URL(image.medium.url).pathname
    for (const [path, dpr, shown] of [
      [new URL(image.url_viewer).pathname, 1, medium],
      [new URL(image.url_viewer).pathname, 3, new URL(image.url).pathname],
      ['/explore', 3, medium],
    ] as const) {
      const { tab, loaded } = await open(site, path, dpr)
      await until(() => areDrawn(tab, '.tile img, .stage img'), 'it is drawn')
      assert.deepEqual(
        loaded.map((each) => [each.path, each.query]),
        [[shown, '']],
      )
      await tab.close()
    }
  })
})
