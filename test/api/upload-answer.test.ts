import assert from 'node:assert/strict'
import sharp from 'sharp'
import { afterAll, describe, test } from 'vitest'
import { countViews } from '../../src/media/index.ts'
import { dayOf } from '../../src/site/index.ts'
import {
  CORNERS,
  drawQuarters,
  EXIF,
  jpegSegment,
  TRACES,
  XMP,
} from '../support/fixtures/imaging-pictures.ts'
import { kindCases } from '../support/fixtures/upload-kinds.ts'
import { startTestApp } from '../support/harness.ts'
import {
  limit,
  md5Of,
  moveTo,
  noise,
  nowOf,
  onSiteOf,
  picture,
  set,
  storedBytes,
  upload,
  uploaded,
  userWithKey,
} from '../support/uploads.ts'

const app = await startTestApp()
const cats = await app.tenant('cats')
const base = `http://cats.test:${app.port}`
const send = (sending = {}) => uploaded(app, cats, sending)
afterAll(() => app[Symbol.asyncDispose]())

/** The order of the specification's table. */
const keys =
  `name extension size width height date date_gmt title tags tags_string description nsfw storage_mode md5 source_md5
original_filename original_exifdata views likes category_id chain thumb_size medium_size frame_size expiration_date_gmt is_animated
is_approved is_360 duration duration_time type file id_encoded filename mime url ratio size_formatted image thumb medium url_frame
url_viewer path_viewer url_short display_url display_width display_height views_label likes_label how_long_ago date_fixed_peer
title_truncated title_truncated_html display_title is_use_loader delete_url`.split(/\s+/)

test('an answer has every field of the specification, in its order', async () => {
  const file = await picture({ width: 640, height: 480, format: 'jpeg' })
  const { status, headers, json } = await upload(app, cats, { file, fileName: 'My_first-cat.jpg' })
  assert.equal(status, 200)
  assert.match(String(headers['content-type']), /^application\/json; charset=utf-8$/i)
  assert.deepEqual([headers['cache-control'], headers['x-content-type-options']], ['no-store', 'nosniff'])
  assert.deepEqual(Object.keys(json), ['status_code', 'success', 'image', 'status_txt'])
  assert.deepEqual([json.status_code, json.status_txt], [200, 'OK'])
  assert.deepEqual(json.success, { message: 'image uploaded', code: 200 })
  const { image } = json
  assert.deepEqual(Object.keys(image), keys)

  const folder = `${base}/images/${image.date.slice(0, 10).replaceAll('-', '/')}`
  const version = (name: string, size: number) => ({
    filename: `${name}.jpg`,
    name,
    mime: 'image/jpeg',
    extension: 'jpg',
    url: `${folder}/${name}.jpg`,
    size,
  })
  const { id_encoded: id, thumb_size: thumbSize, medium_size: mediumSize, date } = image
  assert.deepEqual(image, {
    name: 'My_first-cat',
    extension: 'jpg',
    size: file.length,
    width: 640,
    height: 480,
    date,
    date_gmt: date,
    title: 'My first cat',
    tags: [],
    tags_string: '',
    description: null,
    nsfw: 0,
    storage_mode: 'datefolder',
    md5: md5Of(file),
    source_md5: null,
    original_filename: 'My_first-cat.jpg',
    original_exifdata: null,
    views: 0,
    likes: 0,
    category_id: null,
    chain: 7,
    thumb_size: thumbSize,
    medium_size: mediumSize,
    frame_size: 0,
    expiration_date_gmt: null,
    is_animated: 0,
    is_approved: 1,
    is_360: 0,
    duration: 0,
    duration_time: '',
    type: 'image',
    file: { resource: { type: 'path' } },
    id_encoded: id,
    filename: 'My_first-cat.jpg',
    mime: 'image/jpeg',
    url: `${folder}/My_first-cat.jpg`,
    ratio: 640 / 480,
    size_formatted: image.size_formatted,
    image: version('My_first-cat', file.length),
    thumb: version('My_first-cat.th', thumbSize),
    medium: version('My_first-cat.md', mediumSize),
    url_frame: '',
    url_viewer: `${base}/image/My-first-cat.${id}`,
    path_viewer: `/image/My-first-cat.${id}`,
    url_short: `${base}/image/${id}`,
    display_url: `${folder}/My_first-cat.md.jpg`,
    display_width: 500,
    display_height: 375,
    views_label: 'views',
    likes_label: 'likes',
    how_long_ago: image.how_long_ago,
    date_fixed_peer: date,
    title_truncated: 'My first cat',
    title_truncated_html: 'My first cat',
    display_title: 'My first cat',
    is_use_loader: false,
    delete_url: image.delete_url,
  })
  assert.match(image.date, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  assert.match(image.how_long_ago, /^(moments|\d seconds?) ago$/)
  assert.match(image.delete_url, new RegExp(`^${base}/image/${id}/delete/[0-9a-f]{48}$`))
  assert.equal(thumbSize, (await storedBytes(app, cats, image.thumb.url))?.length)
  assert.equal(mediumSize, (await storedBytes(app, cats, image.medium.url))?.length)
})

test('txt is the direct address alone, redirect the way to the viewer', async () => {
  const txt = await upload(app, cats, { fields: { format: 'txt' }, fileName: 'plain.png' })
  assert.deepEqual([txt.status, txt.headers['content-type']], [200, 'text/plain; charset=utf-8'])
  assert.match(txt.text, new RegExp(`^${base}/images/\\d{4}/\\d\\d/\\d\\d/plain\\.png$`))
  const redirect = await upload(app, cats, { fields: { format: 'redirect' }, fileName: 'plain.png' })
  assert.deepEqual([redirect.status, redirect.text], [302, ''])
  assert.match(String(redirect.headers.location), /^\/image\/plain\.[A-Za-z0-9]{10,}$/)
})

describe('thumb and medium of each kind:', () => {
  for (const expected of kindCases) {
    test(expected.kind, async () => {
      const file = await expected.make()
      const name = expected.kind.replaceAll(' ', '-')
      const image = await send({ file, fileName: expected.sentAs.replace('cat', name) })
      const { width, height, medium, versions, isAnimated = false, isChanged = false } = expected
      assert.deepEqual([image.extension, image.mime], [expected.extension, expected.mime])
      assert.deepEqual([image.width, image.height, image.ratio], [width, height, width / height])
      assert.deepEqual([image.is_animated, image.type], [Number(isAnimated), 'image'])
      assert.equal(image.chain, medium ? 7 : 5)
      const stored = await storedBytes(app, cats, image.url)
      assert.ok(stored)
      assert.deepEqual([image.md5, image.size], [md5Of(stored), stored.length])
      assert.equal(image.source_md5, isChanged ? md5Of(file) : null)
      if (!isChanged) assert.ok(stored.equals(file))

      const thumb = await seen(image.thumb.url)
      assert.deepEqual([thumb.width, thumb.height, thumb.format], [320, 320, versions])
      assert.deepEqual(
        [image.thumb.filename, image.thumb.extension],
        [`${image.name}.th.${versions}`, versions],
      )
      assert.equal(image.thumb.mime, `image/${versions}`)
      if (!medium) {
        const nothing = { filename: null, name: null, mime: null, extension: null, url: null }
        assert.deepEqual([image.medium, image.medium_size], [nothing, 0])
        assert.deepEqual(
          [image.display_url, image.display_width, image.display_height],
          [image.url, width, height],
        )
        return
      }
      const shown = await seen(image.medium.url)
      assert.deepEqual([shown.width, shown.height, shown.format, shown.pages ?? 1], [...medium, versions, 1])
      assert.equal(image.medium.filename, `${image.name}.md.${versions}`)
      assert.deepEqual(
        [image.display_url, image.display_width, image.display_height],
        [image.medium.url, ...medium],
      )
    })
  }

  const seen = async (url: string) => sharp(await storedBytes(app, cats, url), { pages: -1 }).metadata()
})

test('the picture lies as a viewer sees it, and its versions are upright', async () => {
  const file = await drawQuarters(640, 400, 6)
    .jpeg()
    .withExif({ IFD0: { Orientation: '6' } })
    .toBuffer()
  const turned = await sharp(file).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const image = await send({ file: turned, fileName: 'turned.jpg' })
  assert.deepEqual([image.width, image.height, image.source_md5], [640, 400, null])
  const medium = await storedBytes(app, cats, image.medium.url)
  const { data, info } = await sharp(medium).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height], [500, 313])
  const [red = 0, green = 0] = data
  assert.ok(Math.abs(red - CORNERS[0][0]) < 40 && Math.abs(green - CORNERS[0][1]) < 40)
})

describe('title and description:', () => {
  const photo = () => drawQuarters(640, 480).jpeg().withExif(EXIF).withXmp(XMP).toBuffer()
  const textsOf = ({ title, description }: { title: string; description: string }) => [title, description]

  test('the parameters go before what stands in the file, and that before its name', async () => {
    const file = await photo()
    assert.deepEqual(textsOf(await send({ file })), ['Roses', 'A garden'])
    const fields = { title: 'Mine', description: 'My own' }
    assert.deepEqual(textsOf(await send({ file, fields })), ['Mine', 'My own'])
    assert.deepEqual(textsOf(await send({ file, fields: { title: '', description: '' } })), [
      'Roses',
      'A garden',
    ])
    const iptc = Buffer.concat([(await picture({ format: 'jpeg' })).subarray(0, 2), iptcTitle('Tulips')])
    const rest = (await picture({ format: 'jpeg' })).subarray(2)
    assert.deepEqual(textsOf(await send({ file: Buffer.concat([iptc, rest]) })), ['Tulips', null])
    assert.deepEqual(textsOf(await send({ fileName: 'a_b--c  d.png' })), ['a b c d', null])
  })

  test('they are cut at 100 and 5,000 characters, and what cannot be seen is left out', async () => {
    const long = '\u{1f600}'.repeat(6_000)
    const image = await send({ fields: { title: long, description: long } })
    assert.deepEqual(textsOf(image), [long.slice(0, 200), long.slice(0, 10_000)])
    const fields = { title: 'a\0b\u0007', description: 'c\0\nd' }
    assert.deepEqual(textsOf(await send({ fields })), ['ab', 'c\nd'])
    assert.deepEqual(textsOf(await send({ fields: { title: '\0' }, fileName: 'nul.png' })), ['nul', null])
  })

  test('a title over 28 characters is shown by its first 25, and escaped for HTML', async () => {
    const shown = async (title: string) => {
      const image = await send({ fields: { title } })
      return [image.title_truncated, image.title_truncated_html, image.display_title]
    }
    const [just, over] = ['x'.repeat(28), `${'x'.repeat(24)} <y>z`]
    assert.deepEqual(await shown(just), [just, just, just])
    assert.deepEqual(await shown(over), [`${'x'.repeat(24)}...`, `${'x'.repeat(24)}...`, over])
    const quoted = `<b>&"'`
    assert.deepEqual(await shown(quoted), [quoted, '&lt;b&gt;&amp;&quot;&#39;', quoted])
  })

  test('a title makes an address, and one that cannot leaves only the id', async () => {
    const pathOf = async (title: string) => {
      const { path_viewer: path, id_encoded: id, url_viewer: url } = await send({ fields: { title } })
      assert.equal(url, base + path)
      return path.replace(id, 'ID')
    }
    assert.equal(await pathOf('My first  cat - a.b'), '/image/My-first-cat-ab.ID')
    assert.equal(await pathOf('Gr\u00fc\u00dfe'), '/image/Gr%C3%BC%C3%9Fe.ID')
    assert.equal(await pathOf('../..//?#%"'), '/image/ID')
    assert.equal(await pathOf('x\r\nLocation: y'), '/image/x-Location%3A-y.ID')
  })
})

/** A segment in which Photoshop keeps the object name of IPTC. */
function iptcTitle(title: string): Buffer {
  const record = Buffer.concat([Buffer.from([0x1c, 2, 5, 0, title.length]), Buffer.from(title)])
  const block = Buffer.concat([
    Buffer.from('8BIM\x04\x04\0\0\0\0\0', 'latin1'),
    Buffer.from([record.length]),
    record,
  ])
  const even = block.length % 2 === 0 ? block : Buffer.concat([block, Buffer.alloc(1)])
  return jpegSegment(0xed, Buffer.concat([Buffer.from('Photoshop 3.0\0', 'latin1'), even]))
}

test('the site says what is kept of what a camera wrote', async () => {
  const photos = await app.tenant('photos')
  const file = await drawQuarters(640, 480).jpeg().withExif(EXIF).withXmp(XMP).toBuffer()
  const pixelsOf = (bytes: Buffer) => sharp(bytes).raw().toBuffer()
  const stored = async (metadata: string) => {
    await set(app, photos, { metadata })
    const image = await uploaded(app, photos, { file, fileName: 'photo.jpg' })
    const bytes = await storedBytes(app, photos, image.url)
    assert.ok(bytes && (await pixelsOf(bytes)).equals(await pixelsOf(file)))
    assert.equal(image.md5, md5Of(bytes))
    return { image, bytes, exif: JSON.parse(image.original_exifdata) }
  }
  const kept = await stored('keep')
  assert.ok(kept.bytes.equals(file))
  assert.deepEqual([kept.image.source_md5, kept.exif.Make], [null, 'Camera Works'])
  assert.ok(Object.keys(kept.exif).some((name) => name.startsWith('GPS')))

  const local = await stored('strip_location')
  assert.deepEqual([local.image.source_md5, local.exif.Make], [md5Of(file), 'Camera Works'])
  const versions = [local.image.url, local.image.thumb.url, local.image.medium.url]
  for (const url of versions) {
    const bytes = await storedBytes(app, photos, url)
    for (const trace of TRACES) assert.equal(bytes?.includes(trace, 0, 'latin1'), false, `${url}: ${trace}`)
  }
  assert.ok(!/gps/i.test(local.image.original_exifdata))
  assert.equal((await sharp(local.bytes).metadata()).exif?.includes('Camera Works'), true)

  const bare = await stored('strip_all')
  assert.deepEqual([bare.image.original_exifdata, bare.image.source_md5], [null, md5Of(file)])
  const { exif, xmp } = await sharp(bare.bytes).metadata()
  assert.deepEqual([exif, xmp], [undefined, undefined])
})

test('tags are answered as objects, in one order, each once', async () => {
  const tags = `cat, dog,CAT,,  two   words ,\u00fcn\u00ef,cat,${'y'.repeat(33)},a\u0007b,<b>,a/b,C#`
  const { tags: objects, tags_string: text } = await send({ fields: { tags } })
  assert.equal(text, 'cat, dog, CAT, two words, \u00fcn\u00ef, <b>, a/b, C#')
  assert.deepEqual(objects[0], { name: 'cat', name_safe_html: 'cat', url_key: 'cat', url: '/tag/cat' })
  assert.deepEqual(objects[3], {
    name: 'two words',
    name_safe_html: 'two words',
    url_key: 'two%20words',
    url: '/tag/two%20words',
  })
  assert.equal(objects[5].name_safe_html, '&lt;b&gt;')
  assert.deepEqual([objects[6].url, objects[7].url_key], ['/tag/a%2Fb', 'C%23'])
})

test('sizes, labels and ages are written for people', async () => {
  const old = await app.tenant('old')
  await set(app, old, { duplicates: 'existing' })
  const large = await noise(1_300, 1_300)
  const first = await uploaded(app, old, { file: large, fileName: 'large.png' })
  assert.deepEqual([first.size, first.is_use_loader], [large.length, true])
  assert.equal(first.size_formatted, `${(large.length / 1e6).toFixed(1).replace('.0', '')} MB`)
  const again = async () => {
    const { views, views_label, how_long_ago, id_encoded: id } = await uploaded(app, old, { file: large })
    assert.equal(id, first.id_encoded)
    return [views, views_label, how_long_ago]
  }
  const start = nowOf(app).getTime()
  const at = (seconds: number) => moveTo(app, new Date(start + seconds * 1_000).toISOString())
  const look = () =>
    onSiteOf(app, old, (site) =>
      countViews(site, { file: new Map([[first.id_encoded, 1]]), album: new Map() }, dayOf(nowOf(app))),
    )
  at(125)
  assert.deepEqual(await again(), [0, 'views', '2 minutes ago'])
  await look()
  at(3_610)
  assert.deepEqual(await again(), [1, 'view', '1 hour ago'])
  await look()
  at(23 * 3_600)
  assert.deepEqual(await again(), [2, 'views', '23 hours ago'])
})

test('the fields of the earliest form come where the operator wants them', async () => {
  const { image: plain, storage_id } = await send()
  assert.deepEqual([Object.keys(plain).length, storage_id], [6, undefined])
  const early = await app.tenant('early')
  await limit(app, early, { SERVICE_UPLOAD_EARLIEST_FIELDS: '1' })
  const image = await uploaded(app, early, {
    file: await picture({ width: 800, height: 400, format: 'jpeg' }),
  })
  assert.deepEqual([image.storage_id, image.storage, image.nsfw, image.views], [null, 'datefolder', 0, 0])
  const shapeOf = ({ bits, channels, ratio }: Record<string, number>) => [bits, channels, ratio]
  assert.deepEqual(shapeOf(image.image), [8, 3, 2])
  assert.deepEqual(shapeOf(image.thumb), [8, 3, 1])
  assert.deepEqual(shapeOf(image.medium), [8, 3, 2])
})

test('a file that waits for approval is answered as such, and is not served', async () => {
  const shy = await app.tenant('shy')
  const { key } = await userWithKey(app, shy, 'bob')
  await set(app, shy, { public_key: 'a-public-key-of-the-site' })
  const approved = async (moderation: string) => {
    await set(app, shy, { moderation })
    const images = []
    for (const who of ['a-public-key-of-the-site', key, shy.apiKey])
      images.push(await uploaded(app, shy, { key: who }))
    for (const image of images) {
      for (const url of [image.url, image.thumb.url, image.url_viewer, image.url_short]) {
        const { status } = await app.send('GET', new URL(url).pathname, { headers: { host: 'shy.test' } })
        assert.equal(status < 400, image.is_approved === 1, `${url}: ${status}`)
      }
    }
    return images.map((image) => image.is_approved)
  }
  assert.deepEqual(await approved('off'), [1, 1, 1])
  assert.deepEqual(await approved('guest'), [0, 1, 1])
  assert.deepEqual(await approved('all'), [0, 0, 1])
})

test('ids and delete tokens are random', async () => {
  const images = await Promise.all(Array.from({ length: 20 }, () => send()))
  for (const { id_encoded: id } of images) assert.match(id, /^[A-Za-z0-9]{10,}$/)
  assert.equal(new Set(images.map((image) => image.id_encoded.slice(0, 6))).size, 20)
  assert.equal(new Set(images.map((image) => image.delete_url.slice(-48, -40))).size, 20)
})
