import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'vitest'
import { startBrowser } from '../support/browsers/browser.ts'
import { outline, rewrite, videoArguments } from '../support/fixtures/video-boxes.ts'
import { moving, sound, videoOf } from '../support/fixtures/videos.ts'
import { needing } from '../support/needs.ts'

const spot = ['-metadata', 'location=+37.3349-122.0090/', '-metadata', 'title=Hello']
const open = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus']
const fragments = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof']

const FILMS: Record<string, { kind: 'mp4' | 'mov' | 'webm'; mime: string; words: string[] }> = {
  'h264.mp4': {
    kind: 'mp4',
    mime: 'video/mp4; codecs="avc1.42c00d, mp4a.40.2"',
    words: [...videoArguments, ...spot],
  },
  'h264.mov': {
    kind: 'mov',
    mime: 'video/mp4; codecs="avc1.42c00d, mp4a.40.2"',
    words: [...videoArguments, ...spot],
  },
  'vp9.mp4': {
    kind: 'mp4',
    mime: 'video/mp4; codecs="vp09.00.10.08, opus"',
    words: [...moving(), ...sound(), ...open, ...spot],
  },
  'pieces.mp4': {
    kind: 'mp4',
    mime: 'video/mp4; codecs="vp09.00.10.08"',
    words: [...moving(), ...open, ...spot, ...fragments],
  },
  'vp9.webm': {
    kind: 'webm',
    mime: 'video/webm; codecs="vp9, opus"',
    words: [...moving(), ...sound(), ...open, ...spot],
  },
}

const browsing = await needing('video libraries', 'chromium')
browsing.describe('in a browser', () => {
  test('what was moved and cleaned plays to its end, and jumps', async () => {
    await using browser = await startBrowser()
    await using videos = await serveVideos()
    const tab = await browser.newPage()
    await tab.goto(videos.address)
    let played = 0
    for (const [name, { kind, mime, words }] of Object.entries(FILMS)) {
      const type = JSON.stringify(mime)
      const canPlay = await tab.evaluate(`document.createElement('video').canPlayType(${type})`)
      if (canPlay === '') {
        console.log(`This browser does not play ${mime}: ${name} is not looked at.`)
        continue
      }
      const sent = await videoOf(`browser-${name}`, ...words)
      for (const policy of ['strip_location', 'strip_all'] as const) {
        const { video } = rewrite(sent, { kind, policy })
        if (kind !== 'webm') assert.ok(outline(video).indexOf('moov') === 1)
        videos.shown = { video, mime: mime.split(';')[0] ?? '' }
        const seen = await tab.evaluate(PLAY)
        assert.deepEqual(seen, { width: 320, height: 240, seconds: 2, isEnded: true, isSeeked: true }, name)
        played++
      }
    }
    assert.ok(played >= 4)
  })
})

/** Plays at eight times the speed, then jumps back into the middle and waits for a picture there. */
const PLAY = `(async () => {
  const video = document.createElement('video')
  const wait = (name) => new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true })
    video.addEventListener('error', () => reject(new Error(video.error?.message)), { once: true })
  })
  video.muted = true
  video.playbackRate = 8
  video.src = '/video?' + Math.random()
  const ended = wait('ended')
  await video.play()
  await ended
  const isEnded = video.ended
  const seeked = wait('seeked')
  video.currentTime = 1
  await seeked
  const isSeeked = Math.abs(video.currentTime - 1) < 0.2 && video.readyState >= 2
  const seconds = Math.round(video.duration)
  return { width: video.videoWidth, height: video.videoHeight, seconds, isEnded, isSeeked }
})()`

interface Films extends AsyncDisposable {
  address: string
  shown: { video: Buffer; mime: string }
}

/** A server that knows ranges and nothing else. */
async function serveVideos(): Promise<Films> {
  const videos = { shown: { video: Buffer.alloc(0), mime: '' } }
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/video')) {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Films</title>')
      return
    }
    const { video, mime } = videos.shown
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const last = to === '' ? video.length - 1 : Math.min(Number(to), video.length - 1)
    const range = `bytes ${from}-${last}/${video.length}`
    response.writeHead(206, { 'content-type': mime, 'content-range': range, 'accept-ranges': 'bytes' })
    response.end(video.subarray(Number(from), last + 1))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(videos, {
    address: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
