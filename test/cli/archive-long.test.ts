import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { exportTenant, verifyArchive } from '../../src/tenants/index.ts'
import { pathOnDisk } from '../support/delivered.ts'
import { assertHealthyAt } from '../support/doctor.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { exportTo, unpacked } from '../support/stores/archives.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { freshInstallation, runHere } from '../support/tool.ts'
import { noise, picture, type TestTenant, uploaded } from '../support/uploads.ts'

/** Bytes of the second are written while they are compared with their row; those of the first fill several buffers before. */
const lengths = {
  'of 5 MB': () => noise(1_400, 1_300),
  'longer than what an export holds in memory': () => noise(2_500, 2_400),
}

describe.each(Object.entries(lengths))('a file %s', (_, long) => {
  let folder: Awaited<ReturnType<typeof backupFolder>>
  let file: Buffer
  beforeAll(async () => {
    folder = await backupFolder()
    file = await long()
    assert.ok(file.length > 5_000_000 && (_ === 'of 5 MB' || file.length > 17_000_000))
  })
  afterAll(() => folder[Symbol.asyncDispose]())

  async function filled(app: TestApp): Promise<{ cats: TestTenant; url: string }> {
    const cats = await app.tenant('cats')
    await uploaded(app, cats, { file: await picture({ seed: 1 }) })
    const { url } = await uploaded(app, cats, { file })
    await uploaded(app, cats, { file: await picture({ seed: 2 }) })
    return { cats, url }
  }

  const entriesOf = async (path: string) =>
    (await unpacked(path))
      .filter(({ name }) => name.startsWith('bytes/'))
      .map(({ bytes }) => hash('md5', bytes))

  test('is in the archive, whose own sum is told with --json', async () => {
    await using app = await startTestApp()
    await filled(app)
    const to = join(folder.path, 'disk.tar')
    const { code, out, err } = await runHere(
      ['tenants', 'export', '--id', 'cats', '--to', to, '--json'],
      app.environment,
    )
    assert.equal(code, 0, err)
    assert.equal(JSON.parse(out).sha256, hash('sha256', await readFile(to)))
    assert.ok((await entriesOf(to)).includes(hash('md5', file)))
    await verifyArchive({ from: to })
  })

  test('is imported as it was, and an archive with other bytes of it is refused', async () => {
    await using app = await startTestApp()
    await filled(app)
    const archive = join(folder.path, 'imported.tar')
    await exportTo(app, archive)
    await using other = await freshInstallation()
    const imported = await other.json('tenants', 'import', archive, '--id', 'cats', '--verify')
    assert.equal(imported.stats.files, 3)
    await assertHealthyAt(other.settings, { isDeep: true })
    const bytes = await readFile(archive)
    const at = bytes.indexOf(file.subarray(-1_000_000)) + 500_000
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(archive, bytes)
    const { code, err } = await other.run(
      'tenants',
      'import',
      archive,
      '--id',
      'dogs',
      '--hostname',
      'd.test',
    )
    assert.equal(code, 1)
    assert.match(err, /bytes\/images\S+: its SHA-256 is not that of the manifest/)
  })

  test('that is damaged makes no archive, wherever the damage is', async () => {
    await using app = await startTestApp()
    const { cats, url } = await filled(app)
    const path = await pathOnDisk(app, cats, url)
    const { size } = await stat(path)
    for (const at of [0, Math.floor(size / 2), size - 1]) {
      const handle = await open(path, 'r+')
      const [byte] = (await handle.read(Buffer.alloc(1), 0, 1, at)).buffer
      const write = (value: number) => handle.write(Buffer.from([value]), 0, 1, at)
      await write((byte ?? 0) ^ 1)
      const to = join(folder.path, `damaged-${at}.tar`)
      // Summed, the bytes pass the main thread; otherwise a thread copies them.
      for (const isSummed of [true, false])
        await assert.rejects(
          exportTo(app, to, { isSummed }),
          /No archive was made: the stored file images\S+ has other bytes/,
        )
      await write(byte ?? 0)
      await handle.close()
    }
    assert.ok(!(await readdir(folder.path)).some((name) => name.startsWith('damaged')))
    await exportTo(app, join(folder.path, 'mended.tar'))
  })

  test('is not called damaged when its copy cannot be written', async () => {
    await using app = await startTestApp()
    await filled(app)
    const handle = await open('/dev/null', 'r')
    const file = { fd: handle.fd, goOnAt: () => undefined }
    const { control, requestSecret } = app.app
    const written = exportTenant(
      control,
      { write: async () => undefined, file },
      { id: 'cats', requestSecret },
    )
    await assert.rejects(written, { code: 'EBADF', syscall: 'write' })
    await handle.close()
  })

  test('that a bucket sends wrong once is read again, and the archive is whole', async () => {
    await using bucket = await startS3Stub()
    await using app = await startTestApp({ environment: { SERVICE_STORAGE_URL: bucket.url } })
    await filled(app)
    const [key] = [...bucket.objects].find(([, { bytes }]) => bytes.length === file.length) ?? []
    assert.ok(key)
    for (const fault of ['flip', 'truncate', 'absent'] as const) {
      let faults = 0
      bucket.setFault((call) => {
        if (call.action !== 'get' || call.key !== key || faults > 0) return undefined
        faults += 1
        return fault
      })
      const to = join(folder.path, `${fault}.tar`)
      const { code, out, err } = await runHere(
        ['tenants', 'export', '--id', 'cats', '--to', to, '--json'],
        app.environment,
      )
      assert.equal(code, 0, err)
      assert.equal(faults, 1)
      assert.equal(JSON.parse(out).sha256, hash('sha256', await readFile(to)))
      assert.ok((await entriesOf(to)).includes(hash('md5', file)))
      await verifyArchive({ from: to })
    }
  })
})
