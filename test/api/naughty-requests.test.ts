import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { createSession } from '../../src/accounts/index.ts'
import { pageRoutes } from '../../src/pages/page-list.ts'
import { mediaRoutes, siteRoutes } from '../../src/routes.ts'
import { browserHeaders } from '../support/delivered.ts'
import { assertHealthy } from '../support/doctor.ts'
import {
  addressOf,
  formOf,
  headersOf,
  jsonOf,
  naughtyText,
  queryNamesOf,
} from '../support/fixtures/naughty-requests.ts'
import { type Answer, onEachStore, type StoreKind, startTestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, tokenIn } from '../support/pages.ts'
import { runsOf } from '../support/tiers.ts'
import { onSiteOf, picture, set, uploaded, userWithKey } from '../support/uploads.ts'

const environment = {
  SERVICE_RATE_READS: '0',
  SERVICE_RATE_WRITES: '0',
  SERVICE_RATE_SEARCH: '0',
  SERVICE_ENABLE_SIGNUP: '1',
  SERVICE_MAX_FILES: '50',
}

/** A site with one of everything, and the words that lead to it. */
async function furnish(store: StoreKind) {
  const app = await startTestApp({ store, environment })
  const cats = await app.tenant('cats')
  await set(app, cats, { public_key: 'a-key-for-every-guest', listing: 'public' })
  const key = await keyOf(app, cats, 'admin')
  const made = async (call: string, body: object) => (await ask5(app, cats, call, { key, body })).json
  const bob = await userWithKey(app, cats, 'bobby')
  const album = await made('POST albums', { title: 'Box', privacy: 'password', password: 'a word' })
  const category = await made('POST categories', { name: 'Pets' })
  const page = await made('POST pages', { url_key: 'imprint', title: 'Imprint', body: 'Text' })
  const image = await uploaded(app, cats, { fields: { tags: 'cat', album_id: album.id } })
  const loose = await uploaded(app, cats, { file: await picture({ seed: 2 }) })
  const share = await made(`POST albums/${album.id}/shares`, { allow_upload: true, password: 'a word' })
  const pathOf = (url: string) => new URL(url).pathname
  const lastOf = (url: string) => pathOf(url).split('/').at(-1) ?? ''
  const known = [
    'cat',
    'imprint',
    'pets',
    'bobby',
    'ada',
    'me',
    'none',
    '1',
    'a word',
    `${category.id}`,
    bob.userId,
    image.id_encoded,
    loose.id_encoded,
    album.id,
    page.id,
    share.id,
    lastOf(share.url),
    lastOf(image.url_viewer),
    lastOf(image.delete_url),
    pathOf(loose.url).replace('/images/', ''),
    'trash',
    'restore',
    'remove',
    'approve',
    'keep',
    'explore',
    'mine',
    `album:${album.id}`,
    'tag:cat',
  ]
  return {
    app,
    cats,
    key,
    known,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** 503 says that something is not set up here, such as mail; 500 and all others are faults of ours. */
function assertAnswered({ status, text }: Answer, request: string): void {
  assert.ok(status < 500 || status === 503, `${status} to ${request}: ${text.slice(0, 500)}`)
}

onEachStore('requests of any kind', (store) => {
  test('to deliveries, shares and the upload API get an answer', { timeout: 900_000 }, async () => {
    await using world = await furnish(store)
    const { app, cats, known } = world
    const names = [
      'key',
      'source',
      'title',
      'tags',
      'album_id',
      'category_id',
      'width',
      'expiration',
      'nsfw',
      'format',
      'url',
      'maxwidth',
      'maxheight',
      'password',
      's',
      'e',
      'sh',
      'v',
      'confirm',
      'callback',
      'type',
    ]
    const requests = fc.constantFrom(...siteRoutes).chain(({ method, path, endpoint }) =>
      fc.record({
        method: fc.constant(method),
        address: addressOf(path, { names: [...names, ...queryNamesOf(endpoint)], known }),
        headers: headersOf(known),
        body: fc.oneof(formOf(names, known), multipartOf(names, known), jsonOf(endpoint, known)),
        key: fc.constantFrom(cats.apiKey, 'a-key-for-every-guest', 'wrong'),
      }),
    )
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, address, headers, body, key }) => {
        // Names that are looked up would leave this machine.
        const bytes = method === 'GET' ? '' : body.replaceAll(/https?(:|%3a)/gi, 'x$1')
        const answer = await app.send(method, address, {
          bytes,
          headers: {
            host: cats.hostname,
            ...browserHeaders,
            'x-api-key': key,
            'sec-fetch-site': 'same-origin',
            ...(bytes !== '' && { 'content-type': typeOf(bytes) }),
            ...headers,
          },
        })
        assertAnswered(answer, `${method} ${address} ${JSON.stringify(headers)} ${bytes.slice(0, 2_000)}`)
      }),
      { numRuns: runsOf(1_500, 80) },
    )
    await assertHealthy(app.app)
  })

  test("to the site's own API get an answer", { timeout: 900_000 }, async () => {
    await using world = await furnish(store)
    const { app, cats, key, known } = world
    const requests = fc.constantFrom(...mediaRoutes).chain(({ method, path, endpoint }) =>
      fc.record({
        method: fc.constant(method),
        address: addressOf(path, { names: ['cursor', 'limit', ...queryNamesOf(endpoint)], known }),
        headers: headersOf(known),
        body: jsonOf(endpoint, known),
      }),
    )
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, address, headers, body }) => {
        const bytes = method === 'GET' ? '' : body
        const answer = await app.send(method, address, {
          bytes,
          headers: {
            host: cats.hostname,
            'x-api-key': key,
            'tus-resumable': '1.0.0',
            ...(bytes !== '' && { 'content-type': 'application/json' }),
            ...headers,
          },
        })
        assertAnswered(answer, `${method} ${address} ${JSON.stringify(headers)} ${bytes.slice(0, 2_000)}`)
      }),
      { numRuns: runsOf(1_500, 80) },
    )
    await assertHealthy(app.app)
  })

  test('to every page and form, those of the dashboard among them, get an answer', {
    timeout: 900_000,
  }, async () => {
    await using world = await furnish(store)
    const { app, cats, known } = world
    let here = await sessionOf(world)
    const fields = await fieldsOfForms(
      (path) => askPage(app, cats, `GET ${path}`, { cookie: here.cookie }),
      known,
    )
    assert.ok(fields.size > 30, 'pages tell the fields of their forms')
    const routes = pageRoutes.filter(({ path }) => path !== '/logout')
    const requests = fc.constantFrom(...routes).chain(({ method, path }) => {
      const names = [
        ...(fields.get(path) ?? []),
        'after',
        'q',
        'sort',
        'page',
        'version',
        'action',
        'id',
        'to',
      ]
      return fc.record({
        method: fc.constant(method),
        path: fc.constant(path),
        address: addressOf(path, { names, known }),
        headers: headersOf(known).map(({ cookie: _, 'content-type': __, origin: ___, ...rest }) => rest),
        body: formOf(names, known),
      })
    })
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, address, headers, body }) => {
        const bytes = method === 'GET' ? '' : `csrf=${here.csrf}&${body}`
        const answer = await app.send(method, address, {
          bytes,
          headers: {
            host: cats.hostname,
            ...browserHeaders,
            cookie: here.cookie,
            'sec-fetch-site': 'same-origin',
            'x-csrf-token': here.csrf,
            'x-terrace-page': '1',
            ...(bytes !== '' && { 'content-type': 'application/x-www-form-urlencoded' }),
            ...headers,
          },
        })
        assertAnswered(answer, `${method} ${address} ${JSON.stringify(headers)} ${bytes.slice(0, 2_000)}`)
        const isEnded = answer.headers.location?.startsWith('/login')
        if (isEnded || String(answer.headers['set-cookie']).includes('session='))
          here = await sessionOf(world)
      }),
      { numRuns: runsOf(2_000, 100) },
    )
    await assertHealthy(app.app)
  })
})

/** Not by the log-in: wrong passwords of other requests have closed it to this address. */
async function sessionOf({ app, cats }: Pick<Awaited<ReturnType<typeof furnish>>, 'app' | 'cats'>) {
  const token = await onSiteOf(app, cats, async (site) => {
    const { id: userId } = await site.db
      .selectFrom('user')
      .select('id')
      .where('username', '=', 'ada')
      .executeTakeFirstOrThrow()
    return (
      await createSession(site, {
        userId,
        address: '127.0.0.1',
        userAgent: '',
        isLasting: true,
        steps: { method: 'password', factor: null },
      })
    ).token
  })
  const cookie = `terrace-session=${token}`
  return { cookie, csrf: tokenIn(await askPage(app, cats, 'GET /settings', { cookie })) }
}

const boundary = 'a-line-between'

/** A form with files as a browser sends it, with names and texts of any kind, some of them more than once. */
const multipartOf = (names: readonly string[], known: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(
      fc.record({
        name: fc.constantFrom(...names, 'source', 'files', 'other'),
        filename: fc.option(naughtyText(known), { nil: undefined }),
        text: naughtyText(known),
      }),
      { maxLength: 5 },
    )
    .map((parts) => {
      const bytes = parts.map(({ name, filename, text }) => {
        const file = filename === undefined ? '' : `; filename="${filename}"`
        return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`
      })
      return `${bytes.join('')}--${boundary}--\r\n`
    })

function typeOf(bytes: string): string {
  if (bytes.startsWith(`--${boundary}`)) return `multipart/form-data; boundary=${boundary}`
  return /^[[{"]/.test(bytes) ? 'application/json' : 'application/x-www-form-urlencoded'
}

/** The names of the fields of every form that pages show, by the route that takes it. */
async function fieldsOfForms(
  show: (path: string) => Promise<Answer>,
  known: readonly string[],
): Promise<Map<string, Set<string>>> {
  const fields = new Map<string, Set<string>>()
  const posts = pageRoutes
    .filter(({ method }) => method === 'POST')
    .map(({ path }) => ({ path, form: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  for (const { method, path } of pageRoutes) {
    if (method !== 'GET') continue
    const addresses = path.includes('{')
      ? known.map((word) => path.replaceAll(/\{\w+\}/g, encodeURIComponent(word)))
      : [path]
    for (const address of addresses) {
      const { text, status } = await show(address)
      if (status !== 200) continue
      for (const [form = '', action = address] of text.matchAll(
        /<form(?: action="([^"]*)"| (?!action)[^ >]*)*[^>]*>[\s\S]*?<\/form>/g,
      ))
        for (const route of posts.filter((each) => each.form.test(action))) {
          const names = fields.get(route.path) ?? new Set()
          for (const [, name = ''] of form.matchAll(/ name="([^"]+)"/g)) if (name !== 'csrf') names.add(name)
          fields.set(route.path, names)
        }
    }
  }
  return fields
}
