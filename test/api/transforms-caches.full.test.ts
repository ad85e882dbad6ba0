import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { test } from 'vitest'
import { startBrowser } from '../support/browsers/browser.ts'
import { ask } from '../support/delivered.ts'
import { freePort, startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { askProxy, behind, startCachingNginx } from '../support/servers/proxies.ts'
import { until } from '../support/until.ts'
import { picture, uploaded } from '../support/uploads.ts'

const run = promisify(execFile)

/** What clients send, and the formats that they read. */
const readers = {
  modern: {
    accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
    reads: /avif|webp|jpeg/,
  },
  'Safari 17': {
    accept: 'image/webp,image/avif,image/heic,image/png,image/*;q=0.8,*/*;q=0.5',
    reads: /avif|webp|jpeg/,
  },
  'Safari 14': { accept: 'image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5', reads: /webp|jpeg/ },
  'Safari 13': { accept: 'image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5', reads: /jpeg/ },
  curl: { accept: '*/*', reads: /jpeg/ },
  silent: { accept: undefined, reads: /jpeg/ },
} as const
const names = Object.keys(readers) as (keyof typeof readers)[]

/** Every reader first once, so that each format is in the cache first. */
const orders = names.map((_, first) => [...names.slice(first), ...names.slice(0, first)])

const cached = await needing('nginx', 'chromium', 'curl')
cached.describe('a cache of nginx in front, keyed by Vary', () => {
  test('gives nobody a format that they cannot read, before and after AVIF is made', async () => {
    const port = await freePort()
    await using app = await startTestApp({ environment: behind(port) })
    const cats = await app.tenant('cats')
    await using proxy = await startCachingNginx(app, port)
    const { url } = await uploaded(app, cats, { file: await picture({ width: 700, height: 500 }) })
    const { pathname } = new URL(url)
    let states: string[] = []
    /** Each number is an address of its own to the cache, and the same picture to Terrace. */
    const askInTurn = async (number: number, order: readonly (keyof typeof readers)[]) => {
      const formats = new Map<string, string | undefined>()
      for (const name of [...order, ...order]) {
        const { accept, reads } = readers[name]
        const path = `${pathname}?width=320&n=${number}`
        const { status, headers, bytes } = await askProxy(proxy, path, { headers: accept ? { accept } : {} })
        const { format = '' } = await sharp(bytes).metadata()
        const type = format === 'heif' ? 'avif' : format
        assert.deepEqual([status, headers['content-type']], [200, `image/${type}`], name)
        assert.match(type, reads, `${name} after ${order.join()}`)
        assert.equal(headers.vary, 'Accept')
        formats.set(name, type)
        states.push(String(headers['x-cache']))
      }
      return formats
    }
    for (const [number, order] of orders.entries()) await askInTurn(number, order)
    const isAvif = async () =>
      (await ask(app, `${url}?width=320`, { accept: 'image/avif' })).headers['content-type'] === 'image/avif'
    await until(isAvif, 'AVIF is made')
    states = []
    for (const [number, order] of orders.entries()) {
      const formats = await askInTurn(number + 100, order)
      assert.deepEqual(
        [formats.get('modern'), formats.get('Safari 14'), formats.get('curl')],
        ['avif', 'webp', 'jpeg'],
      )
    }
    const hits = states.filter((state) => state === 'HIT').length
    assert.equal(hits, states.length / 2, 'the second answer to each reader is from the cache')

    await using browser = await startBrowser()
    const page = await browser.newPage()
    await page.goto(`http://cats.test:${port}/`)
    const address = `${pathname}?width=320&n=shown`
    const shown = page.waitForResponse((response) => response.url().endsWith(address))
    const width = await page.evaluate(`(async () => {
      const image = new Image()
      image.src = ${JSON.stringify(address)}
      await image.decode()
      return image.naturalWidth
    })()`)
    const response = await shown
    const { accept = '' } = await response.request().allHeaders()
    assert.match(accept, /\bimage\/avif,image\/webp\b/)
    assert.deepEqual([width, response.headers()['content-type']], [320, 'image/avif'])
    // The real curl, after the browser has put AVIF into the cache.
    const { stdout } = await run(
      'curl',
      ['-s', '-H', 'Host: cats.test', `http://127.0.0.1:${port}${address}`],
      {
        encoding: 'buffer',
      },
    )
    assert.equal((await sharp(stdout).metadata()).format, 'jpeg')
  }, 300_000)
})
