import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { needing } from '../support/needs.ts'

const mounting = await needing('mount namespace')

import { openDiskStorage, prefixedStorage } from '../../src/storage/index.ts'
import { contentOf, keysOf, put, refuses } from '../support/stores/storage-contract.ts'

describe('files on a disk', () => {
  test('files and folders are closed to others, whatever the temporary file was', async () => {
    await using backend = await openBackend()
    const path = await backend.tempFile('x')
    await chmod(path, 0o666)
    await backend.storage.put([{ key: 'images/2026/cat.jpg', path }])
    const modeOf = async (name: string) => ((await stat(join(backend.root, name))).mode & 0o777).toString(8)
    assert.equal(await modeOf('images/2026/cat.jpg'), '600')
    assert.equal(await modeOf('images/2026'), '700')
    assert.equal(await modeOf('images'), '700')
  })

  test('a proxy gets the path of the file', async () => {
    await using backend = await openBackend()
    const site = prefixedStorage(backend.storage, 'sites/cats')
    await put({ ...backend, storage: site }, { 'images/cat.jpg': 'cat' })
    const path = site.localPath?.('images/cat.jpg') ?? ''
    assert.equal(path, join(backend.root, 'sites/cats/images/cat.jpg'))
    assert.equal(await readFile(path, 'utf8'), 'cat')
    assert.throws(() => site.localPath?.('../dogs/a.jpg'), { code: 'bad-key' })
  })

  test('a file that is open is read anywhere into memory of the reader, and stays readable when it is removed', async () => {
    await using backend = await openBackend()
    const site = prefixedStorage(backend.storage, 'sites/cats')
    await put({ ...backend, storage: site }, { 'images/cat.jpg': 'a cat' })
    const file = await site.open?.('images/cat.jpg')
    assert.equal(file?.sizeBytes, 5)
    await site.remove(['images/cat.jpg'])
    const memory = Buffer.alloc(8, '-')
    assert.deepEqual([await file?.read(memory, 2), String(memory)], [3, 'cat-----'])
    assert.deepEqual([await file?.read(memory.subarray(0, 1), 0), String(memory)], [1, 'aat-----'])
    assert.equal(await file?.read(memory, 5), 0)
    await file?.close()
    assert.equal(await site.open?.('images/cat.jpg'), undefined)
    await assert.rejects(async () => site.open?.('../dogs/a.jpg'), { code: 'bad-key' })
  })

  test('many puts at once into a folder that is not there yet all succeed', async () => {
    await using backend = await openBackend()
    const names = Array.from({ length: 40 }, (_, number) => `new/year/month/${number}.jpg`)
    await Promise.all(names.map((name) => put(backend, { [name]: name })))
    assert.equal((await keysOf(backend.storage)).length, 40)
  })

  test('a folder that was removed is made again', async () => {
    await using backend = await openBackend()
    await put(backend, { 'images/2026/a.jpg': 'a' })
    await rm(join(backend.root, 'images'), { recursive: true })
    await put(backend, { 'images/2026/a.jpg': 'b' })
    assert.equal(String(await contentOf(backend.storage, 'images/2026/a.jpg')), 'b')
  })

  test('names with a dot in front are not listed and stay when all is removed', async () => {
    await using backend = await openBackend()
    await mkdir(join(backend.root, '.tmp'))
    await writeFile(join(backend.root, '.tmp/upload'), 'x')
    await backend.storage.put([{ key: 'a.jpg', path: join(backend.root, '.tmp/upload') }])
    await writeFile(join(backend.root, '.tmp/upload'), 'y')
    assert.deepEqual(await keysOf(backend.storage), ['a.jpg'])
    await backend.storage.removeAll('')
    assert.deepEqual(await readdir(backend.root, { recursive: true }), ['.tmp', '.tmp/upload'])
  })

  test('more names than are held at once are listed in order', async () => {
    await using backend = await openBackend()
    await mkdir(join(backend.root, 'many'))
    const count = 25_000
    execFileSync('sh', ['-c', `cd "${join(backend.root, 'many')}" && seq 1 ${count} | xargs touch`])
    for (const folder of ['1', '20000', '3']) await mkdir(join(backend.root, `many/${folder}-empty`))
    const keys = await keysOf(backend.storage, 'many', 9_000)
    assert.equal(keys.length, count)
    assert.deepEqual(keys, [...keys].sort())
  })
})

describe('what does not belong into the tree', () => {
  test('symbolic links are not followed, neither files nor folders', async () => {
    await using backend = await openBackend()
    const { storage, root, outside } = backend
    await writeFile(join(outside, 'secret.jpg'), 'secret')
    await put(backend, { 'images/cat.jpg': 'cat' })
    await symlink(join(outside, 'secret.jpg'), join(root, 'images/link.jpg'))
    await symlink(outside, join(root, 'images/folder'))
    await symlink(join(root, 'images'), join(root, 'inside'))

    for (const key of ['images/link.jpg', 'images/folder/secret.jpg', 'inside/cat.jpg']) {
      assert.equal(await storage.read(key), undefined)
      assert.equal(await storage.stat(key), undefined)
    }
    for (const key of ['images/folder/new.jpg', 'images/folder/deep/new.jpg', 'inside/new.jpg']) {
      await refuses(put(backend, { [key]: 'x' }), 'unavailable', 'storage-unavailable')
    }
    await refuses(put(backend, { 'images/link.jpg': 'x' }), 'conflict', 'key-taken')
    assert.deepEqual(await keysOf(storage), ['images/cat.jpg'])
    assert.deepEqual(await storage.list('images/folder', undefined, 10), [])

    await storage.remove(['images/folder/secret.jpg', 'inside/cat.jpg'])
    await storage.removeAll('images/folder/deep')
    await storage.removeAll('inside/cat.jpg')
    assert.equal(String(await contentOf(storage, 'images/cat.jpg')), 'cat')
    await storage.removeAll('images')
    assert.deepEqual(await readdir(outside), ['secret.jpg'])
  })

  test('a root behind a symbolic link is the operator’s choice', async () => {
    await using backend = await openBackend()
    await symlink(backend.root, join(backend.outside, 'data'))
    const storage = await openDiskStorage({ root: join(backend.outside, 'data') })
    await put({ ...backend, storage }, { 'images/cat.jpg': 'cat' })
    assert.equal(String(await contentOf(storage, 'images/cat.jpg')), 'cat')
  })

  test('a named pipe holds up no reader', async () => {
    await using backend = await openBackend()
    await put(backend, { 'images/cat.jpg': 'cat' })
    execFileSync('mkfifo', [join(backend.root, 'images/pipe')])
    assert.equal(await backend.storage.read('images/pipe'), undefined)
    assert.deepEqual(await keysOf(backend.storage), ['images/cat.jpg'])
  })
})

describe('a disk in trouble', () => {
  test('a root that is gone is reported, not made again, and not taken for missing files', async () => {
    await using backend = await openBackend()
    const { storage, root } = backend
    await put(backend, { 'images/cat.jpg': 'cat' })
    await rename(root, `${root}-away`)
    const calls = [
      () => put(backend, { 'images/dog.jpg': 'x' }),
      () => storage.read('images/cat.jpg'),
      () => storage.stat('images/cat.jpg'),
      () => storage.remove(['images/cat.jpg']),
      () => storage.list('images', undefined, 1),
      () => storage.removeAll('images'),
      () => storage.check(),
    ]
    for (const call of calls) await refuses(call(), 'unavailable', 'storage-unavailable')
    await assert.rejects(stat(root))
    await rename(`${root}-away`, root)
    await storage.check()
    await put(backend, { 'images/dog.jpg': 'dog' })
    assert.deepEqual(await keysOf(storage), ['images/cat.jpg', 'images/dog.jpg'])
  })

  mounting.test(
    'a full disk is reported, leaves nothing half done, and heals when there is space',
    async () => {
      await using backend = await openBackend()
      await using disk = await mountMemory(backend.root, 'size=1m,nr_inodes=16')
      const storage = await openDiskStorage({ root: join(disk.path, 'files') })
      const inside = {
        ...backend,
        storage,
        tempFile: (bytes: Buffer | string) => writeTemp(disk.path, bytes),
      }
      await put(inside, { 'images/a.jpg': 'a', 'images/b.jpg': 'b' })

      const paths = await Promise.all(['1', '2', '3'].map((text) => inside.tempFile(text)))
      const batch = paths.map((path, number) => ({ key: `images/new/${number}.jpg`, path }))
      const fillers: string[] = []
      const isFull = async () =>
        inside.tempFile('').then(
          (path) => void fillers.push(path),
          () => true,
        )
      while (!(await isFull())) assert.ok(fillers.length < 100)

      await refuses(storage.put(batch), 'unavailable', 'disk-full')
      assert.deepEqual(await keysOf(storage), ['images/a.jpg', 'images/b.jpg'])
      assert.equal(String(await contentOf(storage, 'images/a.jpg')), 'a')
      // Each further place lets the put come a step further, to the folder and to the links one by one.
      const steps: string[] = []
      while (steps.at(-1) !== 'done') {
        await rm(fillers.pop() ?? assert.fail('There is space now.'))
        steps.push(
          await storage.put(batch).then(
            () => 'done',
            (error) => error.code,
          ),
        )
        if (steps.at(-1) !== 'done') assert.deepEqual(await keysOf(storage), ['images/a.jpg', 'images/b.jpg'])
      }
      assert.ok(steps.length > 2 && steps.slice(0, -1).every((step) => step === 'disk-full'), steps.join())
      assert.equal((await keysOf(storage)).length, 5)
    },
  )

  mounting.test('a read-only disk takes nothing and goes on giving', async () => {
    await using backend = await openBackend()
    await using disk = await mountMemory(backend.root, 'size=1m')
    const storage = await openDiskStorage({ root: join(disk.path, 'files') })
    const inside = { ...backend, storage, tempFile: (bytes: Buffer | string) => writeTemp(disk.path, bytes) }
    await put(inside, { 'images/a.jpg': 'a' })
    const path = await inside.tempFile('b')

    execFileSync('mount', ['-o', 'remount,ro', disk.path])
    const batch = [{ key: 'images/b.jpg', path }]
    const calls = [() => storage.put(batch), () => storage.check(), () => storage.remove(['images/a.jpg'])]
    for (const call of calls) await refuses(call(), 'unavailable', 'storage-unavailable')
    assert.equal(String(await contentOf(storage, 'images/a.jpg')), 'a')

    execFileSync('mount', ['-o', 'remount,rw', disk.path])
    await storage.check()
    await put(inside, { 'images/c.jpg': 'c' })
  })
})

async function mountMemory(parent: string, options: string) {
  const path = join(parent, 'mounted')
  await mkdir(path)
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path])
  return { path, [Symbol.asyncDispose]: async () => void execFileSync('umount', ['-l', path]) }
}

async function openBackend() {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-disk-'))
  const [root, outside] = [join(folder, 'files'), join(folder, 'outside')]
  await mkdir(outside)
  return {
    root,
    outside,
    storage: await openDiskStorage({ root }),
    tempFile: (bytes: Buffer | string) => writeTemp(folder, bytes),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

async function writeTemp(folder: string, bytes: Buffer | string): Promise<string> {
  const path = join(folder, randomBytes(8).toString('hex'))
  await writeFile(path, bytes)
  return path
}
