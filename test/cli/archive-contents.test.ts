import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { assertHealthyAt } from '../support/doctor.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { exportTo } from '../support/stores/archives.ts'
import { backupFolder, serveAt } from '../support/stores/backups.ts'
import { freshInstallation } from '../support/tool.ts'
import { picture, type TestTenant, uploaded } from '../support/uploads.ts'

const lists = [
  'files?q=cat',
  'albums',
  'shares',
  'tags',
  'pages',
  'users',
  'settings',
  'audit?limit=200',
] as const

/** What an administrator sees, without addresses, whose port is that of the server. */
async function seen(app: TestApp, cats: TestTenant, key: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const list of lists) {
    const { status, text } = await ask5(app, cats, `GET ${list}`, { key })
    assert.equal(status, 200, `${list}: ${text}`)
    found[list] = JSON.parse(text.replaceAll(/127\.0\.0\.1:\d+|cats\.test:\d+/g, 'HOST'), (name, value) =>
      /url|link|last_used|address/.test(name) ? undefined : value,
    )
  }
  return found
}

for (const [from, to] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)
  test(`lists, search, log-ins and the audit log are the same after an import from ${from} to ${to}`, async () => {
    await using folder = await backupFolder()
    const archive = join(folder.path, 'cats.tar')
    await using app = await startTestApp({ store: from })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const make = async (path: string, body: object) => {
      const { status, json, text } = await ask5(app, cats, path, { key, body })
      assert.ok(status < 300, `${path}: ${text}`)
      return json
    }
    const album = await make('POST albums', {
      title: 'cats of a street',
      privacy: 'password',
      password: 'a long password',
    })
    const below = await make('POST albums', { title: 'below', parent_id: album.id })
    for (const seed of [1, 2]) {
      const file = await picture({ seed })
      await uploaded(app, cats, {
        file,
        fields: { title: `cat ${seed}`, tags: 'red,blue', album_id: below.id },
      })
    }
    const gone = await uploaded(app, cats, { file: await picture({ seed: 3 }), fields: { title: 'cat 3' } })
    await ask5(app, cats, `DELETE files/${gone.id_encoded}`, { key })
    await make(`POST albums/${album.id}/shares`, { name: 'for you' })
    await make('POST pages', { url_key: 'about', title: 'About', body: 'us' })
    await make('POST users', { username: 'bea', email: 'bea@example.com', password: 'another long password' })
    const before = await seen(app, cats, key)

    await exportTo(app, archive, { passphrase: 'a long passphrase' })
    await using installation = await freshInstallation(to)
    await installation.json('tenants', 'import', archive, '--passphrase', 'a long passphrase')
    await assertHealthyAt(installation.settings, { isDeep: true })
    await using restored = await serveAt(installation)
    assert.deepEqual(await seen(restored, cats, key), before)
    const session = await logIn(restored, cats, { login: 'bea', password: 'another long password' })
    assert.ok(session)
  })
