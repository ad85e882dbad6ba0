import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestApp } from '../support/harness.ts'
import {
  exportTo,
  flippedAt,
  type PackedEntry,
  packed,
  repacked,
  unpacked,
  withRows,
} from '../support/stores/archives.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { freshInstallation, type Installation } from '../support/tool.ts'
import { picture, uploaded } from '../support/uploads.ts'

describe('an import refuses, and leaves nothing of', () => {
  let folder: Awaited<ReturnType<typeof backupFolder>>
  let installation: Installation
  let whole = ''

  beforeAll(async () => {
    folder = await backupFolder()
    whole = join(folder.path, 'cats.tar')
    await using app = await startTestApp()
    const cats = await app.tenant('cats')
    for (const seed of [1, 2])
      await uploaded(app, cats, {
        file: await picture({ seed }),
        fields: { title: `cat ${seed}`, tags: 'a' },
      })
    await exportTo(app, whole)
    installation = await freshInstallation()
    await installation.json('tenants', 'list')
  })
  afterAll(async () => {
    await installation[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  /** Both ways name the entry, and only one of them has an installation. */
  async function refused(archive: string, says: RegExp): Promise<void> {
    const before = await treeOf(installation.dataDir)
    for (const words of [['--id', 'cats'], ['--verify']]) {
      const { code, out, err } = await installation.run('tenants', 'import', archive, ...words)
      assert.deepEqual([code, out], [1, ''], err)
      assert.match(err, says)
    }
    assert.deepEqual(await treeOf(installation.dataDir), before)
    assert.deepEqual(await installation.json('tenants', 'list'), [])
  }

  const treeOf = async (path: string) =>
    (await readdir(path, { recursive: true })).filter((name) => !/-(?:wal|shm)$/.test(name)).sort()

  async function refusedAs(
    change: (entries: PackedEntry[]) => PackedEntry[],
    says: RegExp,
    head: object = {},
  ): Promise<void> {
    const archive = join(folder.path, 'changed.tar')
    await repacked(whole, archive, change, head)
    await refused(archive, says)
  }

  const asTheyAre = (entries: PackedEntry[]) => entries
  const bytesOf = (entries: PackedEntry[]) => entries.findIndex(({ name }) => name.startsWith('bytes/'))

  test('an archive whose manifest has another format, a later version or other counts', async () => {
    await refusedAs(asTheyAre, /manifest\.ndjson: its format is "zip"/, { format: 'zip' })
    await refusedAs(asTheyAre, /manifest\.ndjson: its version is 2/, { version: 2 })
    await refusedAs(asTheyAre, /manifest\.ndjson: its first line says 3 entries/, { entries: 3 })
    await refusedAs(asTheyAre, /manifest\.ndjson: its first line says 3 bytes/, { bytes: 3 })
    await refusedAs(asTheyAre, /manifest\.ndjson: a member/, { hostname: 5 })
    await refusedAs(asTheyAre, /manifest\.ndjson: .*id/, { id: '../cats' })
  })

  test('an archive whose manifest is missing, or not last, or names other entries', async () => {
    const all = await unpacked(whole)
    const archive = join(folder.path, 'changed.tar')
    const [first] = all as [PackedEntry]
    const write = (entries: readonly PackedEntry[]) => writeFile(archive, packed(entries))
    await write(all.slice(0, -1))
    await refused(archive, /manifest\.ndjson: it is missing/)
    await write([...all, { ...first, name: 'bytes/late' }])
    await refused(archive, /bytes\/late: it comes after manifest\.ndjson/)
    await write([...all.slice(1, 5), first, first, ...all.slice(5)])
    await refused(archive, /tables\/tenant\.ndjson: it is in the archive twice/)
    await write(all.slice(1))
    await refused(archive, /tables\/tenant\.ndjson: the manifest names it, but it is missing/)
    await write([
      ...all.slice(0, -1),
      { name: 'bytes/more', bytes: Buffer.from('x') },
      all.at(-1) as PackedEntry,
    ])
    await refused(archive, /bytes\/more: the manifest does not name it/)
    const manifest = all.at(-1) as PackedEntry
    const lines = String(manifest.bytes).replace(/.(?="}\n)/, (digit) => (digit === '1' ? '2' : '1'))
    await write([...all.slice(0, -1), { ...manifest, bytes: Buffer.from(lines) }])
    await refused(archive, /tables\/tenant\.ndjson: its SHA-256 is not that of the manifest/)
    const at = bytesOf(all)
    const flipped = Buffer.from((all[at] as PackedEntry).bytes)
    flipped[100] = (flipped[100] ?? 0) ^ 1
    await write(all.with(at, { name: (all[at] as PackedEntry).name, bytes: flipped }))
    await refused(archive, /bytes\/images\S+: its SHA-256 is not that of the manifest/)
    await write(all.with(at, { name: (all[at] as PackedEntry).name, bytes: flipped.subarray(1) }))
    await refused(archive, /bytes\/images\S+: it has \d+ bytes, and \d+ by the manifest/)
  })

  const otherEntries: [string, Partial<PackedEntry>, RegExp][] = [
    ['a hard link', { type: '1' }, /"bytes\/x" is a hard link/],
    ['a symbolic link', { type: '2' }, /"bytes\/x" is a symbolic link/],
    ['a device', { type: '3' }, /"bytes\/x" is a device/],
    ['a folder', { type: '5' }, /"bytes\/x" is a folder/],
    ['a pipe', { type: '6' }, /"bytes\/x" is a pipe/],
    ['a sparse file', { type: 'S' }, /"bytes\/x" is a sparse file/],
    ['a global header', { type: 'g' }, /not a plain file/],
    ['an absolute name', { name: '/bytes/x' }, /\/bytes\/x: an archive has no entry of this name/],
    ['a name that leads out', { name: 'bytes/../x' }, /bytes\/\.\.\/x: an archive has no entry/],
    ['a name with a backslash', { name: 'bytes\\x' }, /an archive has no entry of this name/],
    ['another name', { name: 'README' }, /README: an archive has no entry of this name/],
    ['another table', { name: 'tables/x.ndjson' }, /tables\/x\.ndjson: an archive has no entry/],
    ['a session', { name: 'tables/session.ndjson' }, /tables\/session\.ndjson: an archive has no entry/],
    ['bytes of no row', {}, /bytes\/x: no row names it/],
    ['a length beyond the end', { sizeBytes: 10_000_000 }, /"bytes\/x" is longer than the archive/],
  ]
  for (const [what, change, says] of otherEntries) {
    test(`an archive with ${what}`, async () => {
      const entry = { name: 'bytes/x', bytes: Buffer.from('x'), ...change }
      await refusedAs((entries) => [...entries, entry], says)
    })
  }

  const otherRows: [string, string, (rows: any[]) => unknown[], RegExp][] = [
    ['an unknown column', 'user', ([row]) => [{ ...row, x: 1 }], /in line 1 there is no column "x"/],
    ['a missing column', 'user', ([{ email, ...row }]) => [row], /"email" is missing/],
    ['another type', 'user', ([row]) => [{ ...row, username: 5 }], /"username" is not a text/],
    ['half a number', 'user', ([row]) => [{ ...row, isBanned: 0.5 }], /"isBanned" is not a whole number/],
    ['a role that does not exist', 'user', ([row]) => [{ ...row, role: 'root' }], /does not fit its table/],
    ['a long name', 'user', ([row]) => [{ ...row, username: 'x'.repeat(5_000) }], /"username" is too long/],
    ['a NUL', 'user', ([row]) => [{ ...row, username: 'a\0' }], /"username" has characters/],
    ['a time that is none', 'user', ([row]) => [{ ...row, createdAt: 'soon' }], /"createdAt" is not a time/],
    [
      'a time of no calendar',
      'user',
      ([row]) => [{ ...row, createdAt: '2026-13-45T25:61:61.999Z' }],
      /"createdAt" is not a time/,
    ],
    ['no preferences', 'user', ([row]) => [{ ...row, preferences: 'null' }], /"preferences" is not/],
    [
      'a preference that is no text',
      'user',
      ([row]) => [{ ...row, preferences: '{"copyFormat":{"toString":1}}' }],
      /"preferences" is not/,
    ],
    [
      'addresses that are none',
      'userKey',
      ([row]) => [{ ...row, allowedAddresses: '["x"]' }],
      /"allowedAddresses" is not/,
    ],
    ['no list of origins', 'userKey', ([row]) => [{ ...row, allowedOrigins: '' }], /"allowedOrigins" is not/],
    ['no metadata', 'file', (rows) => rows.map((row) => ({ ...row, exif: 'null' })), /"exif" is not/],
    [
      'metadata that is no text',
      'file',
      (rows) => rows.map((row) => ({ ...row, exif: '{"Make":{"toString":1}}' })),
      /"exif" is not/,
    ],
    ['no change', 'audit', (rows) => rows.map((row) => ({ ...row, after: 'null' })), /"after" is not/],
    ['an empty change', 'audit', (rows) => rows.map((row) => ({ ...row, before: '' })), /"before" is not/],
    [
      'a change of changes',
      'audit',
      (rows) => rows.map((row) => ({ ...row, after: `{"a":${'['.repeat(99_999)}${']'.repeat(99_999)}}` })),
      /"after" is not/,
    ],
    [
      'a type of its own for a variant',
      'file',
      (rows) =>
        rows.map((row) => {
          const column = JSON.parse(row.variants)
          for (const variant of column.variants) variant.mime = 'text/html'
          return { ...row, variants: JSON.stringify(column) }
        }),
      /does not list variants/,
    ],
    [
      'a variant without a size',
      'file',
      (rows) =>
        rows.map((row) => {
          const column = JSON.parse(row.variants)
          for (const variant of column.variants) variant.width = '<b>'
          return { ...row, variants: JSON.stringify(column) }
        }),
      /does not list variants/,
    ],
    [
      'traffic below 0, which would make room in a quota',
      'dayTotal',
      (rows) => [...rows, { day: '2026-11-01', name: 'trafficBytes', value: -5 }],
      /"value" is below 0/,
    ],
    ['a row twice', 'user', ([row]) => [row, row], /a row does not fit its table/],
    [
      'a reference to no row',
      'file',
      ([row, ...rows]) => [{ ...row, userId: 'none' }, ...rows],
      /does not fit/,
    ],
    [
      'a folder that leads out',
      'file',
      ([row, ...rows]) => [{ ...row, folder: '../x' }, ...rows],
      /"folder"/,
    ],
    [
      'bytes that are missing',
      'file',
      ([row, ...rows]) => [{ ...row, folder: 'x' }, ...rows],
      /names bytes\/x\/\S+ which is missing/,
    ],
    [
      'other bytes',
      'file',
      ([row, ...rows]) => [{ ...row, md5: 'a'.repeat(32) }, ...rows],
      /not the bytes that its row names/,
    ],
    ['a file without a row', 'file', ([, ...rows]) => rows, /does not fit|no row names it/],
    [
      'a broken audit log',
      'audit',
      ([row, ...rows]) => [{ ...row, target: 'other' }, ...rows],
      /tables\/audit\.ndjson: /,
    ],
    [
      'a password that takes long',
      'user',
      ([row]) => [{ ...row, passwordHash: row.passwordHash.replace(/m=\d+,t=\d+/, 'm=999999,t=99') }],
      /"passwordHash" is not the hash/,
    ],
    [
      'a type of its own',
      'file',
      (rows) => rows.map((row) => ({ ...row, variants: row.variants.replace('image/png', 'text/html') })),
      /has no type of a picture/,
    ],
    [
      'a setting that cannot be',
      'setting',
      () => [{ name: 'protect_bytes', value: 'x' }],
      /the setting protect_bytes has a value/,
    ],
    ['an array in place of a row', 'tag', () => [[1]], /line 1 is not a JSON object/],
    ['a value inside a value', 'tag', ([row]) => [{ ...row, name: { a: 1 } }], /"name" is not a text/],
  ]
  for (const [what, table, change, says] of otherRows) {
    test(`an archive with ${what} in the table ${table}`, () => refusedAs(withRows(table, change), says))
  }

  test('an archive with a line that has no end, or is not JSON', async () => {
    const withBytes = (bytes: Buffer) => (entries: PackedEntry[]) =>
      entries.map((entry) => (entry.name === 'tables/tag.ndjson' ? { ...entry, bytes } : entry))
    await refusedAs(
      withBytes(Buffer.alloc(9_000_000, 0x20)),
      /tables\/tag\.ndjson: line 1 is longer than 8 MiB/,
    )
    await refusedAs(withBytes(Buffer.from('{"name":"a"}')), /tables\/tag\.ndjson: line 1 has no end/)
    await refusedAs(withBytes(Buffer.from('[[[\n')), /tables\/tag\.ndjson: line 1 is not a JSON object/)
    await refusedAs(withBytes(Buffer.from(`${'['.repeat(1_000_000)}\n`)), /line 1 is not a JSON object/)
    await refusedAs(withBytes(Buffer.from([0x22, 0xff, 0x22, 0x0a])), /line 1 is not a JSON object/)
  })

  test('a file that is cut off anywhere, or is no archive', async () => {
    const bytes = await readFile(whole)
    const archive = join(folder.path, 'changed.tar')
    for (const length of [0, 100, 512, 5_000, bytes.length - 1_500, bytes.length - 1_024, bytes.length - 1]) {
      await writeFile(archive, bytes.subarray(0, length))
      await refused(archive, /Nothing was imported from the archive/)
    }
    await writeFile(archive, Buffer.alloc(5_000, 0x61))
    await refused(archive, /The first entry: it has no header of a tar archive/)
    await refused(join(folder.path, 'none.tar'), /there is no such file/)
    await refused(folder.path, /it is not a file/)
  })

  test('a bit that was flipped anywhere', async () => {
    const bytes = await readFile(whole)
    const archive = join(folder.path, 'changed.tar')
    let seed = 7
    for (let count = 0; count < 40; count += 1) {
      seed = (seed * 48_271) % 2_147_483_647
      await writeFile(archive, flippedAt(bytes, seed % bytes.length, seed % 8))
      const { code, err } = await installation.run('tenants', 'import', archive, '--verify')
      assert.equal(code, 1, `${seed % bytes.length}`)
      assert.match(err, /Nothing was imported from the archive/)
    }
  })
})
