import assert from 'node:assert/strict'
import { test } from 'vitest'
import { embedCode, shownVersion } from '../../src/common/embed-codes.ts'
import { acceptedKinds, kindsShownIn } from '../../src/imaging/index.ts'
import { ask, browserHeaders } from '../support/delivered.ts'
import { heicGrid } from '../support/fixtures/imaging-heic.ts'
import { startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { picture, uploaded } from '../support/uploads.ts'

test('snippets of HEIC and TIFF files show a picture that browsers read, and the direct link is the file', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'admin')
  const files = [await picture({ width: 1400, height: 700, format: 'tiff' }), heicGrid(6, 4)]
  for (const file of files) {
    const sent = await uploaded(app, cats, { file })
    const page = (await ask(app, sent.url_viewer, browserHeaders)).text
    const shown = /\[url=[^\]]*\]\[img\]([^[]*)\[\/img\]\[\/url\]/.exec(page)?.[1] ?? ''
    assert.match(shown, /\?width=\d+/)
    const { status, headers } = await ask(app, shown.replaceAll('&amp;', '&'))
    assert.deepEqual([status, headers['content-type']], [200, 'image/jpeg'])
    assert.ok(page.includes(`value="${sent.url}"`))

    // As the upload queue writes them, from the file object of the API.
    const { json } = await ask5(app, cats, `GET files/${sent.id_encoded}`, { key })
    const whole = shownVersion(json, () => json.srcset)
    const own = { page: json.url_viewer, short: json.url_short, name: json.filename, poster: undefined }
    const code = embedCode({ ...json, ...own, title: '', shown: whole }, 'html')
    assert.ok(code.includes(`width="${json.width}" height="${json.height}"`), code)
    assert.ok(code.includes('format=auto') && !code.includes(`"${json.url}"`), code)
  }
})

test('every kind that browsers do not show is shown by its srcset', () => {
  const shown = new Set<string>(kindsShownIn('browsers'))
  for (const { name, mime, type } of acceptedKinds({ allowSvg: true })) {
    if (type !== 'image') continue
    const whole = { url: 'file', width: 4, height: 2, mime }
    const { url } = shownVersion(whole, () => 'small 1w, wide 2w')
    assert.equal(url, shown.has(name) ? 'file' : 'wide', name)
  }
})
