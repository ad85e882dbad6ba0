import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { type Answer, onEachStore, type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5 } from '../support/media.ts'
import { startServers } from '../support/servers/several-servers.ts'
import { toolOfCats } from '../support/tool.ts'
import { limit, picture, refusalOf, statsOf, type TestTenant, upload, uploaded } from '../support/uploads.ts'

/** The tool beside a server that runs. */
function toolOf(app: TestApp) {
  const { run, json } = toolOfCats(app.environment)
  return {
    run,
    json,
    async refused(says: string, ...words: string[]) {
      const { code, out, err } = await run(...words)
      assert.deepEqual([code, out], [1, ''], err)
      assert.ok(err.includes(says), `"${says}" in ${err}`)
    },
  }
}

async function withBob(store: StoreKind) {
  const app = await startTestApp({ store })
  const cats = await app.tenant('cats')
  const tool = toolOf(app)
  await createUser(tool, 'bob')
  const { key } = await tool.json('user:key', '--username', 'bob', '--name', 'phone')
  return { app, cats, tool, key, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

const createUser = (tool: ReturnType<typeof toolOf>, name: string, role = 'user') =>
  tool.json(
    'user:create',
    '--username',
    name,
    '--email',
    `${name}@example.com`,
    '--password',
    'a long password',
    '--role',
    role,
  )

const isWrongKey = (answer: Answer) => assert.deepEqual(refusalOf(answer), [400, 100, 'Invalid API key.'])

const distinct = async (app: TestApp, cats: TestTenant, key: string, seed: number) =>
  uploaded(app, cats, { key, file: await picture({ seed }), fileName: `p${seed}.png` })

onEachStore('users', (store) => {
  test('are listed with their role and files, and changed', async () => {
    await using site = await withBob(store)
    const { app, cats, tool, key } = site
    await distinct(app, cats, key, 1)
    const [ada, bob, ...more] = await tool.json('user:list')
    assert.deepEqual(
      [ada.username, bob.username, bob.role, bob.is_banned, bob.files, more.length],
      ['ada', 'bob', 'user', false, 1, 0],
    )
    assert.deepEqual(Object.keys(bob), [
      'id',
      'username',
      'email',
      'is_email_confirmed',
      'role',
      'is_banned',
      'files',
      'created_at',
    ])
    assert.match((await tool.run('user:list')).out, /\nbob\tbob@example\.com\tuser\tno\t1\t/)

    const edit = ['user:edit', '--username', 'BOB']
    const edited = await tool.json(...edit, '--email', 'B@example.com', '--role', 'manager')
    assert.deepEqual(edited, {
      id: bob.id,
      username: 'bob',
      email: 'B@example.com',
      is_email_confirmed: false,
      role: 'manager',
      is_banned: false,
    })
    assert.equal((await statsOf(app, cats)).managers, 1)
    assert.equal((await tool.run(...edit, '--email', 'b@example.com')).code, 0)
    await tool.refused('with the e-mail address "ADA@example.com"', ...edit, '--email', 'ADA@example.com')
    await tool.refused('email: must be an e-mail address', ...edit, '--email', 'nobody')
    await tool.refused('There is no user "eve".', 'user:edit', '--username', 'eve', '--role', 'admin')
    assert.equal((await tool.run(...edit)).code, 2)
    assert.equal((await tool.run(...edit, '--role', 'king')).code, 2)
    assert.equal((await tool.run(...edit, '--role', 'user')).out, 'Changed the user bob (user).\n')
    assert.equal((await statsOf(app, cats)).managers, 0)
  })

  test('get a role only while the limits leave room, and one administrator always stays', async () => {
    await using site = await withBob(store)
    const { app, cats, tool } = site
    await limit(app, cats, { SERVICE_MAX_ADMINS: '1', SERVICE_MAX_MANAGERS: '1' })
    await createUser(tool, 'eve', 'manager')
    await tool.refused(
      'SERVICE_MAX_ADMINS is reached (limit 1)',
      'user:edit',
      '--username',
      'bob',
      '--role',
      'admin',
    )
    await tool.refused(
      'SERVICE_MAX_MANAGERS is reached',
      'user:edit',
      '--username',
      'bob',
      '--role',
      'manager',
    )
    const counts = async () => {
      const { admins, managers, users } = await statsOf(app, cats)
      return [admins, managers, users]
    }
    assert.deepEqual(await counts(), [1, 1, 3])
    for (const words of [
      ['user:edit', '--username', 'ada', '--role', 'user'],
      ['user:edit', '--username', 'ada', '--is_banned', '1'],
      ['user:delete', '--username', 'ada', '--files', 'trash'],
    ])
      await tool.refused('"ada" is the last administrator', ...words)
    await limit(app, cats, { SERVICE_MAX_ADMINS: '2' })
    await tool.json('user:edit', '--username', 'bob', '--role', 'admin')
    await tool.json('user:edit', '--username', 'ada', '--role', 'user')
    assert.deepEqual(await counts(), [1, 1, 3])
    // Somebody who is banned cannot be the one that stays.
    await tool.json('user:edit', '--username', 'eve', '--role', 'admin', '--is_banned', '1')
    await tool.refused('"bob" is the last', 'user:edit', '--username', 'bob', '--role', 'user')
  })

  test('who are banned cannot upload until they are unbanned', async () => {
    await using site = await withBob(store)
    const { app, cats, tool, key } = site
    const image = await distinct(app, cats, key, 1)
    const banned = await tool.run('user:edit', '--username', 'bob', '--is_banned', '1')
    assert.equal(banned.out, 'Changed the user bob (user, banned).\n')
    isWrongKey(await upload(app, cats, { key }))
    assert.equal((await ask(app, image.url)).status, 200)
    await tool.json('user:edit', '--username', 'bob', '--is_banned', '0')
    await distinct(app, cats, key, 2)
  })

  test('who have files are not deleted without --files, and with --files keep their files stay', async () => {
    await using site = await withBob(store)
    const { app, cats, tool, key } = site
    const album = await tool.json(
      'album:create',
      '--username',
      'bob',
      '--title',
      'Mine',
      '--privacy',
      'private',
    )
    const fields = { album_id: album.id }
    const image = await uploaded(app, cats, { key, fields })
    await distinct(app, cats, key, 2)
    await tool.refused(
      'files: must be keep, trash or another user, because the user "bob" has 2 files.',
      'user:delete',
      '--username',
      'bob',
    )
    await distinct(app, cats, key, 3)

    const kept = {
      username: 'bob',
      deleted: true,
      files_kept: 3,
      files_trashed: 0,
      files_deleted: 0,
      albums_kept: 0,
      albums_deleted: 1,
    }
    assert.deepEqual(await tool.json('user:delete', '--username', 'BOB', '--files', 'keep'), kept)
    isWrongKey(await upload(app, cats, { key }))
    // The album is deleted, and its files are still private.
    assert.equal((await ask(app, image.url_viewer)).status, 404)
    const { users, files, albums } = await statsOf(app, cats)
    assert.deepEqual([users, files, albums], [1, 3, 0])
    assert.deepEqual(
      (await tool.json('file:list')).map(({ username, album_id }: any) => [username, album_id]),
      Array(3).fill([null, null]),
    )
    await tool.refused('There is no user "bob".', 'user:delete', '--username', 'bob')
  })

  test('who have files are deleted with them by a site without a trash', async () => {
    await using site = await withBob(store)
    const { app, cats, tool, key } = site
    const gone = await distinct(app, cats, key, 1)
    await tool.json('album:create', '--username', 'bob', '--title', 'Mine')
    await tool.run('setting:set', 'trash_days', '0')
    const deleted = await tool.run('user:delete', '--username', 'bob', '--files', 'trash')
    assert.equal(deleted.out, 'Deleted the user bob with 1 file and 1 album.\n')
    assert.equal((await ask(app, gone.url)).status, 404)
    assert.equal((await statsOf(app, cats)).files, 0)
  })

  test('who have files are deleted with --files trash, which moves the files to the trash', async () => {
    await using site = await withBob(store)
    const { app, cats, tool, key } = site
    const trashed = await distinct(app, cats, key, 1)
    const intoTrash = await tool.run('user:delete', '--username', 'bob', '--files', 'trash')
    assert.equal(intoTrash.out, 'Deleted the user bob; moved 1 file to the trash.\n')
    assert.equal((await ask(app, trashed.url)).status, 404)
  })

  test('who have files are deleted with the name of another user, who gets the files', async () => {
    await using site = await withBob(store)
    const { app, cats, tool, key } = site
    const given = await distinct(app, cats, key, 1)
    await tool.json('album:create', '--username', 'bob', '--title', 'Mine')
    await tool.refused('There is no user "eve".', 'user:delete', '--username', 'bob', '--files', 'eve')
    const toAda = await tool.run('user:delete', '--username', 'bob', '--files', 'ada')
    assert.equal(toAda.out, 'Deleted the user bob; gave 1 file and 1 album to ada.\n')
    assert.equal((await ask(app, given.url)).status, 200)
  })

  test('without files are deleted without --files', async () => {
    await using site = await withBob(store)
    const { app, cats, tool } = site
    await createUser(tool, 'carl')
    assert.equal((await tool.run('user:delete', '--username', 'carl')).out, 'Deleted the user carl.\n')
    assert.equal((await statsOf(app, cats)).users, 2)
  })
})

onEachStore('upload keys', (store) => {
  test('are listed and revoked, immediately and on every server', async () => {
    await using servers = await startServers(store)
    const { first, all } = servers
    const cats = await first.tenant('cats')
    const tool = toolOf(first)
    const made = (name: string) => tool.json('user:key', '--username', 'ada', '--name', name)
    const [phone, desk] = [await made('phone'), await made('desk')]
    const [install, ...keys] = await tool.json('user:key:list')
    assert.deepEqual([install.name, ...keys.map(({ name }: { name: string }) => name)].sort(), [
      'desk',
      'install',
      'phone',
    ])
    assert.deepEqual(Object.keys(install), [
      'id',
      'username',
      'name',
      'scope',
      'album_id',
      'created_at',
      'expires_at',
      'allowed_origins',
      'allowed_addresses',
      'last_used_at',
    ])
    const idOf = (key: string) => key.split('_')[1] ?? ''
    for (const app of all) assert.equal((await upload(app, cats, { key: phone.key })).status, 200)

    const byName = await tool.run('user:key:delete', '--username', 'ada', '--name', 'phone')
    assert.equal(byName.out, `Revoked the key ${idOf(phone.key)} (phone). It no longer works.\n`)
    for (const app of all) isWrongKey(await upload(app, cats, { key: phone.key }))
    for (const app of all) assert.equal((await upload(app, cats, { key: desk.key })).status, 200)
    const id = idOf(desk.key)
    assert.deepEqual(await tool.json('user:key:delete', '--id', id), { id, name: 'desk', deleted: true })
    for (const app of all) isWrongKey(await upload(app, cats, { key: desk.key }))

    await tool.refused(`There is no key "${id}".`, 'user:key:delete', '--id', id)
    await tool.refused('There is no key "phone".', 'user:key:delete', '--username', 'ada', '--name', 'phone')
    await tool.refused('There is no user "eve".', 'user:key:list', '--username', 'eve')
    for (const words of [[], ['--name', 'x'], ['--id', id, '--name', 'x']])
      assert.equal((await tool.run('user:key:delete', ...words)).code, 2)
    assert.equal((await tool.json('user:key:list', '--username', 'ada')).length, 1)
  })

  test('expire at their time', async () => {
    await using site = await withBob(store)
    const { app, cats, tool } = site
    const at = new Date(app.app.control.clock.now().getTime() + 60_000)
    const expires = at.toISOString().slice(0, 19).replace('T', ' ')
    const made = await tool.json('user:key', '--username', 'bob', '--name', 'short', '--expires', expires)
    assert.equal(made.expires_at, expires)
    assert.equal((await upload(app, cats, { key: made.key })).status, 200)
    app.wait(61)
    isWrongKey(await upload(app, cats, { key: made.key }))
    const [, shown] = await tool.json('user:key:list', '--username', 'bob')
    assert.deepEqual([shown.name, shown.expires_at], ['short', expires])
    assert.equal((await tool.run('user:key', '--username', 'bob', '--expires', 'tomorrow')).code, 2)
    await tool.refused('already has a key named "short"', 'user:key', '--username', 'bob', '--name', 'short')
  })

  test('have a scope and limits, and are revoked', async () => {
    await using site = await withBob(store)
    const { app, cats, tool } = site
    const album = await tool.json('album:create', '--username', 'bob', '--title', 'Mine')
    const limits = [
      '--album',
      album.id,
      '--origins',
      'https://a.example.com,https://b.example.com',
      '--addresses',
      '127.0.0.1,192.0.2.0/24',
    ]
    const create = ['key:create', '--username', 'bob', '--name', 'page', '--scope', 'read', ...limits]
    const made = await tool.json(...create)
    assert.deepEqual(made, {
      id: made.id,
      username: 'bob',
      name: 'page',
      scope: 'read',
      album_id: album.id,
      created_at: made.created_at,
      expires_at: null,
      last_used_at: null,
      key: made.key,
      allowed_origins: ['https://a.example.com', 'https://b.example.com'],
      allowed_addresses: ['127.0.0.1', '192.0.2.0/24'],
    })
    const me = (origin: string) =>
      ask5(app, cats, 'GET me', { key: made.key, headers: { origin } }).then(({ status, json }) => [
        status,
        json.scope ?? json.code,
      ])
    assert.deepEqual(await me('https://a.example.com'), [200, 'read'])
    assert.deepEqual(await me('https://c.example.com'), [403, 'origin-not-allowed'])
    const foreign = (await tool.json('album:create', '--username', 'ada', '--title', 'Hers')).id
    const other = ['key:create', '--username', 'bob', '--name', 'other']
    await tool.refused('album_id: must be an album of this user', ...other, '--album', foreign)
    for (const wrong of [
      ['--scope', 'all'],
      ['--origins', 'a.example.com'],
      ['--addresses', '192.0.2.0/33'],
      ['--name', 'x'.repeat(65)],
    ])
      assert.equal((await tool.run('key:create', '--username', 'bob', ...wrong)).code, 2)
    const listed = await tool.json('key:list', '--username', 'bob')
    assert.deepEqual(
      listed.map(({ name, scope }: { name: string; scope: string }) => [name, scope]),
      [
        ['phone', 'upload'],
        ['page', 'read'],
      ],
    )
    await tool.json('key:revoke', '--username', 'bob', '--name', 'page')
    assert.deepEqual(await me('https://a.example.com'), [401, 'unauthenticated'])
  })
})
