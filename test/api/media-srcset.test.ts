import assert from 'node:assert/strict'
import sharp from 'sharp'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { heicGrid } from '../support/fixtures/imaging-heic.ts'
import { plainMp4, videos } from '../support/fixtures/videos.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { limit, picture, set, type TestTenant, uploaded } from '../support/uploads.ts'

const ladder = [320, 500, 640, 960, 1280, 1920, 2560]

interface Source {
  url: string
  width: number
}

/** What a browser would read in it. */
const sourcesOf = (srcset: string): Source[] =>
  srcset.split(', ').map((source) => {
    const [url = '', width = ''] = source.split(' ')
    return { url, width: Number.parseInt(width, 10) }
  })

const srcsetOf = async (app: TestApp, tenant: TestTenant, image: { id_encoded: string }, key?: string) =>
  (await ask5(app, tenant, `GET files/${image.id_encoded}`, key === undefined ? {} : { key })).json.srcset

/** Every source is a picture of the width that it claims. */
async function assertLoads(app: TestApp, srcset: string, widths: readonly number[]): Promise<void> {
  const sources = sourcesOf(srcset)
  assert.deepEqual(
    sources.map(({ width }) => width),
    widths,
  )
  for (const { url, width } of sources) {
    const { status, headers, bytes } = await ask(app, url, { accept: 'image/webp,*/*' })
    assert.deepEqual([status, headers['content-type']], [200, 'image/webp'], url)
    assert.equal((await sharp(bytes).metadata()).width, width, url)
  }
}

onEachStore('srcset of the file object', (store) => {
  test('has the ladder below the width of the file, and the file where it is no wider than the ladder', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const cases = [
      { width: 200, own: 320, widths: [200] },
      { width: 320, own: 320, widths: [320] },
      { width: 900, own: 960, widths: [320, 500, 640, 900] },
      { width: 1280, own: 1280, widths: [320, 500, 640, 960, 1280] },
      { width: 2560, own: 2560, widths: ladder },
      { width: 2561, own: undefined, widths: ladder },
    ]
    for (const { width, own, widths } of cases) {
      const image = await uploaded(app, cats, { file: await picture({ width, height: 40, format: 'jpeg' }) })
      const srcset = await srcsetOf(app, cats, image)
      const asked = own === undefined ? ladder : [...ladder.filter((each) => each < width), own]
      const expected = asked.map((each, at) => `${image.url}?width=${each}&format=auto ${widths[at]}w`)
      assert.equal(srcset, expected.join(', '))
      await assertLoads(app, srcset, widths)
    }
  })

  test('names the revision of a file that was replaced', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const image = await uploaded(app, cats, { file: await picture({ width: 400, height: 300 }) })
    const replaced = await app.send('PUT', `/api/5/files/${image.id_encoded}/content`, {
      bytes: await picture({ width: 700, height: 300 }),
      headers: { host: cats.hostname, 'x-api-key': key, 'content-type': 'image/png' },
    })
    assert.equal(replaced.status, 200, replaced.text)
    const [first] = sourcesOf(replaced.json.srcset)
    assert.equal(first?.url, `${image.url}?width=320&format=auto&v=2`)
    await assertLoads(app, replaced.json.srcset, [320, 500, 640, 700])
  })

  test('is null for animations and SVG, and shows TIFF and HEIC in formats of browsers', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { enable_svg: '1' })
    const frames = [255, 0].map((red) => ({
      create: { width: 400, height: 300, channels: 3 as const, background: { r: red, g: 0, b: 0 } },
    }))
    const pages = await Promise.all(frames.map((input) => sharp(input).png().toBuffer()))
    const animation = await sharp(pages, { join: { animated: true } })
      .gif()
      .toBuffer()
    const drawing = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600"><rect width="9" height="9"/></svg>',
    )
    for (const file of [animation, drawing])
      assert.equal(await srcsetOf(app, cats, await uploaded(app, cats, { file })), null)
    const tiff = await uploaded(app, cats, {
      file: await picture({ width: 700, height: 500, format: 'tiff' }),
    })
    await assertLoads(app, await srcsetOf(app, cats, tiff), [320, 500, 640, 700])
    const heic = await uploaded(app, cats, { file: heicGrid(6, 4) })
    await assertLoads(app, await srcsetOf(app, cats, heic), [320, 384])
  })

  videos.test('has the frame of a video', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const video = await uploaded(app, cats, { file: await plainMp4() })
    const srcset = await srcsetOf(app, cats, video)
    assert.equal(srcset, `${video.url}?width=320&format=auto 320w`)
    await assertLoads(app, srcset, [320])
  })

  test('is signed for protected bytes, each width for itself', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const body = { title: 'Private', privacy: 'private' }
    const album = (await ask5(app, cats, 'POST albums', { key, body })).json
    const file = await picture({ width: 900, height: 600 })
    const image = await uploaded(app, cats, { file, fields: { album_id: album.id } })
    const srcset = await srcsetOf(app, cats, image, key)
    await assertLoads(app, srcset, [320, 500, 640, 900])
    for (const { url } of sourcesOf(srcset)) {
      assert.match(url, /\?width=\d+&format=auto&e=\d+&s=[0-9a-f]{32}$/)
      assert.equal((await ask(app, url.replace(/&e=.*/, ''))).status, 404)
      assert.equal((await ask(app, url.replace('width=', 'width=1'))).status, 404)
    }
    // The same text for a day, and another one when the privacy has changed.
    assert.equal(await srcsetOf(app, cats, image, key), srcset)
    await ask5(app, cats, `PATCH albums/${album.id}`, { key, body: { privacy: 'public' } })
    const open = await srcsetOf(app, cats, image, key)
    assert.match(open, /^\S+\?width=320&format=auto 320w/)
    await ask5(app, cats, `PATCH albums/${album.id}`, { key, body: { privacy: 'private' } })
    const again = await srcsetOf(app, cats, image, key)
    assert.notEqual(again, srcset)
    await assertLoads(app, again, [320, 500, 640, 900])
    for (const { url } of sourcesOf(srcset)) assert.equal((await ask(app, url)).status, 404)
  })

  test('has no picture of the whole file in a share without downloads', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    for (const [privacy, query] of [
      ['private', /&e=\d+&sh=\w+&s=[0-9a-f]{32}$/],
      ['public', /format=auto$/],
    ] as const) {
      const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Sea', privacy } })).json
      const file = await picture({ width: 900, height: 600, seed: privacy.length })
      const image = await uploaded(app, cats, { file, fields: { album_id: album.id } })
      const tiny = await uploaded(app, cats, {
        file: await picture({ width: 300, height: 200, seed: privacy.length }),
        fields: { album_id: album.id },
      })
      const path = `POST albums/${album.id}/shares`
      const share = (await ask5(app, cats, path, { key, body: { allow_download: false } })).json
      const token = share.url.split('/').at(-1)
      const { pass } = (await ask5(app, cats, 'POST shares/open', { body: { token } })).json
      const headers = { 'x-share': pass }
      const seen = (await ask5(app, cats, `GET files/${image.id_encoded}`, { headers })).json
      await assertLoads(app, seen.srcset, [320, 500, 640])
      for (const { url } of sourcesOf(seen.srcset)) assert.match(url, query)
      const small = (await ask5(app, cats, `GET files/${tiny.id_encoded}`, { headers })).json
      assert.equal(small.srcset, null)
    }
  })

  test('is made of the stored versions where no other sizes are made', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const file = await picture({ width: 900, height: 600 })
    const image = await uploaded(app, cats, { file })
    const tiff = await uploaded(app, cats, {
      file: await picture({ width: 700, height: 500, format: 'tiff' }),
    })
    await limit(app, cats, { SERVICE_ENABLE_TRANSFORMS: '0' })
    assert.equal(await srcsetOf(app, cats, image), `${image.medium.url} 500w, ${image.url} 900w`)
    assert.equal(await srcsetOf(app, cats, tiff), `${tiff.medium.url} 500w`)
  })
})
