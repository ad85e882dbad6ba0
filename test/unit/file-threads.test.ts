import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { blockBytes, newThreadFile, patchFile } from '../../src/lib/files/file-threads.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terrace-threads-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const hex = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('hex')
const newFile = (name: string) =>
  newThreadFile({ path: join(folder, name), mode: 0o644, sums: ['md5', 'sha256'] })

test('files that are written at once have their own bytes and sums, however long their pieces are', async () => {
  const lengths = [
    [],
    [0],
    [1],
    [70_000, 3],
    [blockBytes],
    [blockBytes + 1, 5],
    [3 * blockBytes, 1, blockBytes],
  ]
  await Promise.all(
    lengths.map(async (pieces, index) => {
      const file = newFile(`pieces-${index}`)
      const all = pieces.map((length) => randomBytes(length))
      for (const piece of all.slice(0, -1)) await file.write([piece])
      const sums = await file.end(all.slice(-1))
      const bytes = Buffer.concat(all)
      assert.deepEqual(await readFile(join(folder, `pieces-${index}`)), bytes)
      assert.deepEqual(sums, { md5: hex('md5', bytes), sha256: hex('sha256', bytes) })
    }),
  )
})

test('the memory of a piece may be used again once it is written', async () => {
  const file = newFile('reused')
  const piece = Buffer.alloc(1_000, 1)
  await file.write([piece])
  piece.fill(2)
  await file.end([piece])
  const expected = Buffer.concat([Buffer.alloc(1_000, 1), Buffer.alloc(1_000, 2)])
  assert.deepEqual(await readFile(join(folder, 'reused')), expected)
})

test('an error of the disk has its code, and does not hold up other files', async () => {
  await writeFile(join(folder, 'taken'), 'here')
  const taken = newFile('taken')
  await assert.rejects(taken.write([Buffer.from('x')]), { code: 'EEXIST', syscall: 'open' })
  await taken.close()
  await assert.rejects(newFile('nowhere/file').end([]), { code: 'ENOENT' })
  assert.equal(await readFile(join(folder, 'taken'), 'utf8'), 'here')
  await newFile('after').end([Buffer.from('x')])
})

test('a file that is closed before its end is closed, and one that was never written does not exist', async () => {
  const path = join(folder, 'half')
  const half = newFile('half')
  await half.write([Buffer.from('half')])
  await half.close()
  await newFile('never').close()
  const open = await readdir('/proc/self/fd').catch(() => [])
  const targets = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  assert.ok(!targets.includes(path))
  await assert.rejects(stat(join(folder, 'never')), { code: 'ENOENT' })
})

test('a patch changes its bytes alone, and answers with the sum of the whole file', async () => {
  const path = join(folder, 'patched')
  const bytes = randomBytes(blockBytes * 2 + 7)
  await writeFile(path, bytes)
  const patches = [
    { at: 0, bytes: Buffer.from('head') },
    { at: bytes.length - 4, bytes: Buffer.from('tail') },
  ]
  const md5 = await patchFile(path, patches)
  for (const patch of patches) patch.bytes.copy(bytes, patch.at)
  assert.deepEqual(await readFile(path), bytes)
  assert.equal(md5, hex('md5', bytes))
  await assert.rejects(patchFile(join(folder, 'missing'), patches), { code: 'ENOENT' })
})
