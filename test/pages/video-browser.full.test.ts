import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { startBrowser } from '../support/browsers/browser.ts'
import { ask } from '../support/delivered.ts'
import { h264, moving, sound, videoOf } from '../support/fixtures/videos.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { storedBytes, uploaded } from '../support/uploads.ts'

const minutes = { timeout: 180_000 }

const videos = [
  { name: 'H.264 in MP4', file: 'play.mp4', words: [...h264, '-c:a', 'aac', '-g', '10'] },
  { name: 'H.264 in MOV', file: 'play.mov', words: [...h264, '-c:a', 'aac', '-g', '10'] },
  {
    name: 'VP9 in WebM',
    file: 'play.webm',
    words: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus', '-g', '10'],
  },
]

const browsing = await needing('video libraries', 'chromium')
browsing.describe('in a browser', () => {
  for (const { name, file: fileName, words } of videos) {
    test(`${name} plays, and is wound by asking for a part`, minutes, async () => {
      await using app = await startTestApp()
      await using browser = await startBrowser()
      // Of so many bytes that nobody loads all of them in advance.
      const size = { size: '480x270', seconds: 30 }
      const noise = ['-vf', 'noise=alls=60:allf=t', '-b:v', '4M']
      const source = [...moving(size), ...sound(30)]
      const file = await videoOf(fileName, ...source, ...noise, ...words)
      const cats = await app.tenant('cats')
      const image = await uploaded(app, cats, { file, fileName })
      const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } })
      const faults = faultsOf(tab)
      const ranges: string[] = []
      tab.on('request', (request) => {
        if (request.url() === image.url) ranges.push(request.headers().range ?? 'whole')
      })
      await tab.goto(image.url_viewer)
      const state = () =>
        tab.evaluate(`(() => {
        const { currentTime, duration, videoWidth, videoHeight, readyState, error, poster } = document.querySelector('video')
        return { currentTime, duration, videoWidth, videoHeight, readyState, error: error?.message, poster }
      })()`) as Promise<{
          currentTime: number
          duration: number
          videoWidth: number
          videoHeight: number
          poster: string
        }>
      await comes(tab, 'readyState >= 1')
      const shown = await state()
      assert.deepEqual(
        [Math.round(shown.duration), shown.videoWidth, shown.videoHeight, shown.poster],
        [30, 480, 270, image.url_frame],
      )
      assert.deepEqual([image.duration, image.width, image.height], [30, 480, 270])

      // By keyboard alone: the skip link, the name of the site, the log-in, the video.
      for (let presses = 0; presses < 4; presses += 1) await tab.keyboard.press('Tab')
      assert.equal(await tab.evaluate('document.activeElement.tagName'), 'VIDEO')
      await tab.evaluate('document.querySelector("video").muted = true')
      await tab.keyboard.press('Space')
      await comes(tab, 'currentTime > 0.3')
      ranges.length = 0
      await tab.evaluate('document.querySelector("video").currentTime = 25')
      await comes(tab, 'currentTime > 25.3')
      assert.ok(
        ranges.some((range) => Number(/^bytes=(\d+)-/.exec(range)?.[1]) > image.size / 3),
        ranges.join(),
      )
      assert.deepEqual(faults, [])

      const stored = (await storedBytes(app, cats, image.url)) ?? Buffer.alloc(0)
      const part = await ask(app, image.url, { range: 'bytes=-1000' })
      assert.deepEqual([part.status, part.bytes], [206, stored.subarray(-1000)])
    })
  }

  test('a video opened by itself plays, and nothing else happens there', minutes, async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const file = await videoOf('alone.mp4', ...moving({ seconds: 3 }), ...h264)
    const image = await uploaded(app, await app.tenant('cats'), { file })
    const tab = await browser.newPage()
    await tab.goto(image.url)
    await comes(tab, 'readyState >= 2')
  })

  test(
    'the page fits every window, and a sensitive video is not loaded before the visitor asks',
    minutes,
    async () => {
      await using app = await startTestApp()
      await using browser = await startBrowser()
      const cats = await app.tenant('cats')
      for (const size of ['1920x1080', '360x640', '64x64']) {
        const file = await videoOf(`fits${size}.mp4`, ...moving({ size, seconds: 1 }), ...h264)
        const image = await uploaded(app, cats, { file })
        const tab = await browser.newPage()
        for (const width of [320, 390, 768, 1280]) {
          await tab.setViewportSize({ width, height: 800 })
          await tab.goto(image.url_viewer)
          assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), width, size)
          const height = await tab.evaluate('document.querySelector("video").clientHeight')
          assert.ok(Number(height) <= 640 && Number(height) > 50, `${size} is ${height} high in ${width}`)
        }
      }
      const file = await videoOf('unsafe.mp4', ...moving({ seconds: 1 }), ...h264)
      const image = await uploaded(app, cats, { file, fields: { nsfw: '1' } })
      const tab = await browser.newPage()
      const loaded: string[] = []
      tab.on('request', (request) => loaded.push(request.url()))
      await tab.goto(image.url_viewer, { waitUntil: 'networkidle' })
      const others = loaded.filter((url) => !url.includes('/_/assets/'))
      assert.deepEqual(others, [image.url_viewer])
      const { text } = await ask(app, image.url_viewer)
      assert.doesNotMatch(text, /og:image|og:video"|<video [^>]*poster=/)
    },
  )
})

/** Waits until that is so of the player. The page's policy lets nothing be evaluated by itself. */
async function comes(tab: Page, state: string): Promise<void> {
  for (let tries = 0; !(await tab.evaluate(`document.querySelector('video').${state}`)); tries += 1) {
    assert.ok(tries < 600, `${state} did not come true within a minute`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function faultsOf(tab: Page): string[] {
  const faults: string[] = []
  tab.on('pageerror', ({ message }) => faults.push(message))
  tab.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  return faults
}
