import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { HashThreads, sharedBuffer } from '../../src/lib/concurrency/hash-threads.ts'

const algorithms = ['md5', 'sha256'] as const

test('sums of short and long bytes are those of one thread, however many are taken at once', async () => {
  await using threads = new HashThreads()
  const sizes = [0, 1, 131_072, 131_073, 3_000_000, 5_000_001]
  await Promise.all(
    sizes.flatMap((size) =>
      algorithms.map(async (algorithm) => {
        const bytes = sharedBuffer(size)
        randomBytes(size).copy(bytes)
        const sum = threads.begin(algorithm, size)
        const adding = [0, 1, 2].map((third) => {
          const [from, to] = [Math.floor((third * size) / 3), Math.floor(((third + 1) * size) / 3)]
          return sum.add(bytes.subarray(from, to))
        })
        await Promise.all(adding)
        assert.equal((await sum.digest()).toString('hex'), hash(algorithm, Buffer.from(bytes)), `${size}`)
      }),
    ),
  )
})

test('memory that is not shared is summed too, and a copy goes on by itself', async () => {
  await using threads = new HashThreads()
  for (const size of [10, 1_000_000]) {
    const [first, second] = [randomBytes(size), randomBytes(size)]
    const sum = threads.begin('sha256', size)
    await sum.add(first)
    const copy = sum.copy()
    await sum.add(second)
    assert.equal((await copy.digest()).toString('hex'), hash('sha256', first))
    assert.equal((await sum.digest()).toString('hex'), hash('sha256', Buffer.concat([first, second])))
  }
})

test('a part of a file is copied into a part of another one, whose errors are told from those of the first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-hash-'))
  await using threads = new HashThreads()
  const bytes = randomBytes(17_000_000)
  await writeFile(join(folder, 'from'), bytes)
  const [from, to] = [await open(join(folder, 'from'), 'r'), await open(join(folder, 'to'), 'wx+')]
  try {
    const part = { from: { fd: from.fd, position: 1 }, sizeBytes: bytes.length - 1, algorithms }
    const places = [1_000, 1_000 + bytes.length]
    await Promise.all(places.map((position) => threads.ofPart({ ...part, to: { fd: to.fd, position } })))
    const copied = Buffer.alloc(2 * bytes.length + 1_000)
    for (const place of places) bytes.copy(copied, place, 1)
    assert.ok((await readFile(join(folder, 'to'))).equals(copied.subarray(0, -1)))
    const isReadOnly = threads.ofPart({ ...part, to: { fd: from.fd, position: 0 } })
    await assert.rejects(isReadOnly, { code: 'EBADF', syscall: 'write' })
    const folderHandle = await open(folder, 'r')
    const isFolder = threads.ofPart({ ...part, from: { fd: folderHandle.fd, position: 0 } })
    await assert.rejects(isFolder, { code: 'EISDIR', syscall: 'read' })
    await folderHandle.close()
  } finally {
    await from.close()
    await to.close()
    await rm(folder, { recursive: true, force: true })
  }
})

test('what is asked of a thread that has ended is refused', async () => {
  const threads = new HashThreads()
  const sum = threads.begin('md5', 1_000_000)
  await sum.add(Buffer.alloc(10))
  await threads[Symbol.asyncDispose]()
  await assert.rejects(sum.digest(), /has ended/)
})

test('a part of a file is summed and copied by a thread, and a file that is too short is known', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-hash-'))
  await using threads = new HashThreads()
  // More than a thread reads at a time.
  const bytes = randomBytes(17_000_000)
  const from = join(folder, 'from')
  await writeFile(from, bytes)
  const handle = await open(from, 'r')
  try {
    for (const [position, sizeBytes] of [
      [0, 0],
      [3, 10],
      [1, 1_048_577],
      [7, bytes.length - 7],
    ] as const) {
      const to = join(folder, `${sizeBytes}`)
      const sums = await threads.ofPart({
        from: { fd: handle.fd, position },
        sizeBytes,
        algorithms,
        to: { path: to },
      })
      const part = bytes.subarray(position, position + sizeBytes)
      assert.deepEqual(
        sums?.map((sum) => sum.toString('hex')),
        algorithms.map((algorithm) => hash(algorithm, part)),
      )
      assert.ok((await readFile(to)).equals(part))
      assert.equal((await stat(to)).mode & 0o777, 0o600)
    }
    const part = { from: { fd: handle.fd, position: 5 }, sizeBytes: bytes.length, algorithms }
    assert.equal(await threads.ofPart(part), undefined)
    // It never writes to a file that is there, and goes on with the next one.
    await assert.rejects(threads.ofPart({ ...part, sizeBytes: 1, to: { path: join(folder, '10') } }), {
      code: 'EEXIST',
    })
    assert.equal((await threads.ofPart({ ...part, sizeBytes: 1 }))?.length, 2)
    // A caller that wants to stop is heard after a piece, and the other bytes are not read.
    let pieces = 0
    const onBytes = () => {
      pieces += 1
      throw new Error('stopped')
    }
    await assert.rejects(threads.ofPart({ ...part, sizeBytes: bytes.length - 5, onBytes }), /stopped/)
    assert.equal(pieces, 1)
  } finally {
    await handle.close()
    await rm(folder, { recursive: true, force: true })
  }
})
