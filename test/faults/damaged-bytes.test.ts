import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { examineApp } from '../../src/maintenance/index.ts'
import { pathOnDisk } from '../support/delivered.ts'
import { faultsOf } from '../support/doctor.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { freshInstallation, runHere } from '../support/tool.ts'
import { onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

/** Changes one bit; the length stays. */
async function rot(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  await writeFile(path, bytes)
}

const keyAt = (path: string) => path.slice(path.indexOf('images/'))

onEachStore('stored bytes that have changed', (store) => {
  async function startWithPicture(seed = 1) {
    const app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats, { file: await picture({ seed, width: 600 }) })
    return { app, cats, image }
  }

  const backUp = (app: TestApp, ...args: string[]) => runHere(['backup', ...args], app.environment)

  test('are named by a full backup, which leaves the file out', async () => {
    const { app: started, cats, image } = await startWithPicture()
    await using app = started
    await using folder = await backupFolder()
    const sound = await uploaded(app, cats, { file: await picture({ seed: 2, width: 600 }) })
    const damaged = await pathOnDisk(app, cats, image.medium.url)
    await rot(damaged)
    const full = await backUp(app, '--to', join(folder.path, 'full'))
    assert.equal(full.code, 1)
    assert.ok(full.err.includes(`cats: ${keyAt(damaged)} (its file is not in the backup)`), full.err)
    const copied = await readdir(join(folder.path, 'full/sites'), { recursive: true })
    assert.ok(!copied.some((name) => name.includes(image.id_encoded)), 'the damaged file is in the backup')
    assert.equal(copied.filter((name) => name.includes(sound.id_encoded)).length, 3)
  })

  test('are named by a later backup, which keeps the sound bytes of the one before', async () => {
    const { app: started, cats, image } = await startWithPicture()
    await using app = started
    await using folder = await backupFolder()
    const [one, two] = [join(folder.path, 'one'), join(folder.path, 'two')]
    assert.equal((await backUp(app, '--to', one)).code, 0)
    const path = await pathOnDisk(app, cats, image.url)
    const sound = await readFile(path)
    await rot(path)
    const later = await backUp(app, '--to', two, '--since', one)
    assert.equal(later.code, 1)
    assert.ok(later.err.includes(`cats: ${keyAt(path)} (kept from the earlier backup)`), later.err)
    const kept = (await readdir(join(two, 'sites'), { recursive: true })).find((name) =>
      name.endsWith(keyAt(path)),
    )
    assert.deepEqual(await readFile(join(two, 'sites', kept ?? '')), sound)
  })

  test('are not replaced by those of an earlier backup that have changed too', async () => {
    const { app: started, cats, image } = await startWithPicture()
    await using app = started
    await using folder = await backupFolder()
    const [one, two] = [join(folder.path, 'one'), join(folder.path, 'two')]
    const sound = await uploaded(app, cats, { file: await picture({ seed: 2, width: 600 }) })
    assert.equal((await backUp(app, '--to', one, '--with-keys')).code, 0)
    const path = await pathOnDisk(app, cats, image.url)
    await rot(path)
    const [earlier = ''] = (await readdir(join(one, 'sites'), { recursive: true })).filter((name) =>
      name.endsWith(keyAt(path)),
    )
    await rot(join(one, 'sites', earlier))
    const later = await backUp(app, '--to', two, '--since', one, '--with-keys')
    assert.equal(later.code, 1)
    assert.ok(later.err.includes(`cats: ${keyAt(path)} (its file is not in the backup)`), later.err)
    assert.ok(later.err.includes(`cats: ${keyAt(path)}: has changed in the earlier backup`), later.err)
    await using installation = await freshInstallation()
    const restored = await runHere(['restore', '--from', two], installation.settings)
    assert.equal(restored.code, 0, restored.err)
    const served = await readdir(installation.settings.SERVICE_DATA_DIR ?? '', { recursive: true })
    const has = (id: string) => served.some((name) => name.includes(id))
    assert.deepEqual([has(sound.id_encoded), has(image.id_encoded)], [true, false])
  })

  test('are refused by a restore, though an old backup has their checksum', async () => {
    const { app: started, cats, image } = await startWithPicture()
    await using app = started
    await using folder = await backupFolder()
    const path = await pathOnDisk(app, cats, image.url)
    const backup = join(folder.path, 'old')
    // As an earlier version did: the row says something else than the bytes that were copied.
    await onSiteOf(app, cats, async ({ db }) => {
      await db
        .updateTable('file')
        .set({ md5: 'f'.repeat(32) })
        .execute()
      assert.equal((await backUp(app, '--to', backup)).code, 1)
      const { md5 } = image
      await db.updateTable('file').set({ md5 }).execute()
    })
    const sound = join(folder.path, 'sound')
    assert.equal((await backUp(app, '--to', sound)).code, 0)
    await changeRows(sound, (text) => text.replaceAll(image.md5, 'e'.repeat(32)))
    await using installation = await freshInstallation()
    const restored = await runHere(['restore', '--from', sound], installation.settings)
    assert.equal(restored.code, 1)
    assert.ok(restored.err.includes(keyAt(path)), restored.err)
    assert.match(restored.err, /do not fit their file/)
  })

  test('are found by scrub and by the doctor in a thumb of the right length', async () => {
    const { app: started, cats, image } = await startWithPicture()
    await using app = started
    const path = await pathOnDisk(app, cats, image.thumb.url)
    await rot(path)
    const found = faultsOf(await examineApp(app.app, { isDeep: true }))
    assert.ok(
      found.some((fault) => fault.includes(keyAt(path))),
      found.join('\n'),
    )
    app.wait(8 * 86_400)
    await doDueJobs(app)
    const listed = await runHere(['doctor'], app.environment)
    assert.equal(listed.code, 1)
    assert.ok(listed.out.includes(keyAt(path)), listed.out)
  })

  test('are not taken up by a revert, and the present revision stays', async () => {
    const { app: started, cats, image } = await startWithPicture()
    await using app = started
    const key = await keyOf(app, cats, 'write')
    const id = image.id_encoded
    const first = await pathOnDisk(app, cats, image.url)
    await replace(app, cats, { id, key, bytes: await picture({ seed: 9, width: 600 }) })
    await rot(first)
    const refused = await ask5(app, cats, `POST files/${id}/revert`, { key, body: { revision: 1 } })
    assert.deepEqual([refused.status, refused.json.code], [409, 'damaged'], refused.text)
    const { json } = await ask5(app, cats, `GET files/${id}`, { key })
    assert.equal(json.revision, 2)
  })

  test('a row of an earlier version gets its checksums by the first scrub', async () => {
    const { app: started, cats, image } = await startWithPicture()
    await using app = started
    const variants = () =>
      onSiteOf(app, cats, async ({ db }) => {
        const row = await db.selectFrom('file').select('variants').executeTakeFirstOrThrow()
        return JSON.parse(row.variants)
      })
    const made = await variants()
    assert.ok(made.variants.every(({ sha256 }: { sha256: string }) => /^[0-9a-f]{64}$/.test(sha256)))
    const old = { ...made, variants: made.variants.map(({ sha256: _, ...variant }: any) => variant) }
    await onSiteOf(app, cats, ({ db }) =>
      db
        .updateTable('file')
        .set({ variants: JSON.stringify(old) })
        .execute(),
    )
    app.wait(8 * 86_400)
    await doDueJobs(app)
    // Of the original too, which a row has since a scrub or an import.
    const { sha256, ...rest } = await variants()
    assert.match(sha256, /^[0-9a-f]{64}$/)
    assert.deepEqual(rest, made)
    await rot(await pathOnDisk(app, cats, image.thumb.url))
    assert.equal(faultsOf(await examineApp(app.app, { isDeep: true })).length, 1)
  })
})

async function replace(
  app: TestApp,
  { hostname }: TestTenant,
  { id, key, bytes }: { id: string; key: string; bytes: Buffer },
) {
  const headers = { host: hostname, 'content-type': 'application/octet-stream', 'x-api-key': key }
  const { status, text } = await app.send('PUT', `/api/5/files/${id}/content`, { bytes, headers })
  assert.equal(status, 200, text)
}

/** Changes a copied table, and what the manifest says of it. */
async function changeRows(backup: string, change: (text: string) => string): Promise<void> {
  const { hash } = await import('node:crypto')
  const path = 'sites/1/rows.jsonl'
  const changed = change(await readFile(join(backup, path), 'utf8'))
  await writeFile(join(backup, path), changed)
  const { manifest } = JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8'))
  const part = manifest.parts.find((each: { path: string }) => each.path === path)
  part.sha256 = hash('sha256', changed)
  part.sizeBytes = Buffer.byteLength(changed)
  const sha256 = hash('sha256', JSON.stringify(manifest))
  await writeFile(join(backup, 'manifest.json'), JSON.stringify({ sha256, manifest }))
}
