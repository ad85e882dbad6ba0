import assert from 'node:assert/strict'
import sharp from 'sharp'
import { describe, test } from 'vitest'
import { ask, browserHeaders, withoutPath } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { onSiteOf, picture, set, uploaded, writeViewsOf } from '../support/uploads.ts'

onEachStore("a file's page", (store) => {
  test('is at its full address and at its short one, whatever the words in it', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats, { fields: { title: 'Zwei Kätzchen: "ö" & <b>' } })
    const origin = new URL(image.url_viewer).origin
    const { id_encoded: id } = image
    const addresses = [image.url_viewer, image.url_short, `${image.url_short}/`]
    addresses.push(
      `${origin}/image/other-words.${id}`,
      `${origin}/image/a.b.${id}?deleted`,
      `${origin}//image//${id}`,
    )
    for (const url of addresses) {
      const { status, headers, text } = await ask(app, url)
      assert.equal(status, 200, url)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(attributes(text, 'link', 'canonical').href, image.url_viewer)
      assert.ok(text.includes('<h1 dir="auto">Zwei Kätzchen: &quot;ö&quot; &amp; &lt;b&gt;</h1>'))
    }
  })

  test('is not there for unknown, deleted, expired or unapproved files, nor under the wrong type', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const dogs = await app.tenant('dogs')
    const image = await uploaded(app, cats, { fields: { expiration: 'PT5M' } })
    const short = new URL(image.url_short)
    const id = image.id_encoded
    const elsewhere = [`/video/${id}`, `/images/${id}`, `/image/x${id}`, `/image/${id}.x`, `/image/${id}/x`]
    const strange = ['/image/', '/image/%00', `/image/${id}%00`, '/image/%F0%9F%90%88', '/image/..']
    strange.push(`/image/${'a'.repeat(5_000)}`)
    for (const path of [...elsewhere, ...strange]) {
      const { status } = await app.send('GET', path, { headers: { host: cats.hostname } })
      assert.equal(status, 404, path)
    }
    assert.equal((await app.send('GET', short.pathname, { headers: { host: dogs.hostname } })).status, 404)

    const page = await ask(app, `${short.href}x`, browserHeaders)
    assert.equal(page.status, 404)
    assert.match(page.text, /^<!doctype html>/)
    assert.equal(
      (await ask(app, `${short.href}x`)).headers['content-type'],
      'application/json; charset=utf-8',
    )
    assert.equal((await ask(app, short.href)).status, 200)
    app.wait(300)
    const { status, text } = await ask(app, short.href, browserHeaders)
    assert.equal(status, 404)
    assert.equal(withoutPath(text), withoutPath(page.text))

    await set(app, cats, { moderation: 'guest', public_key: 'a-public-key-of-cats' })
    const waiting = await uploaded(app, cats, { key: 'a-public-key-of-cats' })
    const { text: hidden } = await ask(app, waiting.url_viewer, browserHeaders)
    assert.equal(withoutPath(hidden), withoutPath(page.text))
  })

  test('counts the views of people, once each, and not those of programs that look ahead', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats)
    const shown = async (headers: Record<string, string> = browserHeaders) =>
      Number(/<dt>Views<\/dt><dd>([\d,]+)<\/dd>/.exec((await ask(app, image.url_viewer, headers)).text)?.[1])
    assert.equal(await shown(), 1)
    assert.equal(await shown(), 2)
    await writeViewsOf(app, cats, 2)
    const ahead: Record<string, string>[] = [
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'x-moz': 'prefetch' },
      { 'user-agent': 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)' },
      { 'user-agent': 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)' },
      { 'user-agent': 'WhatsApp/2.23.20.0' },
    ]
    for (const headers of ahead) assert.equal(await shown({ ...browserHeaders, ...headers }), 2)
    assert.equal((await ask(app, image.url_viewer, browserHeaders, 'HEAD')).status, 200)
    for (const url of [image.url, image.thumb.url]) await ask(app, url, browserHeaders)
    const inAnApp =
      'Mozilla/5.0 (Linux; Android 14; CUBOT NOTE 20) AppleWebKit/537.36 Telegram-Android/11.5 Line/14.1'
    assert.equal(await shown({ ...browserHeaders, 'user-agent': inAnApp }), 3)
    await writeViewsOf(app, cats, 3)
    await Promise.all(Array.from({ length: 10 }, () => shown()))
    assert.equal(await shown(), 14)
    await writeViewsOf(app, cats, 14)
    await ask(app, image.delete_url, {}, 'DELETE')
    await writeViewsOf(app, cats, 0)
  })

  test('is described to other sites by oEmbed, in the size that they want', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats, {
      file: await picture({ width: 1000, height: 600, format: 'jpeg' }),
      fields: { title: 'A "cat" <b>' },
    })
    const { href } = attributes((await ask(app, image.url_viewer)).text, 'link', 'alternate')
    const answer = await ask(app, href ?? '')
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    const photo = JSON.parse(answer.text)
    assert.deepEqual(photo, {
      version: '1.0',
      provider_name: 'cats.test',
      provider_url: `${new URL(image.url).origin}/`,
      title: 'A "cat" <b>',
      type: 'photo',
      url: image.url,
      width: 1000,
      height: 600,
      thumbnail_url: image.thumb.url,
      thumbnail_width: 320,
      thumbnail_height: 320,
    })
    const sized = async (query: string) => {
      const { status, text } = await oembed(app, image.url_short, query)
      const { url, width, height, thumbnail_url: thumbnail } = JSON.parse(text)
      return [status, url, width, height, thumbnail !== undefined]
    }
    assert.deepEqual(await sized('&maxwidth=999'), [200, image.medium.url, 500, 300, true])
    assert.deepEqual(await sized('&maxwidth=400'), [200, image.thumb.url, 320, 320, true])
    assert.deepEqual(await sized('&maxwidth=100&maxheight=50&format='), [200, image.thumb.url, 50, 50, false])

    const refused: [string, string, number][] = [
      [image.url_short, '&format=xml', 400],
      [image.url_short, '&maxwidth=0', 400],
      [image.url_short, '&maxheight=many', 400],
      ['', '', 400],
      [image.url_short.replace('cats', 'dogs'), '', 404],
      [image.url_short.replace('/image/', '/video/'), '', 404],
      [image.url_short.replace('http', 'ftp'), '', 404],
      [`${image.url_short}x`, '', 404],
      [image.delete_url, '', 404],
      [image.url, '', 404],
      ['not a url', '', 404],
    ]
    for (const [url, query, status] of refused)
      assert.equal((await oembed(app, url, query, image.url_short)).status, status, url + query)
    await writeViewsOf(app, cats, 1)
  })
})

describe('the page says', () => {
  test('what it is about to those who show a link to it', async () => {
    await using app = await startTestApp()
    const file = await picture({ width: 1000, height: 600, format: 'jpeg' })
    const image = await uploaded(app, await app.tenant('cats'), {
      file,
      fields: { title: 'Two "cats"', description: 'On a sofa & <more>' },
    })
    const { text, headers } = await ask(app, image.url_viewer)
    const meta = (name: string) => attributes(text, 'meta', name).content
    assert.equal(meta('og:title'), 'Two "cats"')
    assert.equal(meta('og:description'), 'On a sofa & <more>')
    assert.equal(meta('description'), 'On a sofa & <more>')
    assert.equal(meta('og:url'), image.url_viewer)
    assert.equal(meta('og:site_name'), 'cats.test')
    assert.equal(meta('og:image'), image.url)
    assert.deepEqual(
      ['width', 'height', 'type'].map((name) => meta(`og:image:${name}`)),
      ['1000', '600', 'image/jpeg'],
    )
    assert.equal(meta('twitter:card'), 'summary_large_image')
    assert.equal(meta('twitter:image'), image.url)
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; /)
    assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|\*/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'strict-origin-when-cross-origin')
    assert.equal(headers['set-cookie'], undefined)
  })

  test('nothing unsafe to people who did not ask for it', async () => {
    await using app = await startTestApp()
    const image = await uploaded(app, await app.tenant('cats'), { fields: { nsfw: '1' } })
    const { text } = await ask(app, image.url_viewer)
    assert.doesNotMatch(text, /og:image|twitter:image|oembed/)
    assert.match(text, /<details class="cover">/)
    assert.match(text, /loading="lazy"/)
    const safe = await uploaded(app, await app.tenant('dogs'))
    assert.doesNotMatch((await ask(app, safe.url_viewer)).text, /class="cover"/)
  })

  test('everything that is known of the file', async () => {
    await using app = await startTestApp()
    const camera = { Make: 'FUJIFILM', Model: 'X-T5', Artist: 'Ada <b>' }
    const file = await sharp(await picture({ width: 1200, height: 800 }))
      .withExif({ IFD0: camera, IFD2: { ExposureTime: '1/250', FNumber: '28/10' } })
      .jpeg()
      .toBuffer()
    const image = await uploaded(app, await app.tenant('cats'), {
      file,
      fileName: 'cat.jpg',
      fields: { title: 'Cat', tags: 'one, <two>', expiration: 'P2D', description: 'First\nsecond' },
    })
    const { text } = await ask(app, image.url_viewer)
    const lines = [...text.matchAll(/<dt>([^<]+)<\/dt><dd>(.*?)<\/dd>/g)].map(
      ([, name, value]) => `${name}: ${value}`,
    )
    for (const line of [
      'Views: 1',
      'Dimensions: 1200 × 800',
      `Size: ${image.size_formatted}`,
      'Type: image/jpeg',
    ])
      assert.ok(lines.includes(line), line)
    for (const line of [
      'Model: FUJIFILM X-T5',
      'Exposure: 1/250 s',
      'Aperture: f/2.8',
      'Artist: Ada &lt;b&gt;',
    ])
      assert.ok(lines.includes(line), line)
    assert.match(text, /expires in 2 days: <time datetime="/)
    assert.match(text, /<li dir="auto">&lt;two&gt;<\/li>\n<li dir="auto">one<\/li>/)
    assert.match(text, /<p class="description" dir="auto">First\nsecond<\/p>/)
    const { pathname } = new URL(image.url)
    const medium = new URL(image.medium.url).pathname
    const widths = [500, 640, 960].map((width) => `${pathname}?width=${width} ${width}w`).join(', ')
    assert.ok(text.includes(`<img\nsrc="${medium}" srcset="${widths}, ${pathname} 1200w"`))
    assert.match(text, /width="1200" height="800" alt="Cat"/)
    assert.match(text, new RegExp(`<a [^>]*href="${pathname}"[^>]* download>`))
  })

  test('the codes that show it elsewhere, in three sizes', async () => {
    await using app = await startTestApp()
    const title = 'A [cat] "of" <mine>\\ & `co`'
    const file = await picture({ width: 1000, height: 600, format: 'jpeg' })
    const image = await uploaded(app, await app.tenant('cats'), { file, fields: { title } })
    const { text } = await ask(app, image.url_viewer)
    const codes = [...text.matchAll(/<input [^>]*value="([^"]*)">/g)].map(([, value = '']) =>
      unescaped(value),
    )
    const versions = [
      { url: image.url, width: 1000, height: 600 },
      { url: image.medium.url, width: 500, height: 300 },
      { url: image.thumb.url, width: 320, height: 320 },
    ]
    const short = image.url_short
    const alt = 'A [cat] &quot;of&quot; &lt;mine&gt;\\ &amp; `co`'
    const escaped = 'A \\[cat\\] \\"of\\" \\<mine\\>\\\\ \\& \\`co\\`'
    assert.deepEqual(codes, [
      image.url_viewer,
      short,
      image.url,
      ...versions.flatMap(({ url, width, height }) => [
        ...(url === image.url ? [] : [url]),
        `<a href="${short}"><img src="${url}" alt="${alt}" width="${width}" height="${height}"></a>`,
        `[![${escaped}](${url})](${short})`,
        `[url=${short}][img]${url}[/img][/url]`,
      ]),
    ])
  })

  test('a film has its own addresses, and a player', async () => {
    await using app = await startTestApp()
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats, { file: await picture({ width: 640, height: 360 }) })
    await onSiteOf(app, cats, ({ db }) =>
      db.updateTable('file').set({ type: 'video', kind: 'mp4' }).execute(),
    )
    for (const url of [image.url_short, image.url_viewer, image.delete_url])
      assert.equal((await ask(app, url)).status, 404)
    const url = image.url_viewer.replace('/image/', '/video/')
    const { text } = await ask(app, url)
    const { pathname } = new URL(image.url)
    assert.ok(text.includes(`<video controls playsinline preload="metadata" src="${pathname}"`))
    assert.equal(attributes(text, 'link', 'canonical').href, url)
    assert.equal(attributes(text, 'meta', 'og:video').content, image.url)
    assert.equal(attributes(text, 'meta', 'og:image').content, image.medium.url)
    const film = JSON.parse((await oembed(app, url, '&maxwidth=320')).text)
    const player = `<video src="${image.url}" width="320" height="180" controls></video>`
    assert.deepEqual([film.type, film.width, film.height, film.html], ['video', 320, 180, player])
    const deletion = image.delete_url.replace('/image/', '/video/')
    assert.equal((await ask(app, deletion, {}, 'DELETE')).status, 200)
    assert.equal((await ask(app, url)).status, 404)
  })
})

function oembed(app: TestApp, url: string, query: string, near = url) {
  return ask(app, `${new URL(near).origin}/oembed?url=${encodeURIComponent(url)}${query}`)
}

/** Of the first such tag that has this word for a name, property or relation. */
function attributes(text: string, tag: string, name: string): Record<string, string> {
  for (const [markup] of text.matchAll(new RegExp(`<${tag} [^>]*>`, 'g'))) {
    const found = [...markup.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
      key,
      unescaped(value),
    ])
    const all = Object.fromEntries(found)
    if ([all.name, all.property, all.rel].includes(name)) return all
  }
  return {}
}

const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const unescaped = (text: string) => text.replaceAll(/&([\w#]+);/g, (_, name) => characters[name] ?? '?')
