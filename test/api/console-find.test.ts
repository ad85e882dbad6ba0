import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createUser, editUser } from '../../src/accounts/index.ts'
import type { ChangingSite } from '../../src/site/index.ts'
import { changeSite, openSite, readTenant, reconcileSites } from '../../src/tenants/index.ts'
import { startConsole, type TestConsole } from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'

const account = { username: 'ada', email: 'ada@cats.example', password: 'a long password' }

/** Where the search leads, or which tenants it lists. */
async function find(app: TestConsole, text: string): Promise<string> {
  const { status, headers, text: page } = await app.console.get(`find?q=${encodeURIComponent(text)}`)
  if (status === 303) return `-> ${String(headers.location).replace('/_/console/tenants/', '')}`
  assert.equal(status, 200)
  return [...page.matchAll(/role="rowheader"><a href="\/_\/console\/tenants\/([^"]+)"/g)]
    .map(([, id]) => id)
    .join(' ')
}

async function withTenants(app: TestConsole): Promise<void> {
  const made = [
    ['cats', 'cats.example.com', account],
    ['cats-2', 'more.example.com', { ...account, email: 'Eve@dogs.example' }],
    ['Dogs', 'dogs.example.org', { ...account, email: 'bob@dogs.example' }],
  ] as const
  for (const [id, hostname, admin] of made) {
    assert.equal((await app.call('POST', 'tenants', { id, hostname, is_enabled: true })).status, 201)
    assert.equal((await app.call('POST', `tenants/${id}/install`, admin)).status, 201)
  }
}

async function change(app: TestConsole, id: string, work: (site: ChangingSite) => Promise<unknown>) {
  const { control } = app.app
  await using site = await openSite(control, await readTenant(control, id))
  await changeSite(control, site, work)
}

onEachStore('the search for a tenant', (store) => {
  test('leads to the tenant of an id, a hostname, an address of an administrator, or any address of its site', async () => {
    await using app = await startConsole({ store })
    await withTenants(app)
    const hits = {
      cats: '-> cats',
      'CATS.example.com': '-> cats',
      ' dogs.example.org ': '-> Dogs',
      'ada@cats.example': '-> cats',
      'eve@DOGS.example': '-> cats-2',
      'bob@': '-> Dogs',
      dogs: '-> Dogs',
      cat: 'cats cats-2',
      example: 'Dogs cats cats-2',
      'https://dogs.example.org/image/a-title.Ab12?x=1#y': '-> Dogs',
      'http://DOGS.example.org:8080/media/2026/11/19/picture.jpg': '-> Dogs',
      '//more.example.com/album/x': '-> cats-2',
      'more.example.com:443': '-> cats-2',
      'cats.example.com/image/x': '-> cats',
      'https://elsewhere.example.net/image/x': '',
      'https://ats.example.com/image/x': '',
      nothing: '',
      '': '',
      '\0': '',
    }
    for (const [text, found] of Object.entries(hits)) assert.equal(await find(app, text), found, text)
  })

  test('follows the address of an administrator, and forgets those who are none any more', async () => {
    await using app = await startConsole({ store })
    await withTenants(app)
    assert.equal(await find(app, 'ada@cats.example'), '-> cats')
    const edit = (fields: Omit<Parameters<typeof editUser>[1], 'username'>, username = 'ada') =>
      change(app, 'cats', (site) => editUser(site, { username, ...fields }))
    await edit({ email: 'Countess@cats.example' })
    assert.equal(await find(app, 'ada@cats.example'), '')
    assert.equal(await find(app, 'countess@cats.example'), '-> cats')
    const second = { username: 'tom', email: 'tom@cats.example', password: account.password }
    await change(app, 'cats', (site) => createUser(site, { ...second, role: 'user' }))
    assert.equal(await find(app, 'tom@cats.example'), '')
    await edit({ role: 'admin' }, 'tom')
    assert.equal(await find(app, 'tom@cats.example'), '-> cats')
    await edit({ isBanned: true })
    assert.equal(await find(app, 'countess@cats.example'), '')
    await edit({ isBanned: false })
    assert.equal(await find(app, 'countess@cats.example'), '-> cats')
    await edit({ role: 'manager' })
    assert.equal(await find(app, 'countess@cats.example'), '')
    await app.call('DELETE', 'tenants/cats', { drop_tables: true })
    assert.equal(await find(app, 'tom@cats.example'), '')
  })

  test('knows the administrators of sites that were installed before it, once they are reconciled', async () => {
    await using app = await startConsole({ store })
    await withTenants(app)
    const { control } = app.app
    // As the migration leaves them.
    await control.store.changeControl(async (db) => {
      await db.updateTable('site').set({ admins: null, stats: '{}' }).execute()
    })
    assert.equal(await find(app, 'ada@cats.example'), '')
    await reconcileSites(control, (tenant, fault) => assert.fail(`${tenant}: ${fault}`))
    assert.equal(await find(app, 'ada@cats.example'), '-> cats')
  })
})

test('a script gets the hits as it asks, without the right of a viewer to change anything', async () => {
  await using app = await startConsole()
  await withTenants(app)
  const viewer = await app.operator('viewer')
  const { json, headers } = await viewer.get('-/find?q=cat')
  assert.equal(headers['cache-control'], 'no-store')
  assert.deepEqual(json, [
    { icon: 'category', text: 'cats', kind: 'cats.example.com', path: '/_/console/tenants/cats' },
    { icon: 'category', text: 'cats-2', kind: 'more.example.com', path: '/_/console/tenants/cats-2' },
  ])
  const [byMail] = (await viewer.get('-/find?q=bob%40')).json
  assert.equal(byMail.kind, 'bob@dogs.example')
})
