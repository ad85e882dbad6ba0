import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { backUp } from '../../src/maintenance/index.ts'
import { importTenant } from '../../src/tenants/index.ts'
import { switchOn } from '../support/clients/second-step.ts'
import { ask } from '../support/delivered.ts'
import { assertHealthy } from '../support/doctor.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, cookieIn, stepCookieIn, visitAs } from '../support/pages.ts'
import { rotateKey, showKey } from '../support/signing.ts'
import { exportTo } from '../support/stores/archives.ts'
import { backupFolder, serveAt } from '../support/stores/backups.ts'
import { freshInstallation, runHere } from '../support/tool.ts'
import { type TestTenant, uploaded } from '../support/uploads.ts'

const ada = { login: 'ada', password: 'a long password' }
const passphrase = 'a long passphrase'

/** What a site has that was encrypted or signed with its keys, as its users see it. */
async function withSecrets(app: TestApp, tenant: TestTenant) {
  const key = await keyOf(app, tenant, 'admin')
  const { id_encoded: id } = await uploaded(app, tenant)
  const { json: share } = await ask5(app, tenant, `POST files/${id}/shares`, {
    key,
    body: { name: 'for you' },
  })
  const patch = await ask5(app, tenant, `PATCH files/${id}`, { key, body: { is_private: true } })
  assert.equal(patch.status, 200, patch.text)
  const { json: file } = await ask5(app, tenant, `GET files/${id}`, { key })
  assert.match(file.url, /[?]/)
  const keys = await rotateKey(app, tenant, key, { overlap: 604_800 })
  const { json: followed } = await ask5(app, tenant, `GET files/${id}`, { key })
  assert.notEqual(followed.url, file.url)
  const { codeIn } = await switchOn(app, await visitAs(app, tenant, ada))
  const link = new URL(share.url)
  let uses = 0

  /** Everything still works on this server, at the address of another tenant if it is told. */
  return async (there: TestApp, at: TestTenant = tenant) => {
    const onHost = (url: string) => url.replace(tenant.hostname, at.hostname)
    assert.equal((await ask(there, onHost(file.url))).status, 200, 'an address signed by the key before')
    assert.equal((await ask(there, onHost(followed.url))).status, 200, 'a signed address')
    assert.deepEqual({ ...(await showKey(there, at, key)), isReplayed: false }, keys)
    const { json: list } = await ask5(there, at, 'GET shares', { key })
    assert.deepEqual(
      list.data.map(({ url }: any) => new URL(url).pathname),
      [link.pathname],
      'the link of a share is shown again',
    )
    const first = await askPage(there, at, 'POST /login', { form: { ...ada, to: '/settings' } })
    assert.equal(first.headers.location, '/login/code')
    // A code counts once.
    uses += 1
    there.wait(60 * uses)
    const cookie = stepCookieIn(first, 'terrace-login')
    const done = await askPage(there, at, 'POST /login/code', { cookie, form: { code: codeIn(2 * uses) } })
    assert.equal(done.status, 303, 'a second step')
    assert.ok(cookieIn(done))
  }
}

/** Sites whose numbers are not those that an empty installation would give them. */
async function gapBefore(app: TestApp): Promise<void> {
  for (const id of ['one', 'two']) {
    await app.tenant(id)
    assert.equal((await app.call('DELETE', `tenants/${id}`, { drop_tables: true })).status, 204)
  }
}

onEachStore('after a restore', (store) => {
  test('a restored installation reads the secrets of its sites, whose numbers have gaps', async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp({ store })
    await gapBefore(app)
    const works = await withSecrets(app, await app.tenant('cats'))
    const to = join(folder.path, 'all')
    await backUp(app.app, { to, withKeys: true })
    await using other = await freshInstallation(store)
    await other.json('restore', '--from', to)
    await using there = await serveAt(other)
    await works(there)
    await assertHealthy(there.app)
    // A new site gets a number of its own.
    await uploaded(there, await there.tenant('new'))
  })

  test('a tenant that is restored beside others reads its secrets', async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp({ store })
    const works = await withSecrets(app, await app.tenant('cats'))
    const to = join(folder.path, 'one')
    await backUp(app.app, { to, id: 'cats', withKeys: true })
    await using other = await startTestApp({ store })
    await gapBefore(other)
    const { code, err } = await runHere(['restore', '--from', to, '--id', 'cats'], other.environment)
    assert.equal(code, 0, err)
    await works(other)
    await assertHealthy(other.app)
  })
})

test('signed addresses of an imported tenant outlive a backup', async () => {
  await using folder = await backupFolder()
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const works = await withSecrets(app, cats)
  const archive = join(folder.path, 'cats.tar')
  await exportTo(app, archive, { passphrase })
  await using second = await startTestApp()
  await gapBefore(second)
  const { control, requestSecret } = second.app
  await importTenant(control, { from: archive, passphrase, requestSecret })
  await works(second)
  const to = join(folder.path, 'all')
  await backUp(second.app, { to, withKeys: true })
  await using third = await freshInstallation()
  await third.json('restore', '--from', to)
  await using there = await serveAt(third)
  await works(there)
})
