import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdir, rm, statfs, truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import { test } from 'vitest'
import { startImaging } from '../../src/imaging/index.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { freshInstallation } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { md5Of, noise, storedBytes, type TestTenant, upload, uploaded } from '../support/uploads.ts'
import { checkFiles } from './crash/look.ts'
import { type MountFolder, openMountFolder, run } from './crash/mounts.ts'
import { checkRows } from './crash/rows.ts'

const mounting = await needing('small disk')
const looping = await needing('loop device')

/** From nothing to more than an upload takes, with all that is written on the way. */
const levels = Array.from({ length: 48 }, (_, step) => step * 16_384)

mounting.describe('a disk with little room left', { timeout: 300_000 }, () => {
  test('takes an upload whole or not at all, and goes on when there is room again', async () => {
    await using mounts = await openMountFolder()
    const dataDir = await mounts.mount('small', '-t', 'tmpfs', '-o', 'size=48m', 'tmpfs')
    await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: dataDir } })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const file = await drawn()
    const neighbour = await uploaded(app, dogs, { file, fileName: 'dog.jpg' })
    await uploaded(app, cats, { file })
    const counts: Record<string, number> = {}
    let rows = 2
    for (const freeBytes of levels) {
      await fill(dataDir, freeBytes)
      const answers = await Promise.all([upload(app, cats, { file }), upload(app, dogs, { file })])
      for (const { status, json, text } of answers) {
        const word = status === 200 ? '200' : `${status} ${json.error?.code}`
        assert.ok(word === '200' || word === '507 104', text)
        counts[word] = (counts[word] ?? 0) + 1
      }
      await checkReads(app, dogs, neighbour)
      await until(() => readdirSync(join(dataDir, 'spool')).length === 0, 'the spool is empty')
      const taken = answers.filter(({ status }) => status === 200)
      assert.deepEqual(await checkRows(dataDir), { rows: rows + taken.length, orphans: [] })

      await rm(join(dataDir, 'filler'))
      const next = await uploaded(app, cats, { file })
      assert.equal((await app.send('GET', '/_/health/ready', { headers: { host: 'localhost' } })).status, 200)
      for (const { delete_url: link } of [next, ...taken.map(({ json }) => json.image)]) {
        const { hostname, pathname } = new URL(link)
        assert.equal((await app.send('DELETE', pathname, { headers: { host: hostname } })).status, 200)
      }
      rows = (await checkRows(dataDir)).rows
    }
    console.log(`little room: ${JSON.stringify(counts)}`)
    assert.equal(rows, 2)
    assert.ok((counts['200'] ?? 0) > 5 && (counts['507 104'] ?? 0) > 5)
    await checkFiles(dataDir)
  })
})

looping.describe('a disk that turns read-only', () => {
  test('takes no uploads, says so, and serves what it has', async () => {
    await using mounts = await openMountFolder()
    const disk = await mountFragile(mounts)
    await using app = await startTestApp({ environment: { SERVICE_DATA_DIR: join(disk.path, 'data') } })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const image = await uploaded(app, dogs, { file: await drawn() })
    await disk.fail()
    for (const tenant of [cats, dogs, cats]) {
      const { status, json } = await upload(app, tenant)
      assert.deepEqual([status, json.error?.code], [503, 900])
    }
    await checkReads(app, dogs, image)
    const statusOf = async (path: string) =>
      (await app.send('GET', path, { headers: { host: 'localhost' } })).status
    assert.deepEqual([await statusOf('/_/health/ready'), await statusOf('/_/health/live')], [503, 200])
  })

  test('is named by its path when a server is started on it', async () => {
    await using mounts = await openMountFolder()
    const disk = await mountFragile(mounts)
    const dataDir = join(disk.path, 'data')
    await mkdir(dataDir)
    await disk.fail()
    await using installation = await freshInstallation('sqlite', { SERVICE_DATA_DIR: dataDir })
    const { code, err } = await installation.bin('serve')
    assert.equal(code, 1)
    assert.match(err, new RegExp(`^The data folder ${dataDir} cannot be written\\.`))
  })
})

test('a decoder that cannot write one version does not go on to the other', async () => {
  await using mounts = await openMountFolder()
  await using imaging = startImaging({ children: 1 })
  const [path, outputFolder] = [join(mounts.folder, 'picture.jpg'), join(mounts.folder, 'versions')]
  await writeFile(path, await drawn())
  await mkdir(outputFolder)
  await writeFile(join(outputFolder, 'thumb.jpeg'), '')
  const examining = imaging.examine(path, { tenantKey: 'a', outputFolder, policy: 'keep' })
  await assert.rejects(examining, { code: 'EEXIST' })
  assert.deepEqual(readdirSync(outputFolder), ['thumb.jpeg'])
})

/** An ext4 that is mounted for reading only from its first error on. */
async function mountFragile(mounts: MountFolder): Promise<{ path: string; fail(): Promise<void> }> {
  const image = join(mounts.folder, 'disk.img')
  await writeFile(image, '')
  await truncate(image, 32_000_000)
  await run('mkfs.ext4', ['-q', '-F', image])
  const path = await mounts.mount('disk', '-o', 'loop,errors=remount-ro', image)
  const { stdout } = await run('findmnt', ['--noheadings', '--output', 'SOURCE', path])
  return { path, fail: () => writeFile(`/sys/fs/ext4/${basename(stdout.trim())}/trigger_fs_error`, '1') }
}

/** Leaves that many bytes free. The server may write meanwhile: then the file gets what room there is. */
async function fill(folder: string, freeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const sizeBytes = Math.max(0, bavail * bsize - freeBytes)
  await writeFile(join(folder, 'filler'), Buffer.alloc(sizeBytes)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error
  })
}

/** What is there can be read, of the site and of the installation. */
async function checkReads(
  app: TestApp,
  tenant: TestTenant,
  image: { url: string; md5: string },
): Promise<void> {
  assert.equal(md5Of((await storedBytes(app, tenant, image.url)) ?? Buffer.alloc(0)), image.md5)
  const { status } = await app.send('GET', new URL(image.url).pathname, {
    headers: { host: tenant.hostname },
  })
  assert.equal(status, 200)
  const tenants = await app.call('GET', 'tenants')
  assert.deepEqual([tenants.status, tenants.json.length], [200, 2])
}

/** A file of some size with versions of some size. */
const drawn = async () =>
  sharp(await noise(640, 480))
    .jpeg({ quality: 70 })
    .toBuffer()
