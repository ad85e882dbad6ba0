import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { recordings } from '../support/fixtures/corpus.ts'
import { h264, moving, videoOf, videos } from '../support/fixtures/videos.ts'
import { startTestApp } from '../support/harness.ts'
import { upload } from '../support/uploads.ts'

/** What depends on the very bytes, the time or the host, or is decided otherwise here. */
const own =
  /^(size|size_formatted|md5|date|date_gmt|date_fixed_peer|how_long_ago|id_encoded|(thumb|medium|frame)_size|delete_url|display_\w+)$/

/** Without what is this installation's own. */
function comparable(value: unknown, name = ''): unknown {
  if (own.test(name)) return typeof value
  if (typeof value === 'string') {
    return value
      .replace(/^https?:\/\/[^/]+/, '')
      .replaceAll(/\d{4}\/\d\d\/\d\d/g, 'DAY')
      .replace(/(\/video\/).*$/, '$1ID')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, comparable(each, key)]))
}

videos.describe('a video is answered as it was recorded:', () => {
  const films = {
    kind_mp4_typed: () =>
      videoOf('video.mp4', ...moving({ size: '640x360', seconds: 4 }), ...h264, '-movflags', '+faststart'),
    kind_webm_typed: () => videoOf('video.webm', ...moving(), '-c:v', 'libvpx', '-deadline', 'realtime'),
  }
  for (const [name, make] of Object.entries(films)) {
    test(name, { timeout: 300_000 }, async () => {
      const recorded = JSON.parse(readFileSync(new URL(`${name}.json`, recordings), 'utf8'))
      await using app = await startTestApp()
      const [{ p: fileName }] = recorded.request.file
      const { status, json } = await upload(app, await app.tenant('cats'), { file: await make(), fileName })
      assert.equal(status, recorded.status)
      assert.deepEqual(comparable(json), comparable(recorded.body))
    })
  }
})
