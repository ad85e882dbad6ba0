import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { ask, browserHeaders } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { statsOf, uploaded } from '../support/uploads.ts'

const deleted = '{"status_code":200,"success":{"message":"file deleted","code":200},"status_txt":"OK"}'

/** Who looks at links without meaning them, and what they accept. */
const previewers = [
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Slack-ImgProxy (+https://api.slack.com/robots)',
  'Twitterbot/1.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'WhatsApp/2.23.20.0',
  'TelegramBot (like TwitterBot)',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; +http://www.linkedin.com)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (Windows NT 6.1) BingPreview/1.0b',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
  'Microsoft Office/16.0 (Microsoft Outlook 16.0.17531; Pro)',
  'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
  'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  'http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/) Bot',
  'Synapse (bot; +https://github.com/matrix-org/synapse)',
  'Barracuda Sentinel (EE)',
  'Iframely/1.3.1 (+https://iframely.com/docs/about)',
  'Mozilla/5.0 (compatible; Baiduspider/2.0)',
  'Tumblr/14.0.835.186',
  'vkShare; http://vk.com/dev/Share',
]

const language = { 'accept-language': 'en-US,en;q=0.5' }

/** What no list of names tells: unknown previewers and caches, and browsers over plain HTTP, which send no Sec-Fetch. */
const unknownReaders: Record<string, string>[] = [
  { accept: '*/*', range: 'bytes=0-32768' },
  { accept: '*/*', range: 'bytes=0-524287', 'user-agent': 'LinkPeek/1.0' },
  { accept: '*/*', from: 'crawler@example.org', 'user-agent': 'curl/8.14.1' },
  { 'if-none-match': '"a"' },
  { 'if-modified-since': 'Sun, 15 Nov 2026 00:00:00 GMT' },
  { accept: '*/*', ...language },
  { accept: '*/*', referer: 'http://forum.example.org/thread/7' },
  { accept: 'text/css,*/*;q=0.1', ...language, 'user-agent': browserHeaders['user-agent'] },
  { accept: 'application/json', range: 'bytes=0-1023' },
  { accept: 'application/json', 'sec-purpose': 'prefetch' },
]

onEachStore('a delete link', (store) => {
  test('asks clients that may not mean it to confirm, whatever they accept', async () => {
    await using app = await startTestApp({ store })
    const image = await uploaded(app, await app.tenant('cats'), { fields: { title: '<i>Cat</i>' } })
    const asked: Record<string, string>[] = [
      browserHeaders,
      { accept: 'text/html' },
      { accept: 'application/json, text/html;q=0.1' },
      // A browser that takes the address for a picture.
      { accept: 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5' },
      {
        accept: '*/*',
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'no-cors',
        'sec-fetch-dest': 'image',
      },
      ...['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip'].map((it) => ({
        'sec-purpose': it,
      })),
      ...['prefetch', 'preview'].map((it) => ({ purpose: it })),
      { 'x-moz': 'prefetch' },
      { 'x-purpose': 'preview' },
      ...previewers.map((it) => ({ accept: '*/*', 'user-agent': it })),
      ...unknownReaders,
    ]
    for (const headers of asked) {
      const { status, headers: answered, text } = await ask(app, image.delete_url, headers)
      assert.equal(status, 200)
      assert.equal(answered['content-type'], 'text/html; charset=utf-8', JSON.stringify(headers))
      assert.equal(answered['cache-control'], 'no-store')
      assert.equal(answered['x-robots-tag'], 'noindex')
      assert.equal(answered['referrer-policy'], 'no-referrer')
      assert.match(String(answered['content-security-policy']), /default-src 'none'.*form-action 'self'/)
      assert.match(text, /<form method="post"/)
      assert.match(text, /&lt;i&gt;Cat&lt;\/i&gt;/)
      assert.ok(!text.includes('<i>'))
    }
    for (const headers of [browserHeaders, {}]) {
      const { status, bytes } = await ask(app, image.delete_url, headers, 'HEAD')
      assert.deepEqual([status, bytes.length], [200, 0])
    }
    assert.equal((await ask(app, image.delete_url, {}, 'OPTIONS')).status, 204)
    assert.equal((await ask(app, image.url)).status, 200)
  })

  test("deletes by the page's form, and then shows the way home", async () => {
    await using app = await startTestApp({ store })
    const image = await uploaded(app, await app.tenant('cats'))
    const { status, headers } = await ask(app, image.delete_url, browserHeaders, 'POST')
    assert.equal(status, 303)
    assert.equal(headers.location, '/')
    await assertGone(app, image)
  })

  test('deletes at once for programs, and says so', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const before = await statsOf(app, cats)
    const programs: [string, Record<string, string>][] = [
      ['GET', {}],
      ['GET', { accept: '*/*', 'user-agent': 'curl/8.14.1' }],
      ['GET', { accept: 'application/json' }],
      ['GET', { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' }],
      ['GET', { accept: 'application/json, text/plain, */*', ...language, 'user-agent': 'okhttp/5.1.0' }],
      ['GET', { accept: '*/*', 'accept-encoding': 'gzip', 'user-agent': 'Uploader/1.0 (unheard of)' }],
      ['DELETE', { accept: '*/*', ...language, range: 'bytes=0-1' }],
      ['POST', { accept: '*/*' }],
      ['DELETE', {}],
      ['DELETE', browserHeaders],
    ]
    for (const [method, headers] of programs) {
      const image = await uploaded(app, cats)
      assert.equal((await statsOf(app, cats)).files, 1)
      const answer = await ask(app, image.delete_url, headers, method)
      assert.equal(answer.status, 200, method)
      assert.equal(answer.text, deleted)
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
      await assertGone(app, image)
      assert.deepEqual(await statsOf(app, cats), before)
    }
    assert.deepEqual(storedFiles(app), [])
  })

  test('does nothing with a wrong token, for another file, on another site, or after the expiration', async () => {
    await using app = await startTestApp({ store })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const image = await uploaded(app, cats, { fields: { expiration: 'PT5M' } })
    const other = await uploaded(app, cats)
    const token = image.delete_url.slice(-48)
    const wrong = [
      `${other.url_short}/delete/${token}`,
      `${image.url_short}/delete/${token.slice(1)}`,
      `${image.url_short}/delete/${'0'.repeat(48)}`,
      `${image.url_short}/delete/%00`,
      `${image.url_short}/delete/%F0%9F%90%88`,
      `${image.url_short}%00/delete/${token}`,
      `${image.url_short}x/delete/${token}`,
      image.delete_url.replace('/image/', '/video/'),
      image.delete_url.replace('cats.test', dogs.hostname),
    ]
    const texts = new Set<string>()
    for (const url of wrong) {
      for (const method of ['GET', 'POST', 'DELETE', 'HEAD']) {
        const { status, text, headers } = await ask(app, url, {}, method)
        assert.equal(status, 404, `${method} ${url}`)
        assert.equal(headers['referrer-policy'], 'no-referrer')
        if (method !== 'HEAD') texts.add(text)
      }
      assert.equal((await ask(app, url, browserHeaders)).status, 404)
    }
    assert.equal(texts.size, 1)
    assert.equal((await ask(app, image.url)).status, 200)
    app.wait(300)
    assert.equal((await ask(app, image.delete_url, {}, 'DELETE')).status, 404)
    assert.equal((await ask(app, other.url)).status, 200)
  })

  test('works once, however many follow it at the same time', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => ask(app, image.delete_url, {}, 'DELETE')),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(404)])
    const { files, storage_used: used } = await statsOf(app, cats)
    assert.deepEqual([files, used], [0, 0])
  })
})

async function assertGone(app: TestApp, image: any): Promise<void> {
  const addresses = [image.url, image.thumb.url, image.url_viewer, image.url_short, image.delete_url]
  for (const url of addresses) {
    for (const headers of [{}, browserHeaders]) assert.equal((await ask(app, url, headers)).status, 404, url)
  }
}

function storedFiles(app: TestApp): string[] {
  return readdirSync(join(app.dataDir, 'sites'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.includes('/files/'))
    .map(({ name }) => name)
}
