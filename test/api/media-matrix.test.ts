import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createUserKey, editUser, type Scope } from '../../src/accounts/index.ts'
import type { MediaAccess } from '../../src/http/endpoint.ts'
import { createAlbum } from '../../src/media/index.ts'
import { mediaRoutes } from '../../src/routes.ts'
import { created } from '../support/clients/resumable.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn, problem } from '../support/media.ts'
import { onSiteOf, set, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

/** What each access promises, written down once more. */
interface Promised {
  isForGuests?: true
  isForPublicKey?: true
  ability?: 'upload' | 'read' | 'write' | 'admin'
  isForAlbumKeys?: true
  isForAdministrators?: true
}

const promises: Record<MediaAccess, Promised> = {
  visitor: { isForGuests: true, isForAlbumKeys: true },
  'visitor-read': { isForGuests: true, ability: 'read', isForAlbumKeys: true },
  upload: { ability: 'upload', isForAlbumKeys: true },
  'guest-upload': { isForPublicKey: true, ability: 'upload', isForAlbumKeys: true },
  'guest-or-share-upload': { isForPublicKey: true, ability: 'upload', isForAlbumKeys: true },
  read: { ability: 'read', isForAlbumKeys: true },
  write: { ability: 'write', isForAlbumKeys: true },
  admin: { ability: 'admin', isForAlbumKeys: true },
  'account-read': { ability: 'read' },
  'account-write': { ability: 'write' },
  'see-statistics': { ability: 'admin' },
  'moderate-files': { ability: 'admin' },
  'see-albums': { ability: 'admin' },
  'manage-tags': { ability: 'admin' },
  'manage-categories': { ability: 'admin' },
  'ban-users': { ability: 'admin' },
  'manage-users': { ability: 'admin', isForAdministrators: true },
  'write-pages': { ability: 'admin', isForAdministrators: true },
  'change-settings': { ability: 'admin', isForAdministrators: true },
  'manage-providers': { ability: 'admin', isForAdministrators: true },
  'see-storages': { ability: 'admin', isForAdministrators: true },
  'read-audit': { ability: 'admin', isForAdministrators: true },
}

const abilities: Record<Scope, readonly string[]> = {
  upload: ['upload'],
  read: ['read'],
  write: ['upload', 'read', 'write'],
  admin: ['upload', 'read', 'write', 'admin'],
}

/** How a caller is known; `refused` never is, whatever the call. */
type Known = 'guest' | 'public key' | 'refused' | { scope: Scope; isAdministrator?: true; isOfAlbum?: true }

interface MatrixCaller {
  key?: string
  headers?: Record<string, string>
  known: Known
}

function expected(access: MediaAccess, known: Known): 401 | 403 | 'passes' {
  const promised = promises[access]
  if (known === 'refused') return 401
  if (known === 'guest') return promised.isForGuests ? 'passes' : 401
  if (known === 'public key') return promised.isForGuests || promised.isForPublicKey ? 'passes' : 401
  if (promised.ability && !abilities[known.scope].includes(promised.ability)) return 403
  if (known.isOfAlbum && !promised.isForAlbumKeys) return 403
  return promised.isForAdministrators && !known.isAdministrator ? 403 : 'passes'
}

const nothing = 'Zk3Qm8vTxLw2'

/** The path of a route with ids in place of its parameters. */
const pathOf = (path: string, ids: Readonly<Record<string, string>> = {}) => {
  const [subject = ''] = path.replace('/api/5/', '').split('/')
  return path.replace('/api/5/', '').replaceAll(/\{\w+\}/g, ids[subject] ?? nothing)
}

interface Stage {
  app: TestApp
  cats: TestTenant
  callers: Record<string, MatrixCaller>
  /** Ids of what belongs to the administrator alone, by the first part of a path. */
  ids: Record<string, string>
}

async function setStage(app: TestApp): Promise<Stage> {
  const cats = await app.tenant('cats')
  const dogs = await app.tenant('dogs')
  await set(app, cats, { public_key: 'a-public-key-of-cats' })
  const bob = await userWithKey(app, cats, 'bob')
  const meg = await userWithKey(app, cats, 'meg', 'manager')
  const eve = await userWithKey(app, cats, 'eve')
  const session = await logIn(app, cats)
  const admin = await keyOf(app, cats, 'admin')
  const { id: adaId } = (await ask5(app, cats, 'GET me', { key: admin })).json.user
  const album = await onSiteOf(app, cats, (site) =>
    createAlbum(site, { username: 'ada', title: 'Private', privacy: 'private' }),
  )
  const image = await uploaded(app, cats, { fields: { album_id: album.id } })
  const made = (name: string, extra: object) =>
    onSiteOf(app, cats, (site) => createUserKey(site, { userId: adaId, name, scope: 'admin', ...extra }))
  const revoked = await made('revoked', {})
  await ask5(app, cats, `DELETE keys/${revoked.split('_')[1]}`, { key: admin })
  const expired = await made('expired', { expiresAt: new Date(Date.now() - 1_000) })
  const banned = await keyOf(app, cats, 'write', eve.userId)
  await onSiteOf(app, cats, (site) => editUser(site, { username: 'eve', isBanned: true }))
  const callers: Stage['callers'] = {
    'no key': { known: 'guest' },
    'the public key': { key: 'a-public-key-of-cats', known: 'public key' },
    'a wrong key': { key: `${admin}x`, known: 'refused' },
    'an unknown key': { key: `trc_${nothing}_${'a'.repeat(40)}`, known: 'refused' },
    'the scope upload': { key: await keyOf(app, cats, 'upload'), known: { scope: 'upload' } },
    'the scope read': { key: await keyOf(app, cats, 'read'), known: { scope: 'read' } },
    'the scope write': { key: await keyOf(app, cats, 'write'), known: { scope: 'write' } },
    'the scope admin': { key: admin, known: { scope: 'admin', isAdministrator: true } },
    'a session': { headers: session.headers, known: { scope: 'admin', isAdministrator: true } },
    'a session of another origin': {
      headers: { ...session.headers, 'sec-fetch-site': 'cross-site' },
      known: 'guest',
    },
    'a manager': { key: await keyOf(app, cats, 'admin', meg.userId), known: { scope: 'admin' } },
    'the scope admin of a user': {
      key: await keyOf(app, cats, 'admin', bob.userId),
      known: { scope: 'write' },
    },
    'another user': { key: await keyOf(app, cats, 'write', bob.userId), known: { scope: 'write' } },
    'a key of an album': {
      key: await made('album', { albumId: album.id }),
      known: { scope: 'admin', isAdministrator: true, isOfAlbum: true },
    },
    'another site': { key: await keyOf(app, dogs, 'admin'), known: 'refused' },
    'an expired key': { key: expired, known: 'refused' },
    'a revoked key': { key: revoked, known: 'refused' },
    'a banned user': { key: banned, known: 'refused' },
  }
  const share = await ask5(app, cats, `POST albums/${album.id}/shares`, { key: admin, body: { name: 'x' } })
  assert.equal(share.status, 201, share.text)
  const ids = {
    shares: share.json.id,
    uploads: await created([app, cats], { key: admin, length: 100 }),
    keys: admin.split('_')[1] ?? '',
    sessions: session.id,
    users: adaId,
    files: image.id_encoded,
    albums: album.id,
  }
  return { app, cats, callers, ids }
}

const environment = { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0', SERVICE_RATE_SEARCH: '0' }

onEachStore('each call', (store) => {
  let stage: Stage
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    stage = await setStage(opened.use(await startTestApp({ store, environment })))
  })
  afterAll(() => opened.disposeAsync())

  describe.for(mediaRoutes)('$method $path', ({ method, path, endpoint }) => {
    test('refuses the callers that its access names, and no others', async () => {
      const { app, cats, callers } = stage
      // The end of all sessions would make guests of the callers by session.
      const isHarmless = `${method} ${path}` !== 'DELETE /api/5/sessions'
      for (const [name, { known, ...caller }] of Object.entries(callers)) {
        const result = expected(endpoint.access, known)
        if (result === 'passes' && !isHarmless) continue
        const answer = await ask5(app, cats, `${method} ${pathOf(path)}`, caller)
        assert.ok(answer.status < 500, `${name}: ${answer.text}`)
        if (result !== 'passes' && method === 'HEAD') assert.equal(answer.status, result, name)
        else if (result === 401) assert.deepEqual(problem(answer), [401, 'unauthenticated'], name)
        else if (result === 403) assert.deepEqual(problem(answer), [403, 'scope-missing'], name)
        if (result === 'passes') {
          assert.notEqual(answer.status, 401, name)
          assert.notEqual(answer.json?.code, 'scope-missing', name)
        }
      }
    })

    // Pages are for every caller.
    if (!path.includes('{') || path.includes('/pages/')) return
    test('neither shows nor changes what belongs to another user', async () => {
      const { app, cats, callers, ids } = stage
      for (const name of ['another user', 'no key', 'the public key']) {
        const { known: _, ...caller } = callers[name] as MatrixCaller
        const body = method === 'GET' || method === 'DELETE' ? undefined : endpoint.bodyExample
        const headers = { ...caller.headers, 'tus-resumable': '1.0.0' }
        const answer = await ask5(app, cats, `${method} ${pathOf(path, ids)}`, { ...caller, body, headers })
        assert.ok(answer.status >= 400 && answer.status < 500, `${name}: ${answer.status} ${answer.text}`)
        if (method !== 'HEAD') problem(answer)
      }
    })
  })
})
