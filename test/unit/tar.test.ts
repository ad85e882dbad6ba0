import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { test } from 'vitest'
import {
  endOfArchive,
  paddingOf,
  readExtension,
  readTarHeader,
  TarFault,
  tarHeader,
} from '../../src/lib/files/tar.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { bodyOf, tarEntries } from '../../src/tenants/archive/read-tar.ts'
import { needing } from '../support/needs.ts'
import { runsOf } from '../support/tiers.ts'

const at = new Date('2026-11-18T00:00:00Z')

async function inFile<T>(
  bytes: Uint8Array,
  use: (read: () => Promise<[string, Buffer][]>, path: string) => Promise<T>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-tar-'))
  const path = join(folder, 'a.tar')
  try {
    await writeFile(path, bytes)
    return await use(() => entriesOf(path), path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function entriesOf(path: string): Promise<[string, Buffer][]> {
  const handle = await open(path, 'r')
  try {
    const source = { handle, sizeBytes: (await handle.stat()).size }
    const entries: [string, Buffer][] = []
    for await (const entry of tarEntries(source)) {
      const chunks: Buffer[] = []
      for await (const chunk of bodyOf(source, entry)) chunks.push(Buffer.from(chunk))
      entries.push([entry.name, Buffer.concat(chunks)])
    }
    return entries
  } finally {
    await handle.close()
  }
}

const written = (entries: readonly (readonly [string, Buffer])[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap(([name, body]) => [
      tarHeader({ name, sizeBytes: body.length }, at),
      body,
      Buffer.alloc(paddingOf(body.length)),
    ]),
    endOfArchive,
  ])

const names = fc
  .array(fc.stringMatching(/^[A-Za-z0-9._-]{1,80}$/), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join('/'))
const bodies = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes))

test('what is written as a tar archive is read as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(names, bodies), { maxLength: 6 }), (entries) =>
      inFile(written(entries), async (read) => assert.deepEqual(await read(), entries)),
    ),
    { numRuns: runsOf(100) },
  )
})

test('a changed archive is read or refused, and never crashes or hangs the reader', async () => {
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(names, bodies), { minLength: 1, maxLength: 3 }),
      changes,
      (entries, changed) => {
        const bytes = written(entries)
        for (const [place, value] of changed) bytes[place % bytes.length] = value
        return inFile(bytes, async (read) => {
          await read().catch((error) => assert.ok(error instanceof Refusal, String(error)))
        })
      },
    ),
    { numRuns: runsOf(200) },
  )
})

test('any bytes are a header, or a fault', () => {
  const orFault = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      assert.ok(error instanceof TarFault, String(error))
    }
  }
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 512, maxLength: 512 }),
      fc.uint8Array({ maxLength: 300 }),
      (block, body) => {
        orFault(() => readTarHeader(Buffer.from(block)))
        orFault(() => readExtension(Buffer.from(body)))
      },
    ),
  )
})

test('sizes beyond 8 GiB are written and read, in both forms', () => {
  const sizeBytes = 20_000_000_000
  const header = tarHeader({ name: 'bytes/long', sizeBytes }, at)
  assert.equal(
    readExtension(header.subarray(512, 512 + readTarHeader(header).sizeBytes)).sizeBytes,
    sizeBytes,
  )
  const gnu = Buffer.from(tarHeader({ name: 'bytes/long', sizeBytes: 0 }, at))
  gnu.fill(0, 124, 136)
  gnu[124] = 0x80
  gnu.writeUIntBE(sizeBytes, 130, 6)
  gnu.write('        ', 148)
  gnu.write(
    `${gnu
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  assert.equal(readTarHeader(gnu).sizeBytes, sizeBytes)
})

const files: [string, string][] = [
  ['tables/a.ndjson', 'short'],
  [`bytes/${'long-'.repeat(18)}/${'name-'.repeat(18)}`, 'of two parts'],
  [`bytes/${'part/'.repeat(80)}end`, 'of many parts'],
  ['manifest.ndjson', ''],
]

const forms = ['gnu', 'posix', 'ustar'] as const

const tar = await needing('tar')

tar.describe('an archive is read that GNU tar has written in the form', () => {
  for (const form of forms) {
    test(form, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'terrace-tar-'))
      try {
        for (const [path, text] of files) {
          await mkdir(dirname(join(folder, path)), { recursive: true })
          await writeFile(join(folder, path), text)
        }
        // The oldest of the three has no room for the longest name.
        const fitting = form === 'ustar' ? files.filter(([path]) => path.length < 250) : files
        const list = fitting.map(([path]) => path)
        execFileSync('tar', [`--format=${form}`, '-cf', 'a.tar', ...list], { cwd: folder })
        const found = await entriesOf(join(folder, 'a.tar'))
        assert.deepEqual(
          found.map(([path, body]) => [path, body.toString()]),
          fitting,
        )
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    })
  }
})

tar.test('an archive of ours is read by GNU tar', async () => {
  const entries = files.map(([path, text]) => [path, Buffer.from(text)] as const)
  await inFile(written(entries), async (_read, path) => {
    const listed = execFileSync('tar', ['-tf', path]).toString().trim().split('\n')
    assert.deepEqual(
      listed,
      files.map(([name]) => name),
    )
    execFileSync('tar', ['-xf', path, '-C', dirname(path)])
    for (const [name, text] of files) assert.equal(await readFile(join(dirname(path), name), 'utf8'), text)
  })
})
