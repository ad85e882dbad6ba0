import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { create } from '../support/clients/resumable.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { onSiteOf, set, type TestTenant, upload, uploaded } from '../support/uploads.ts'

const noRates = { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0', SERVICE_RATE_SEARCH: '0' }
const hostile = '!['.repeat(32_000)

async function started(environment: Record<string, string> = {}) {
  const app = await startTestApp({ environment: { ...noRates, ...environment } })
  const cats = await app.tenant('cats')
  await set(app, cats, { listing: 'public' })
  return { app, cats, key: await keyOf(app, cats, 'admin') }
}

/** CPU of this process in ms: of all threads, and of the one in which the server and this test run. */
async function cpuOf(work: () => Promise<unknown>): Promise<{ all: number; own: number }> {
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()]
  await work()
  const [later, ownLater] = [process.cpuUsage(all), process.threadCpuUsage(own)]
  return { all: (later.user + later.system) / 1_000, own: (ownLater.user + ownLater.system) / 1_000 }
}

/** A page that was written before there was a limit. */
const writeOld = (app: TestApp, tenant: TestTenant, body: string) =>
  onSiteOf(app, tenant, (site) => {
    const at = site.clock.now().toISOString()
    const times = { createdAt: at, updatedAt: at }
    const page = {
      id: 'old',
      urlKey: 'old',
      title: 'Old',
      body,
      isVisible: 1,
      sortOrder: 0,
      version: 1,
      ...times,
    }
    return site.db.insertInto('page').values(page).execute()
  })

describe('a page of Markdown that takes too long to render', () => {
  test('is not saved, by API and by page, and the reason is shown', async () => {
    const { app, cats, key } = await started()
    await using _ = app
    const fields = { url_key: 'a', title: 'A', body: hostile }
    const made = await ask5(app, cats, 'POST pages', { key, body: fields })
    assert.deepEqual(problem(made), [400, 'invalid'])
    assert.equal(made.json.errors[0].pointer, '#/body')
    const good = { ...fields, body: '# Terms\n\n| a |\n|---|\n| b |\n' }
    assert.equal((await ask5(app, cats, 'POST pages', { key, body: good })).status, 201)
    const changed = await ask5(app, cats, 'PATCH pages/a', { key, body: { body: hostile } })
    assert.deepEqual(problem(changed), [400, 'invalid'])
    assert.equal(changed.json.errors[0].pointer, '#/body')
    assert.equal((await ask5(app, cats, 'PATCH pages/a', { key, body: { title: 'B' } })).status, 200)

    const ada = await visitAs(app, cats)
    const { json } = await ask5(app, cats, 'GET pages/a', { key })
    for (const [path, action] of [
      ['/dashboard/pages/new', 'save'],
      ['/dashboard/pages/new', 'preview'],
      [`/dashboard/pages/${json.id}`, 'save'],
      [`/dashboard/pages/${json.id}`, 'preview'],
    ] as const) {
      const form = { url_key: 'b', title: 'B', body: hostile, version: String(json.version), action }
      const { status, text } = await ada.send(path, form)
      assert.equal(status, 400, `${path} ${action}`)
      assert.match(text, /takes too long to display/)
    }
    assert.equal((await ask5(app, cats, 'GET pages/a', { key })).json.body, good.body)
    for (const [language, label] of [
      ['en', 'Table'],
      ['de', 'Tabelle'],
    ] as const) {
      const headers = { 'accept-language': language }
      const shown = await askPage(app, cats, 'GET /page/a', { headers })
      assert.match(shown.text, /<h2 dir="auto">Terms<\/h2>/)
      assert.match(shown.text, new RegExp(`role="region" tabindex="0" aria-label="${label}`))
    }
  })

  test('is rendered beside the server, and once', async () => {
    const { app, cats } = await started()
    await using _ = app
    await writeOld(app, cats, `${hostile} once`)
    await askPage(app, cats, 'GET /')
    const show = async () => {
      const { status, text } = await askPage(app, cats, 'GET /page/old')
      assert.equal(status, 200)
      assert.match(text, /<pre dir="auto">!\[!\[/)
    }
    const first = await cpuOf(show)
    assert.ok(first.own < first.all / 2, JSON.stringify(first))
    const second = await cpuOf(show)
    assert.ok(second.all < first.all / 2, JSON.stringify({ first, second }))
  })

  test('holds up no page of another site', async () => {
    const { app, cats } = await started()
    await using _ = app
    const dogs = await app.tenant('dogs')
    const key = await keyOf(app, dogs, 'admin')
    await writeOld(app, cats, '# Terms')
    let ended = 0
    const flood = Array.from({ length: 30 }, async (_each, index) => {
      const body = { url_key: `a${index}`, title: 'A', body: `${index}${hostile}` }
      const { status } = await ask5(app, dogs, 'POST pages', { key, body })
      ended += 1
      assert.ok(status === 400 || status === 503, String(status))
    })
    assert.equal((await askPage(app, cats, 'GET /page/old')).status, 200)
    assert.ok(ended < flood.length, 'The page of cats came last')
    await Promise.all(flood)
  })
})

/** Each makes a text of at least this length. */
const patterns: Readonly<Record<string, (length: number) => string>> = {
  ...Object.fromEntries(
    [
      '![',
      '[',
      '*',
      '_',
      '`',
      '<',
      '&',
      '=',
      '.',
      '/',
      '-',
      ' ',
      '(',
      'a@',
      '"',
      '{',
      '\\',
      ';',
      ',',
      '~',
      '%',
    ].map((piece) => [`${piece} x`, (length: number) => `a${piece.repeat(length / piece.length)}x`]),
  ),
  marks: (length) => `a${'\u0301\u0316'.repeat(length / 2)}`,
  'a tag: x': (length) => 'tag:"'.repeat(length / 5),
}

type Door = (text: string) => Promise<unknown>

/** What a user writes, through the doors of the application. The second number is the length that fits. */
async function doorsOf(app: TestApp, cats: TestTenant, key: string): Promise<Record<string, [number, Door]>> {
  const { id_encoded: id } = await uploaded(app, cats)
  const patch = (body: object) => ask5(app, cats, `PATCH files/${id}`, { key, body })
  const inHeader = (path: string, name: string) => (text: string) =>
    askPage(app, cats, `GET ${path}`, { headers: { [name]: encodeURI(text).slice(0, 14_000) } })
  const inQuery = (path: string) => (text: string) =>
    askPage(app, cats, `GET ${path}${encodeURIComponent(text).slice(0, 14_000)}`)
  const ada = await visitAs(app, cats)
  return {
    'a tag': [64_000, (text) => patch({ tags: [text] })],
    title: [64_000, (text) => patch({ title: text })],
    description: [64_000, (text) => patch({ description: text })],
    'a short description': [4_800, (text) => patch({ description: text })],
    'tags of an upload': [64_000, (text) => upload(app, cats, { fields: { tags: text } })],
    'title of an upload': [
      64_000,
      (text) => upload(app, cats, { fields: { title: text, description: text } }),
    ],
    'name of a file': [8_000, (text) => upload(app, cats, { fileName: text.replaceAll(/["\\]/g, '') })],
    'a form field': [64_000, (text) => upload(app, cats, { form: { source: text, expiration: text } })],
    metadata: [8_000, (text) => create([app, cats], { key, length: 9, metadata: { filename: text } })],
    'raw metadata': [
      14_000,
      (text) =>
        create([app, cats], {
          key,
          length: 9,
          headers: { 'upload-metadata': `filename ${text.replaceAll(/[^\x21-\x7e]/g, '=')}` },
        }),
    ],
    album: [
      64_000,
      (text) => ask5(app, cats, 'POST albums', { key, body: { title: text, description: text } }),
    ],
    'a category': [64_000, (text) => ask5(app, cats, 'POST categories', { key, body: { name: text } })],
    'a user': [
      64_000,
      (text) => {
        const body = {
          username: text,
          email: `${text}@example.com`,
          password: 'a long password',
          role: 'user',
        }
        return ask5(app, cats, 'POST users', { key, body })
      },
    ],
    'a log-in': [
      64_000,
      (text) => askPage(app, cats, 'POST /login', { form: { login: text, password: text } }),
    ],
    branding: [64_000, (text) => ada.send('/dashboard/branding', { site_name: text, accent: text })],
    template: [64_000, (text) => ada.send('/settings/uploads', { template: text, copy_template: text })],
    'a page': [60_000, (text) => ada.send('/dashboard/pages/new', { url_key: text, title: text, body: '' })],
    search: [14_000, inQuery('/search?q=')],
    'a search of albums': [
      14_000,
      (text) => ask5(app, cats, `GET albums?q=${encodeURIComponent(text).slice(0, 14_000)}`, { key }),
    ],
    'a list': [14_000, inQuery('/-/files/shape?in=tag:')],
    'a position': [14_000, inQuery('/explore?after=')],
    'a path': [14_000, inQuery('/image/')],
    'a path of bytes': [14_000, inQuery('/images/')],
    person: [14_000, inQuery('/user/')],
    ...Object.fromEntries(
      [
        'accept-language',
        'cookie',
        'if-none-match',
        'range',
        'accept',
        'user-agent',
        'referer',
        'forwarded',
      ].map((name) => [name, [14_000, inHeader('/explore', name)]] as const),
    ),
  }
}

describe('a hostile text costs what its length costs', () => {
  test('in every field that a user writes', { timeout: 600_000 }, async () => {
    const { app, cats, key } = await started({ SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0' })
    await using _ = app
    const doors = await doorsOf(app, cats, key)
    const slow: string[] = []
    for (const [door, [length, send]] of Object.entries(doors))
      for (const [pattern, textOf] of Object.entries(patterns)) {
        const cost = async (size: number) => (await cpuOf(() => send(textOf(size)))).own
        // Eight times the text: quadratic work is 64 times as much. What takes less than 60 ms is not distinguished from noise.
        const long = await cost(length)
        if (long < 60) continue
        const short = await cost(length / 8)
        // Other work of the process may fall into one measurement, but not into each of five.
        let least = long
        for (let again = 0; again < 4 && least > 24 * short; again += 1)
          least = Math.min(least, await cost(length))
        if (least > 24 * short) slow.push(`${door}: ${pattern}`)
      }
    assert.deepEqual(slow, [])
  })
})
