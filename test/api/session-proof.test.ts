import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { ChangingEndpoint } from '../../src/api/media-v5/media-endpoint.ts'
import { pageRoutes } from '../../src/pages/page-list.ts'
import { mediaRoutes, siteRoutes } from '../../src/routes.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'

const proofSeconds = 600

onEachStore('a session whose proof is old', (store) => {
  test('makes no key but for uploads, and changes no way in, until its user proves it again', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const berta = { username: 'berta', email: 'berta@example.com', password: 'another long one' }
    const { id } = (await ask5(app, cats, 'POST users', { key, body: berta })).json
    const here = await visitAs(app, cats)
    const ask = (call: string, body?: unknown) =>
      ask5(app, cats, call, { body, headers: { cookie: here.cookie, 'sec-fetch-site': 'same-origin' } })
    const stronger = (name: string) => ask('POST keys', { name, scope: 'read' })
    const made = await stronger('with the log-in')
    assert.equal(made.status, 201, made.text)

    app.wait(proofSeconds)
    const refused = [403, 'proof-needed']
    assert.deepEqual(problem(await stronger('a copy of the cookie')), refused)
    assert.deepEqual(problem(await ask(`POST keys/${made.json.id}/rotate`, { overlap_seconds: 0 })), refused)
    assert.deepEqual(problem(await ask(`PATCH keys/${made.json.id}`, { allowed_origins: null })), refused)
    assert.deepEqual(problem(await ask(`PATCH users/${id}`, { password: 'a third long one' })), refused)
    assert.deepEqual(problem(await ask(`PATCH users/${id}`, { email: 'eve@example.com' })), refused)
    assert.deepEqual(problem(await ask(`PATCH users/${id}`, { role: 'admin' })), refused)
    assert.deepEqual(problem(await ask(`DELETE users/${id}/totp`)), refused)
    const eve = { username: 'eve', email: 'eve@example.com', password: 'a long one of eve', role: 'admin' }
    assert.deepEqual(problem(await ask('POST users', eve)), refused)
    const form = await here.send('/dashboard/users/new', eve)
    assert.ok(form.status >= 400 && form.text.includes('value="eve@example.com"'), form.text)
    const role = await here.send(`/dashboard/users/${id}/role`, { role: 'admin', version: '1' })
    assert.equal(role.headers.location, `/prove?to=/dashboard/users/${id}`)
    const users = (await ask5(app, cats, 'GET users', { key })).json.data
    assert.deepEqual(users.map((user: any) => `${user.username} ${user.role}`).sort(), [
      'ada admin',
      'berta user',
    ])
    assert.equal((await ask('POST keys', { name: 'phone', scope: 'upload' })).status, 201)
    assert.deepEqual(problem(await ask(`PATCH users/${id}`, { is_banned: true })), refused)
    const byKey = await ask5(app, cats, 'POST keys', { key, body: { name: 'by key', scope: 'admin' } })
    assert.equal(byKey.status, 201, byKey.text)

    const withPassword = await here.send('/dashboard/users/new', { ...eve, current: 'a long password' })
    assert.match(withPassword.headers.location ?? '', /^\/dashboard\/users\/\w+\?saved=1$/)
    app.wait(proofSeconds)
    assert.deepEqual(problem(await stronger('an old proof')), refused)
    const proven = await here.send('/prove', { password: 'a long password', to: '/settings' })
    assert.equal(proven.status, 303)
    assert.equal((await stronger('after the proof')).status, 201)
    assert.equal((await ask(`POST keys/${made.json.id}/rotate`, { overlap_seconds: 0 })).status, 200)
    assert.equal((await ask(`PATCH users/${id}`, { password: 'a third long one' })).status, 200)
  })
})

/** With the proof of the last ten minutes. All other calls that change something say why they need none. */
const withProof = [
  'POST /api/5/keys',
  'PATCH /api/5/keys/{id}',
  'POST /api/5/keys/{id}/rotate',
  'POST /api/5/albums/{id}/shares',
  'POST /api/5/files/{id}/shares',
  'POST /api/5/shares',
  'POST /api/5/signing-key/rotate',
  'PUT /api/5/presets/{name}',
  'DELETE /api/5/presets/{name}',
  'PATCH /api/5/shares/{id}',
  'POST /api/5/users',
  'PATCH /api/5/users/{id}',
  'DELETE /api/5/users/{id}',
  'DELETE /api/5/users/{id}/totp',
  'PATCH /api/5/settings',
  'POST /settings/email',
  'POST /settings/security',
  'POST /settings/keys',
  'POST /settings/keys/{id}/rotate',
  'POST /settings/security/totp',
  'POST /settings/security/totp/codes',
  'POST /settings/security/totp/off',
  'POST /-/passkeys/creation',
  'POST /settings/security/passkeys',
  'POST /settings/security/passkeys/{id}/remove',
  'POST /settings/security/connections/{id}/end',
  'POST /connect/{provider}/link',
  'POST /mine/shares/{id}',
  'POST /mine/selected/shares',
  'POST /album/{name}/request',
  'POST /album/{name}/shares',
  'POST /image/{name}/shares',
  'POST /video/{name}/shares',
  'POST /dashboard/users/new',
  'POST /dashboard/users/{id}/role',
  'POST /dashboard/users/{id}/ban',
  'POST /dashboard/users/{id}/password',
  'POST /dashboard/users/{id}/second-step',
  'POST /dashboard/users/{id}/delete',
  'POST /dashboard/queue/moderation',
  'POST /dashboard/settings/{part}',
  'POST /dashboard/settings/transforms/new',
  'POST /dashboard/settings/transforms/preset/{preset}',
  'POST /dashboard/settings/transforms/preset/{preset}/delete',
  'POST /dashboard/branding',
  'POST /dashboard/providers/new',
  'POST /dashboard/providers/{provider}',
  'POST /dashboard/providers/{provider}/switch',
  'POST /dashboard/providers/{provider}/delete',
]

const changing = [
  ...[...mediaRoutes, ...siteRoutes].flatMap(({ method, path, endpoint }) =>
    method === 'GET' || method === 'HEAD'
      ? []
      : [{ call: `${method} ${path}`, proof: (endpoint as ChangingEndpoint).proof }],
  ),
  ...pageRoutes.flatMap(({ method, path, proof }) =>
    method === 'GET' ? [] : [{ call: `POST ${path}`, proof }],
  ),
]

test('each call that changes something needs a proof, or says why it needs none', () => {
  assert.ok(changing.length > 100)
  const isExempt = ({ proof }: (typeof changing)[number]) =>
    typeof proof === 'object' && 'withoutProof' in proof
  const needing = changing.filter((each) => !isExempt(each)).map(({ call }) => call)
  assert.deepEqual(needing.toSorted(), withProof.toSorted())
  for (const { call, proof } of changing) {
    assert.ok(proof, call)
    if (typeof proof === 'object' && 'withoutProof' in proof)
      assert.match(proof.withoutProof, /^.{15,}\.$/, call)
  }
})

/** A site of two users, and a cookie of its administrator whose proof is old. */
async function prepareOldProof(app: TestApp) {
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'admin')
  const berta = { username: 'berta', email: 'berta@example.com', password: 'another long one' }
  const user = (await ask5(app, cats, 'POST users', { key, body: berta })).json
  const bertas = await keyOf(app, cats, 'write', user.id)
  const album = (await ask5(app, cats, 'POST albums', { key: bertas, body: { title: 'Hers' } })).json
  const own = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Own' } })).json
  const share = (await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body: {} })).json
  const strong = (await ask5(app, cats, 'POST keys', { key, body: { name: 'strong', scope: 'read' } })).json
  const here = await visitAs(app, cats)
  const ask = (call: string, body?: unknown) =>
    ask5(app, cats, call, { body, headers: { cookie: here.cookie, 'sec-fetch-site': 'same-origin' } })
  const provider = {
    name: 'office',
    title: 'Office',
    issuer: 'https://id.example.com',
    client_id: 'terrace',
    scopes: 'openid email',
    is_enabled: '1',
    new_user_role: 'user',
  }
  const made = await here.send('/dashboard/providers/new', provider)
  assert.equal(made.status, 303, made.text)
  app.wait(proofSeconds)
  return { user, album, own, share, strong, berta, provider, here, ask, stateOf }

  /** What a copied cookie must not change. */
  async function stateOf() {
    const read = async (call: string) => (await ask5(app, cats, `GET ${call}`, { key })).json.data
    const settings = await read('settings')
    const keys = (await read('keys')).map(({ name, scope }: any) => `${name} ${scope}`)
    const shares = (await read('shares')).map(({ name }: any) => name)
    const providers = (await here.show('/dashboard/providers')).text.match(/\/dashboard\/providers\/\w+"/g)
    return { settings, users: await read('users'), keys, shares, providers }
  }
}

onEachStore('a copied cookie whose proof is old', (store) => {
  test('is refused by every call of the API that needs a proof, and changes nothing', async () => {
    await using app = await startTestApp({ store })
    const { user, album, share, strong, berta, ask, stateOf } = await prepareOldProof(app)
    const before = await stateOf()
    const refused = [403, 'proof-needed']
    const bodies: Record<string, unknown> = {
      'POST keys': { name: 'read', scope: 'read' },
      'PATCH keys/{id}': { name: 'renamed' },
      'POST keys/{id}/rotate': { overlap_seconds: 0 },
      'POST users': { ...berta, username: 'eve', email: 'eve@example.com' },
      'PATCH users/{id}': { is_banned: true },
      'PATCH settings': { listing: 'public' },
      'PATCH shares/{id}': { name: 'changed' },
      'POST albums/{id}/shares': { name: 'new' },
      'POST shares': { file_ids: ['none'] },
      'POST signing-key/rotate': { overlap_seconds: 0 },
      'PUT presets/{name}': { width: 100 },
    }
    const ids: Record<string, string> = {
      keys: strong.id,
      users: user.id,
      shares: share.id,
      albums: album.id,
      presets: 'card',
    }
    for (const call of withProof.filter((each) => each.includes('/api/5/'))) {
      if (call.includes('/files/')) continue
      const short = call.replace('/api/5/', '')
      const [, list = ''] = /^\w+ (\w+)/.exec(short) ?? []
      const answer = await ask(short.replace(/\{\w+\}/, ids[list] ?? ''), bodies[short])
      assert.deepEqual(problem(answer), refused, call)
    }
    assert.deepEqual(await stateOf(), before)
  })

  test('is refused by every form that needs a proof, and changes nothing', async () => {
    await using app = await startTestApp({ store })
    const { user, album, share, strong, berta, provider, here, stateOf } = await prepareOldProof(app)
    const before = await stateOf()
    const version = String(user.version)
    const forms: Record<string, Record<string, string>> = {
      '/settings/email': { email: 'eve@example.com' },
      '/settings/keys': { name: 'read', scope: 'read' },
      [`/settings/keys/${strong.id}/rotate`]: {},
      [`/mine/shares/${share.id}`]: { name: 'changed' },
      [`/album/${album.id}/shares`]: { name: 'new' },
      '/dashboard/users/new': { ...berta, username: 'eve', email: 'eve@example.com', role: 'admin' },
      [`/dashboard/users/${user.id}/role`]: { role: 'admin', version },
      [`/dashboard/users/${user.id}/ban`]: { ban: '1', version },
      [`/dashboard/users/${user.id}/password`]: { by: 'shown', version },
      [`/dashboard/users/${user.id}/second-step`]: { version },
      [`/dashboard/users/${user.id}/delete`]: { confirm: 'berta', files: 'trash', version },
      '/dashboard/queue/moderation': { moderation: 'all' },
      '/dashboard/settings/listing': { listing: 'public', seen_listing: 'off' },
      '/dashboard/branding': {
        site_name: 'Eve',
        seen_site_name: '',
        accent: '',
        seen_accent: '',
        action: 'save',
      },
      '/dashboard/providers/new': { ...provider, name: 'other', issuer: 'https://other.example.com' },
      '/dashboard/providers/office': { ...provider, version: '1', title: 'Changed' },
      '/dashboard/providers/office/switch': { version: '1', on: '0' },
      '/dashboard/providers/office/delete': { version: '1' },
    }
    for (const [path, form] of Object.entries(forms)) {
      const answer = await here.send(path, form)
      const isAsked = answer.status === 400 && answer.text.includes('name="current"')
      const isLed = answer.status === 303 && /^\/prove\?to=\//.test(answer.headers.location ?? '')
      assert.ok(isAsked || isLed, `${path}: ${answer.status}`)
      for (const [name, value] of Object.entries(form))
        if (isAsked)
          assert.ok(answer.text.includes(`name="${name}" value="${value}"`), `${path} lost ${name}`)
    }
    assert.deepEqual(await stateOf(), before)
  })

  test('shares an own album and previews the branding', async () => {
    await using app = await startTestApp({ store })
    const { own, here, ask } = await prepareOldProof(app)
    assert.equal((await ask(`POST albums/${own.id}/shares`, { name: 'own' })).status, 201)
    const preview = await here.send('/dashboard/branding', {
      site_name: 'Eve',
      accent: '',
      action: 'preview',
    })
    assert.equal(preview.status, 200)
  })

  test('changes settings and users once the right password is given', async () => {
    await using app = await startTestApp({ store })
    const { user, here, ask, stateOf } = await prepareOldProof(app)
    const before = await stateOf()
    const wrong = await here.send('/dashboard/settings/listing', {
      listing: 'public',
      seen_listing: 'off',
      current: 'wrong',
    })
    assert.ok(wrong.status === 400 && wrong.text.includes('name="listing" value="public"'), wrong.text)
    assert.ok(!wrong.text.includes('value="wrong"'))
    assert.deepEqual(await stateOf(), before)
    const given = await here.send('/dashboard/settings/listing', {
      listing: 'public',
      seen_listing: 'off',
      current: 'a long password',
    })
    assert.equal(given.headers.location, '/dashboard/settings/listing?saved=1')
    assert.equal((await ask(`PATCH users/${user.id}`, { is_banned: true })).status, 200)
  })

  test('asks for the password of managers who ban, too', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const people = ['mia', 'bob'].map((username) => ({
      username,
      email: `${username}@example.com`,
      password: 'another long one',
      role: username === 'mia' ? 'manager' : 'user',
    }))
    const [, bob] = await Promise.all(people.map((body) => ask5(app, cats, 'POST users', { key, body })))
    const path = `/dashboard/users/${bob?.json.id}`
    const mia = await visitAs(app, cats, { login: 'mia', password: 'another long one' })
    const ban = () => mia.send(`${path}/ban`, { ban: '1', version: String(bob?.json.version) })
    app.wait(proofSeconds)
    assert.equal((await ban()).headers.location, `/prove?to=${path}`)
    await mia.send('/prove', { password: 'another long one', to: path })
    assert.equal((await ban()).headers.location, `${path}?saved=1`)
  })
})
