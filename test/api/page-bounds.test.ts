import assert from 'node:assert/strict'
import { test } from 'vitest'
import { pageRoutes } from '../../src/pages/page-list.ts'
import { siteRoutes } from '../../src/routes.ts'
import { startTestApp } from '../support/harness.ts'
import { ask5, keepsConnections, keptConnections, keyOf } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { set, uploaded } from '../support/uploads.ts'

const noRates = { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0', SERVICE_RATE_SEARCH: '0' }

/** Address and headers are at most 16,384 bytes long together, so no value is longer. */
const longest = 14_000
const mostBytes = 262_144

const hostileValues = [
  'tag:a '.repeat(longest / 6),
  'a,'.repeat(longest / 2),
  '<&"\''.repeat(longest / 12),
  '\0',
  '9'.repeat(longest),
].map((value) => encodeURIComponent(value).slice(0, longest))

/** The names of the parameters that a request makes the server read. */
async function namesRead(work: () => Promise<unknown>): Promise<Set<string>> {
  const names = new Set<string>()
  const { get, has } = URLSearchParams.prototype
  URLSearchParams.prototype.get = function (name) {
    names.add(name)
    return get.call(this, name)
  }
  URLSearchParams.prototype.has = function (name) {
    names.add(name)
    return has.call(this, name)
  }
  try {
    await work()
  } finally {
    Object.assign(URLSearchParams.prototype, { get, has })
  }
  return names
}

test('every page answers the longest values of its parameters, and thousands of them, briefly', {
  timeout: 600_000,
}, async () => {
  await using app = await startTestApp({ environment: { ...noRates, ...keepsConnections } })
  const cats = await app.tenant('cats')
  await set(app, cats, { listing: 'public' })
  using kept = keptConnections(app)
  const key = await keyOf(app, cats, 'admin')
  const album = await ask5(app, cats, 'POST albums', { key, body: { title: 'Trip', privacy: 'public' } })
  const fields = { album_id: album.json.id, tags: 'dusk' }
  const { id_encoded: file } = await uploaded(app, cats, { fields })
  const ada = await visitAs(kept, cats)
  const values: Record<string, string> = { id: file, key: 'dusk', token: 'none', part: 'listing' }
  const nameIn: Record<string, string> = { album: album.json.id, tag: 'dusk', user: 'ada', image: file }
  const pathOf = (path: string) =>
    path.replaceAll(/\{(\w+)\}|\*/g, (_all, name = 'path') =>
      name === 'name' ? (nameIn[path.split('/')[1] ?? ''] ?? 'ada') : (values[name] ?? 'none'),
    )
  const pages = [...pageRoutes, ...siteRoutes]
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => pathOf(path))
  assert.ok(pages.length > 60)

  const faults: string[] = []
  const headers = { 'sec-fetch-site': 'same-origin' }
  const ask = async (address: string, cookie: string | undefined) => {
    const { status, text } = await askPage(kept, cats, `GET ${address}`, {
      headers,
      ...(cookie && { cookie }),
    })
    const isBrief = Buffer.byteLength(text) <= mostBytes
    if (status >= 500 || !isBrief) faults.push(`${address.slice(0, 60)}: ${status}, ${text.length} bytes`)
  }
  for (const page of new Set(pages))
    for (const cookie of page.startsWith('/dashboard') ? [ada.cookie] : [ada.cookie, undefined]) {
      // A list is what makes the other parameters be read.
      const start = page.startsWith('/-/files/') ? `${page}?in=search:a&` : `${page}?`
      const names = await namesRead(() => ask(start, cookie))
      for (const name of [...names, 'unknown']) {
        for (const value of hostileValues) await ask(`${start}${name}=${value}`, cookie)
        await ask(`${start}${`${name}=a&`.repeat(longest / (name.length + 3))}`, cookie)
      }
      if (page.startsWith('/-/files/'))
        for (const value of hostileValues) await ask(`${page}?in=search:${value}`, cookie)
    }
  assert.deepEqual(faults, [])
})

test('a longer address is refused before it is read', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const { status, text } = await askPage(app, cats, `GET /search?q=${'a'.repeat(65_536)}`)
  assert.equal(status, 431)
  assert.ok(text.length < 4_096)
})
