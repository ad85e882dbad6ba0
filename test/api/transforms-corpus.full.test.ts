import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { corpus } from '../support/fixtures/corpus.ts'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { set, upload } from '../support/uploads.ts'

const lanes = 3

/** Each with its format, and its size if the box says it. */
const asked: [query: string, format: string, size?: readonly [number, number]][] = [
  ['width=23&format=webp', 'webp'],
  ['format=png&height=4096', 'png'],
  ['w=31&h=17&fit=pad&format=jpeg&background=336699', 'jpeg', [31, 17]],
  ['w=9&h=9&fit=cover&position=bottom-right&format=webp&anim=1', 'webp'],
]

test('whatever is stored of a public collection has pictures in every size', {
  timeout: 1_200_000,
}, async () => {
  await using app = await startTestApp({ environment: { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0' } })
  const cats = await app.tenant('cats')
  await set(app, cats, { enable_svg: '1' })
  const key = await keyOf(app, cats, 'write')
  const files = globSync('*/*', { cwd: corpus })
  const troubles: string[] = []
  let made = 0
  const queue = files.values()
  const lane = async () => {
    for (const name of queue) {
      const sent = await upload(app, cats, {
        file: await readFile(join(corpus, name)),
        fileName: basename(name).replaceAll(/[^A-Za-z0-9_.-]/g, '_'),
      })
      if (sent.status !== 200) continue
      const { url, width, height } = sent.json.image
      const urls = asked.map(([query]) => `${url}?${query}`)
      const { json } = await ask5(app, cats, 'POST sign', { key, body: { urls } })
      for (const [index, [query, format, size]] of asked.entries()) {
        const { status, headers, bytes } = await ask(app, json.urls[index])
        const about = `${name} ${query}: ${status} ${headers['content-type']} ${headers['cache-control']}`
        const picture = await sharp(bytes)
          .metadata()
          .catch(() => undefined)
        // The whole picture must decode, not only its head.
        const whole = await sharp(bytes, { failOn: 'warning', pages: -1 })
          .stats()
          .catch(() => undefined)
        const isNearest = headers['cache-control'] === 'no-store'
        if (status !== 200 || isNearest || !whole || picture?.format !== format) troubles.push(about)
        else made += 1
        const [across, down] = size ?? [Math.min(width, 4096), Math.min(height, 4096)]
        // libvips widens the canvas of an animation to a frame that lies beyond it.
        if (name.includes('frame-out-of-bounds') && query.includes('anim=1')) continue
        const isTooLarge =
          (picture?.width ?? 0) > across || (picture?.pageHeight ?? picture?.height ?? 0) > down
        if (isTooLarge)
          troubles.push(`${about}: ${picture?.width} × ${picture?.height} of ${width} × ${height}`)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  console.info(`${made} pictures were made of ${files.length} files`)
  assert.deepEqual(troubles, [])
  assert.ok(made > 1_000)
})
