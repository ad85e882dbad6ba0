import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { backUp, examineApp } from '../../src/maintenance/index.ts'
import { ask } from '../support/delivered.ts'
import { assertHealthy, assertHealthyAt, faultsOf } from '../support/doctor.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { exportTo } from '../support/stores/archives.ts'
import { backupFolder, serveAt } from '../support/stores/backups.ts'
import { freshInstallation } from '../support/tool.ts'
import { md5Of, onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

interface Replaced {
  cats: TestTenant
  key: string
  id: string
  /** Of each revision, the oldest first. */
  hashes: string[]
}

/** A file that was replaced twice. */
async function replacedTwice(app: TestApp): Promise<Replaced> {
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'write')
  const image = await uploaded(app, cats, { file: await picture({ seed: 1, width: 600 }) })
  const hashes = [image.md5 as string]
  for (const seed of [2, 3]) {
    const bytes = await picture({ seed, width: 600 })
    const headers = { host: cats.hostname, 'x-api-key': key, 'content-type': 'image/png' }
    const path = `/api/5/files/${image.id_encoded}/content`
    const { status, json, text } = await app.send('PUT', path, { bytes, headers })
    assert.equal(status, 200, text)
    hashes.push(json.md5)
  }
  return { cats, key, id: image.id_encoded, hashes }
}

/** Each revision is there: the file is reverted to it, and its bytes are served. */
async function assertRevisions(app: TestApp, { cats, key, id, hashes }: Replaced): Promise<void> {
  for (const [index, hash] of hashes.entries()) {
    const body = { revision: index + 1 }
    const reverted = await ask5(app, cats, `POST files/${id}/revert`, { key, body })
    // The last one is what the file has already, until the first revert.
    assert.equal(reverted.status, 200, reverted.text)
    const { status, bytes } = await ask(app, reverted.json.url)
    assert.deepEqual([status, md5Of(bytes)], [200, hash])
  }
}

test('earlier revisions of a file come with an archive', async () => {
  await using folder = await backupFolder()
  const archive = join(folder.path, 'cats.tar')
  await using app = await startTestApp()
  const replaced = await replacedTwice(app)
  await exportTo(app, archive)
  await using installation = await freshInstallation('postgres')
  await installation.json('tenants', 'import', archive, '--id', 'cats', '--verify')
  await assertHealthyAt(installation.settings, { isDeep: true })
  await using restored = await serveAt(installation)
  await assertRevisions(restored, replaced)
})

for (const [from, to] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)
  test(`earlier revisions of a file come back by a backup, from ${from} to ${to}`, async () => {
    await using folder = await backupFolder()
    const backup = join(folder.path, 'one')
    await using app = await startTestApp({ store: from })
    const replaced = await replacedTwice(app)
    await backUp(app.app, { to: backup, withKeys: true })
    await using installation = await freshInstallation(to)
    await installation.json('restore', '--from', backup)
    await assertHealthyAt(installation.settings, { isDeep: true })
    await using restored = await serveAt(installation)
    await assertRevisions(restored, replaced)
    await assertHealthy(restored.app, { isDeep: true })
  })

test('the doctor names the missing bytes of an earlier revision', async () => {
  await using app = await startTestApp()
  const { cats } = await replacedTwice(app)
  await assertHealthy(app.app, { isDeep: true })
  const key = await onSiteOf(app, cats, async ({ storage }) => {
    const keys = (await storage.list('', undefined, 100)).map((each) => each.key)
    const earlier = keys.find((each) => /^[^.]+\.r2\.png$/.test(each)) ?? ''
    assert.notEqual(earlier, '', keys.join())
    await storage.remove([earlier])
    return earlier
  })
  const faults = faultsOf(await examineApp(app.app, { isDeep: true }))
  assert.equal(faults.length, 1, faults.join())
  assert.ok(faults.join().endsWith(` cats ${key}`), faults.join())
})
