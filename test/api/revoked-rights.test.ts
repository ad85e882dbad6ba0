import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'vitest'
import { editUser } from '../../src/accounts/index.ts'
import { type SiteTableName, siteTableNames } from '../../src/db/tables.ts'
import { mediaRoutes } from '../../src/routes.ts'
import { created, metadataOf } from '../support/clients/resumable.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'
import { multipartOf, onSiteOf, picture, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  bytes: Buffer
}

interface Answered {
  status: number
  location: string
  text: string
}

/** Sends a request whose body begins once the server, which knows the caller by then, asks for it and `meanwhile` is done. */
async function sendSlowly(
  { port }: TestApp,
  { method, path, headers, bytes }: Sent,
  meanwhile: () => Promise<unknown>,
): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const length = { 'content-length': String(bytes.length), expect: '100-continue' }
  const sending = request({ port, host: '127.0.0.1', method, path, headers: { ...headers, ...length } })
  let isAskedFor = false
  sending.on('error', reject)
  sending.on('continue', () => {
    isAskedFor = true
    meanwhile().then(() => sending.end(bytes), reject)
  })
  sending.on('response', async (response) => {
    const chunks = await response.toArray()
    const { statusCode: status = 0, headers: received } = response
    resolve({ status, location: received.location ?? '', text: Buffer.concat(chunks).toString() })
  })
  sending.flushHeaders()
  const answer = await promise
  assert.ok(isAskedFor, `${method} ${path} was answered before its body: ${answer.status} ${answer.text}`)
  return answer
}

/** Written by the end of the rights itself; an upload begins before its bytes, and ends with its time. */
const besides: readonly SiteTableName[] = ['audit', 'auditHead', 'total', 'session', 'resumableUpload']

/** Every row that a request could have changed: not the caller's own, nor the keys that the requests are sent with. */
const dumpOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ db }) => {
    const dump: Record<string, string[]> = {}
    for (const name of siteTableNames) {
      if (besides.includes(name)) continue
      const rows = (await db.selectFrom(name).selectAll().execute()) as Record<string, unknown>[]
      const others = rows.filter((row) => row.username !== 'mia' && !String(row.name).startsWith('admin '))
      dump[name] = others.map((row) => JSON.stringify({ ...row, lastUsedAt: '', lastUsedAddress: '' })).sort()
    }
    return dump
  })

const json = (value: unknown) => ({
  headers: { 'content-type': 'application/json' },
  bytes: Buffer.from(JSON.stringify(value)),
})

/** Calls that read no body, so nothing can happen between the check of the caller and the change. */
const withoutBody = new Set(['DELETE /api/5/uploads/{id}'])

/** Calls that change nothing for a caller with rights, or whose right is not the caller's. */
const others = new Set([
  'POST /api/5/sessions',
  'POST /api/5/shares/open',
  'POST /api/5/shares/{token}/files',
  'POST /api/5/sign',
])

/** Each call that changes something, and whose caller may lose the right to it while the body is sent. */
const walked = mediaRoutes
  .filter(({ method }) => method !== 'GET' && method !== 'HEAD')
  .map(({ method, path }) => `${method} ${path}`)
  .filter((call) => !withoutBody.has(call) && !others.has(call))

interface SentWithKey extends Sent {
  key: string
}

/** Fills a site and returns, for each call, a request of the administrator Mia that would change it. */
async function prepareRequests(app: TestApp, cats: TestTenant) {
  const ada = await keyOf(app, cats, 'admin')
  const { userId } = await userWithKey(app, cats, 'mia', 'admin')
  const ask = async (call: string, body?: unknown) => {
    const answer = await ask5(app, cats, call, { key: ada, body })
    assert.ok(answer.status < 300, `${call}: ${answer.text}`)
    return answer.json
  }
  const png = await picture()
  const bob = await userWithKey(app, cats, 'bob')
  const mias = await keyOf(app, cats, 'admin', userId)
  const mia5 = async (call: string, body?: unknown) => {
    const answer = await ask5(app, cats, call, { key: mias, body })
    assert.ok(answer.status < 300, `${call}: ${answer.text}`)
    return answer.json
  }
  const album = await mia5('POST albums', { title: 'Hers' })
  const image = await uploaded(app, cats, { key: mias, fields: { album_id: album.id, tags: 'cat' } })
  const file = image.id_encoded
  const trashed = (
    await uploaded(app, cats, {
      key: mias,
      parts: [{ name: 'source', fileName: 'b.png', value: await picture({ seed: 2 }) }],
    })
  ).id_encoded
  await ask(`DELETE files/${trashed}`)
  const share = await mia5(`POST albums/${album.id}/shares`, { name: 'first' })
  await ask('PUT presets/card', { width: 100 })
  const category = await ask('POST categories', { name: 'Cats' })
  const page = await ask('POST pages', { url_key: 'imprint', title: 'Imprint', body: 'We' })
  const other = await mia5('POST keys', { name: 'other' })
  const session = await logIn(app, cats)
  const [upload = '', upload2 = ''] = await Promise.all(
    [1, 2].map(() => created([app, cats], { key: mias, length: png.length })),
  )

  const tus = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' }
  const raw = { headers: { 'content-type': 'image/png' }, bytes: png }
  /** A request of each call that would change something. */
  const requests: Record<string, { ids?: string; headers?: Record<string, string>; bytes?: Buffer }> = {
    'PATCH /api/5/me': json({ email: 'mia2@example.com', current_password: 'a long password' }),
    'POST /api/5/keys': json({ name: 'new' }),
    'PATCH /api/5/keys/{id}': { ids: other.id, ...json({ name: 'renamed' }) },
    'DELETE /api/5/keys/{id}': { ids: other.id },
    'POST /api/5/keys/{id}/rotate': { ids: other.id, ...json({ overlap_seconds: 0 }) },
    'DELETE /api/5/sessions': {},
    'DELETE /api/5/sessions/{id}': { ids: session.id },
    'POST /api/5/files': { headers: raw.headers, bytes: await picture({ seed: 3 }) },
    'POST /api/5/files/bulk': json({ action: 'edit', ids: [file], set: { title: 'Bulk' } }),
    'PATCH /api/5/files/{id}': { ids: file, ...json({ title: 'Patched' }) },
    'DELETE /api/5/files/{id}': { ids: file },
    'POST /api/5/files/{id}/restore': { ids: trashed },
    'PUT /api/5/files/{id}/content': { ids: file, headers: raw.headers, bytes: await picture({ seed: 4 }) },
    'POST /api/5/files/{id}/revert': { ids: file, ...json({ revision: 1 }) },
    'PUT /api/5/files/{id}/like': { ids: file },
    'DELETE /api/5/files/{id}/like': { ids: file },
    'POST /api/5/files/{id}/reports': { ids: file, ...json({ reason: 'other', text: 'wrong' }) },
    'POST /api/5/uploads': {
      bytes: png,
      headers: {
        ...tus,
        'upload-length': String(png.length),
        'upload-metadata': metadataOf({ filename: 'a.png' }),
      },
    },
    'POST /api/5/uploads/{id}': {
      ids: upload2,
      bytes: png,
      headers: { ...tus, 'upload-offset': '0', 'x-http-method-override': 'PATCH' },
    },
    'PATCH /api/5/uploads/{id}': { ids: upload, headers: { ...tus, 'upload-offset': '0' }, bytes: png },
    'POST /api/5/albums': json({ title: 'New' }),
    'PATCH /api/5/albums/{id}': { ids: album.id, ...json({ title: 'Patched' }) },
    'DELETE /api/5/albums/{id}': { ids: album.id },
    'POST /api/5/albums/{id}/order': { ids: album.id, ...json({ ids: [file], before: null }) },
    'PUT /api/5/albums/{id}/like': { ids: album.id },
    'DELETE /api/5/albums/{id}/like': { ids: album.id },
    'POST /api/5/albums/{id}/shares': { ids: album.id, ...json({ name: 'new' }) },
    'POST /api/5/files/{id}/shares': { ids: file, ...json({ name: 'new' }) },
    'POST /api/5/shares': json({ file_ids: [file] }),
    'PATCH /api/5/shares/{id}': { ids: share.id, ...json({ name: 'patched' }) },
    'DELETE /api/5/shares/{id}': { ids: share.id },
    'POST /api/5/users': json({ username: 'eve', email: 'eve@example.com', password: 'a long one of eve' }),
    'PATCH /api/5/users/{id}': { ids: bob.userId, ...json({ role: 'manager' }) },
    'DELETE /api/5/users/{id}': { ids: `${bob.userId}?files=keep` },
    'DELETE /api/5/users/{id}/totp': { ids: bob.userId },
    'PATCH /api/5/settings': json({ listing: 'public' }),
    'POST /api/5/pages': json({ url_key: 'new', title: 'New', body: 'New' }),
    'PATCH /api/5/pages/{id}': { ids: page.id, ...json({ title: 'Patched' }) },
    'DELETE /api/5/pages/{id}': { ids: page.id },
    'PATCH /api/5/tags/{name}': { ids: 'cat', ...json({ name: 'dog' }) },
    'DELETE /api/5/tags/{name}': { ids: 'cat' },
    'PUT /api/5/presets/{name}': { ids: 'card', ...json({ width: 200 }) },
    'DELETE /api/5/presets/{name}': { ids: 'card' },
    'POST /api/5/signing-key/rotate': json({ overlap_seconds: 0 }),
    'POST /api/5/categories': json({ name: 'Dogs' }),
    'PATCH /api/5/categories/{id}': { ids: String(category.id), ...json({ name: 'Pets' }) },
    'DELETE /api/5/categories/{id}': { ids: String(category.id) },
  }
  assert.deepEqual(walked.toSorted(), Object.keys(requests).toSorted())

  return async (call: string): Promise<SentWithKey> => {
    const { ids, headers, bytes } = requests[call] ?? {}
    const [method = '', path = ''] = call.split(' ')
    const key = await keyOf(app, cats, 'admin', userId)
    const sent = bytes ? { headers, bytes } : json({})
    const filled =
      path.replace(/\{\w+\}/, (ids ?? '').split('?')[0] ?? '') + (/\?.*/.exec(ids ?? '')?.[0] ?? '')
    return {
      key,
      method,
      path: filled,
      bytes: sent.bytes,
      headers: { host: cats.hostname, 'x-api-key': key, ...sent.headers },
    }
  }
}

/** How Mia loses a right while a request is sent, and gets it back. */
interface Loss {
  end: (sent: SentWithKey) => Promise<unknown>
  restore?: () => Promise<unknown>
}

const onMia = (app: TestApp, cats: TestTenant, edit: { isBanned?: boolean; role?: 'admin' | 'user' }) =>
  onSiteOf(app, cats, (site) => editUser(site, { username: 'mia', ...edit }))

const losses: Record<'ban' | 'role' | 'key', (app: TestApp, cats: TestTenant) => Loss> = {
  ban: (app, cats) => ({
    end: () => onMia(app, cats, { isBanned: true }),
    restore: () => onMia(app, cats, { isBanned: false }),
  }),
  role: (app, cats) => ({
    end: () => onMia(app, cats, { role: 'user' }),
    restore: () => onMia(app, cats, { role: 'admin' }),
  }),
  key: (app, cats) => ({
    end: ({ key }) => ask5(app, cats, `DELETE keys/${key.split('_')[1]}`, { key }),
  }),
}

onEachStore('rights that end while the body is sent', (store) => {
  /** Each call is sent with one of the losses, which takes a third of the time of all pairs. */
  async function assertRefused(name: keyof typeof losses): Promise<void> {
    await using app = await startTestApp({
      store,
      environment: { SERVICE_RATE_WRITES: '0', SERVICE_RATE_READS: '0', SERVICE_MAX_KEYS_PER_USER: '0' },
    })
    const cats = await app.tenant('cats')
    const requestOf = await prepareRequests(app, cats)
    const { end, restore } = losses[name](app, cats)
    const before = await dumpOf(app, cats)
    const first = Object.keys(losses).indexOf(name)
    for (const call of walked.filter((_, index) => index % 3 === first)) {
      const sent = await requestOf(call)
      const answer = await sendSlowly(app, sent, () => end(sent))
      assert.ok([401, 403].includes(answer.status), `${call}: ${answer.status} ${answer.text}`)
      await restore?.()
      assert.deepEqual(await dumpOf(app, cats), before, call)
    }
  }

  test('by a ban: no call of the API changes anything', () => assertRefused('ban'), 120_000)
  test('by a lower role: no call of the API changes anything', () => assertRefused('role'), 120_000)
  test('by the deletion of the key: no call of the API changes anything', () => assertRefused('key'), 120_000)

  test('of the upload API: 400 with the number 100, and no file', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const mia = await userWithKey(app, cats, 'mia', 'manager')
    const { type, bytes } = multipartOf([{ name: 'source', fileName: 'a.png', value: await picture() }])
    const ways = { isBanned: true, role: 'user' as const }
    for (const [name, value] of Object.entries(ways)) {
      const headers = { host: cats.hostname, 'x-api-key': mia.key, 'content-type': type }
      const answer = await sendSlowly(app, { method: 'POST', path: '/api/1/upload', headers, bytes }, () =>
        onSiteOf(app, cats, (site) => editUser(site, { username: 'mia', [name]: value })),
      )
      assert.equal(answer.status, 400, answer.text)
      assert.equal(JSON.parse(answer.text).error.code, 100)
      await onSiteOf(app, cats, (site) =>
        editUser(site, { username: 'mia', isBanned: false, role: 'manager' }),
      )
    }
    const files = await onSiteOf(app, cats, ({ db }) => db.selectFrom('file').selectAll().execute())
    assert.deepEqual(files, [])
  })

  test('by a ban, the end of the session or a lower role: no form changes anything', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await userWithKey(app, cats, 'mia', 'admin')
    const bob = await userWithKey(app, cats, 'bob')
    const forms: Record<string, Record<string, string>> = {
      '/albums/new': { title: 'New', privacy: 'public' },
      '/settings/page-keys': { 'letter-keys': '0' },
      '/dashboard/categories': { name: 'Cats' },
      '/dashboard/pages/new': { url_key: 'new', title: 'New', body: 'New', is_visible: '1' },
      '/dashboard/settings/listing': { listing: 'public', seen_listing: 'off' },
      [`/dashboard/users/${bob.userId}/ban`]: { ban: '1', version: '1' },
    }
    const before = await dumpOf(app, cats)
    let number = 0
    for (const [path, form] of Object.entries(forms)) {
      const here = await visitAs(app, cats, { login: 'mia', password: 'a long password' })
      const session = { cookie: here.cookie, 'sec-fetch-site': 'same-origin' }
      const [end, restore] = [
        [() => onMia(app, cats, { isBanned: true }), () => onMia(app, cats, { isBanned: false })],
        [() => onMia(app, cats, { role: 'user' }), () => onMia(app, cats, { role: 'admin' })],
        [() => onSiteOf(app, cats, ({ db }) => db.deleteFrom('session').execute()), async () => undefined],
      ][number++ % 3] as [() => Promise<unknown>, () => Promise<unknown>]
      const bytes = Buffer.from(new URLSearchParams({ csrf: here.csrf, ...form }).toString())
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const headers = { host: cats.hostname, accept: 'text/html', ...session, ...type }
      const answer = await sendSlowly(app, { method: 'POST', path, headers, bytes }, end)
      assert.ok([401, 403].includes(answer.status), `${path}: ${answer.status} ${answer.location}`)
      await restore()
      assert.deepEqual(await dumpOf(app, cats), before, path)
    }
  })
})
