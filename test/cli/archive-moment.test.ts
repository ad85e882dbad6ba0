import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { holdBytes, removeFile } from '../../src/media/index.ts'
import { changeSite } from '../../src/tenants/index.ts'
import { ask, pathOnDisk } from '../support/delivered.ts'
import { assertHealthy, assertHealthyAt } from '../support/doctor.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { keyOf } from '../support/media.ts'
import { exportTo, linesOfEntry, unpacked } from '../support/stores/archives.ts'
import { assertServed, backupFolder, keptOf, serveAt } from '../support/stores/backups.ts'
import { freshInstallation, refused, runHere, startTool } from '../support/tool.ts'
import { md5Of, onSiteOf, picture, type TestTenant, uploaded } from '../support/uploads.ts'

const files = 6

const remove = (app: TestApp, cats: TestTenant, id: string) =>
  onSiteOf(app, cats, (site) => changeSite(app.app.control, site, (changing) => removeFile(changing, { id })))

async function replace(
  app: TestApp,
  { hostname }: TestTenant,
  { id, key, bytes }: { id: string; key: string; bytes: Buffer },
): Promise<void> {
  const type = 'application/octet-stream'
  const headers = { host: hostname, 'content-type': type, 'x-api-key': key }
  const { status, text: said } = await app.send('PUT', `/api/5/files/${id}/content`, { bytes, headers })
  assert.equal(status, 200, said)
}

/**
 * Uploads a file, replaces one, then deletes the oldest: at every moment there are as many files as before, or one more, and a
 * file that was replaced has its earlier revisions.
 */
function startChanging(app: TestApp, cats: TestTenant, { ids, key }: { ids: string[]; key: string }) {
  let isOver = false
  const ended = (async () => {
    for (let seed = 100; !isOver; seed += 1) {
      ids.push((await uploaded(app, cats, { file: await picture({ seed }) })).id_encoded)
      await replace(app, cats, { id: ids.at(-2) ?? '', key, bytes: await picture({ seed: seed + 10_000 }) })
      const oldest = ids.shift() ?? ''
      await remove(app, cats, oldest)
    }
  })()
  return {
    async stop() {
      isOver = true
      await ended
    },
  }
}

onEachStore('an archive', (store) => {
  test('has one moment of a site that is in use', async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const still = await keptOf(
      app,
      await uploaded(app, cats, { file: await picture({ seed: 50, width: 600 }) }),
    )
    const ids: string[] = []
    for (let seed = 1; seed < files; seed += 1)
      ids.push((await uploaded(app, cats, { file: await picture({ seed }) })).id_encoded)
    const key = await keyOf(app, cats, 'write')
    const changing = startChanging(app, cats, { ids, key })
    let revisions = 0
    await using other = await freshInstallation(store === 'sqlite' ? 'postgres' : 'sqlite')
    const pictures: { hostname: string; path: string; md5: string }[] = []
    for (const number of [1, 2, 3]) {
      const archive = join(folder.path, `${number}.tar`)
      await exportTo(app, archive)
      const rowsOf = async (table: string) => {
        const entry = (await unpacked(archive)).find(({ name }) => name === `tables/${table}.ndjson`)
        return entry ? linesOfEntry(entry) : []
      }
      const count = (await rowsOf('file')).length
      // Each revision number beyond the first has the bytes before it in the same archive.
      const earlier = await rowsOf('fileRevision')
      for (const row of await rowsOf('file'))
        assert.equal(earlier.filter(({ fileId }) => fileId === row.id).length, row.revision - 1)
      revisions += earlier.length
      assert.ok(count === files || count === files + 1, `${count} files`)
      // The last one has the hostname of the site itself, which the addresses of its files have.
      const address = number < 3 ? ['--id', `c${number}`, '--hostname', `c${number}.test`] : []
      const imported = await other.json('tenants', 'import', archive, ...address)
      assert.equal(imported.stats.files, count)
      for (const { folder: of, name, extension, md5 } of await rowsOf('file'))
        pictures.push({ hostname: imported.hostname, path: `/${of}/${name}.${extension}`, md5 })
    }
    await changing.stop()
    await assertHealthyAt(other.settings, { isDeep: true })
    {
      await using restored = await serveAt(other)
      await assertServed(restored, [still])
      for (const { hostname, path, md5 } of pictures) {
        const { status, bytes } = await ask(restored, `http://${hostname}${path}`)
        assert.deepEqual([status, md5Of(bytes)], [200, md5], path)
      }
    }
    assert.ok(revisions > 0, 'an archive has earlier revisions')
    // What was deleted during the exports is removed after them.
    app.wait(3_600)
    await doDueJobs(app)
    await assertHealthy(app.app)
  })

  test('keeps the bytes of a file that is deleted meanwhile until its end', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats)
    const path = await pathOnDisk(app, cats, image.url)
    await onSiteOf(app, cats, async (site) => {
      await using _held = await holdBytes(site)
      await remove(app, cats, image.id_encoded)
      await doDueJobs(app)
      assert.ok(existsSync(path))
    })
    app.wait(3_600)
    await doDueJobs(app)
    assert.ok(!existsSync(path))
    await assertHealthy(app.app)
  })
})

test('an export names a damaged file and makes no archive', async () => {
  await using folder = await backupFolder()
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const image = await uploaded(app, cats)
  const path = await pathOnDisk(app, cats, image.url)
  await writeFile(path, Buffer.alloc((await stat(path)).size, 1))
  const archive = join(folder.path, 'cats.tar')
  await assert.rejects(
    exportTo(app, archive),
    /No archive was made: the stored file images\S+ has other bytes/,
  )
  assert.deepEqual(await readdir(folder.path), [])
})

test('an export never replaces a file, and leaves one that only its account can read', async () => {
  await using folder = await backupFolder()
  await using installation = await freshInstallation()
  const archive = join(folder.path, 'cats.tar')
  const ada = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']
  await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test')
  await refused(installation, ['tenants', 'export', '--id', 'cats', '--to', archive], 'is not installed')
  await installation.json('tenants', 'install', '--id', 'cats', ...ada)
  // A killed export has left this.
  await writeFile(`${archive}.partial`, 'x')
  const exported = await installation.json('tenants', 'export', '--id', 'cats', '--to', archive)
  const { size, mode } = await stat(archive)
  expect(exported).toMatchObject({ id: 'cats', to: archive, bytes: size, has_secrets: false })
  assert.equal(mode & 0o777, 0o600)
  assert.deepEqual(await readdir(folder.path), ['cats.tar'])
  await refused(installation, ['tenants', 'export', '--id', 'cats', '--to', archive], 'already exists')
  await refused(
    installation,
    ['tenants', 'export', '--id', 'dogs', '--to', `${archive}2`],
    'Tenant not found',
  )
  const short = await installation.run(
    'tenants',
    'export',
    '--id',
    'cats',
    '--to',
    `${archive}2`,
    '--passphrase',
    'short',
  )
  assert.deepEqual(
    [short.code, short.err.split('\n')[0]],
    [2, '--passphrase: must have at least 8 characters'],
  )
  await mkdir(join(folder.path, 'folder'))
  await refused(
    installation,
    ['tenants', 'export', '--id', 'cats', '--to', join(folder.path, 'folder')],
    'already exists',
  )

  await refused(installation, ['tenants', 'import', archive], 'There is already a tenant "cats"')
  const dogs = ['tenants', 'import', archive, '--id', 'dogs']
  await refused(installation, dogs, 'The hostname "cats.test" belongs to another tenant')
  const imported = await installation.json(...dogs, '--hostname', 'Dogs.test')
  assert.deepEqual([imported.id, imported.hostname, imported.stats.users], ['dogs', 'dogs.test', 1])
  await installation.json('tenants', 'delete', '--id', 'dogs')
  await refused(
    installation,
    [...dogs, '--hostname', 'dogs.test'],
    'The data of an earlier tenant "dogs" is kept here',
  )
  const verified = await runHere(['tenants', 'import', archive, '--verify'], {})
  assert.deepEqual(
    [verified.code, verified.out],
    [0, `${archive} is whole: the tenant cats with ${exported.entries} entries.\n`],
  )
})

test('an export to a pipe has nothing else in it', async () => {
  await using folder = await backupFolder()
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  await uploaded(app, cats)
  const archive = join(folder.path, 'cats.tar')
  const child = startTool(['tenants', 'export', '--id', 'cats', '--to', '-', '--json'], app.environment)
  const [bytes, printed] = await Promise.all([
    buffer(child.stdout as Readable),
    text(child.stderr as Readable),
  ])
  await writeFile(archive, bytes)
  const result = JSON.parse(printed)
  assert.deepEqual([result.to, result.bytes], ['-', bytes.length])
  const verified = await runHere(['tenants', 'import', archive, '--verify'], {})
  assert.equal(verified.code, 0, verified.err)
})
