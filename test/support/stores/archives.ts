import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { type ExportOptions, exportTenant, writeArchiveFile } from '../../../src/tenants/index.ts'
import type { TestApp } from '../harness.ts'

/** An entry of a tar archive, with the fields of its header that hostile archives change. */
export interface PackedEntry {
  name: string
  bytes: Buffer
  type?: string
  /** What the header says, if not the length of the bytes. */
  sizeBytes?: number
}

export function exportTo(
  app: TestApp,
  to: string,
  { id = 'cats', ...options }: Partial<Pick<ExportOptions, 'id' | 'passphrase' | 'isSummed'>> = {},
) {
  const { control, requestSecret } = app.app
  return writeArchiveFile(to, (file) => exportTenant(control, file, { id, ...options, requestSecret }))
}

/** Written apart from the code that it tests: as the standard has it, with octal sizes and short names. */
export function packed(entries: readonly PackedEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, bytes, type = '0', sizeBytes = bytes.length }) => {
    const header = Buffer.alloc(512)
    assert.ok(name.length <= 100, name)
    header.write(name)
    header.write('0000644\x000000000\x000000000\x00', 100)
    header.write(`${sizeBytes.toString(8).padStart(11, '0')}\x0000000000000\x00        ${type}`, 124)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\x00 `, 148)
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1_024)])
}

export async function unpacked(path: string): Promise<PackedEntry[]> {
  const archive = await readFile(path)
  const entries: PackedEntry[] = []
  for (let at = 0; archive[at] !== 0; ) {
    const text = (offset: number, length: number) =>
      archive.toString('latin1', at + offset, at + offset + length).replace(/\0.*$/s, '')
    const size = Number.parseInt(text(124, 12), 8)
    entries.push({ name: text(0, 100), bytes: archive.subarray(at + 512, at + 512 + size) })
    at += 512 * (1 + Math.ceil(size / 512))
  }
  return entries
}

export const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`

export const linesOfEntry = ({ bytes }: PackedEntry): any[] =>
  bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** A manifest that fits the entries, but for the members of its first line that are given. */
export function manifestFor(entries: readonly PackedEntry[], head: object): PackedEntry {
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes.length, 0)
  const listed = entries.map((entry) => ({
    name: entry.name,
    size: entry.bytes.length,
    sha256: hash('sha256', entry.bytes),
  }))
  const first = { entries: entries.length, bytes, ...head }
  return { name: 'manifest.ndjson', bytes: Buffer.from([first, ...listed].map(lineOf).join('')) }
}

/** The archive with other entries, and a manifest that fits them. */
export async function repacked(
  path: string,
  to: string,
  change: (entries: PackedEntry[]) => PackedEntry[],
  head: object = {},
): Promise<void> {
  const all = await unpacked(path)
  const [{ entries: _, bytes: __, ...before }] = linesOfEntry(all.at(-1) as PackedEntry)
  const entries = change(all.slice(0, -1))
  await writeFile(to, packed([...entries, manifestFor(entries, { ...before, ...head })]))
}

/** The rows of one table, changed. */
export const withRows =
  (table: string, change: (rows: any[]) => unknown[]) =>
  (entries: PackedEntry[]): PackedEntry[] =>
    entries.map((entry) =>
      entry.name === `tables/${table}.ndjson`
        ? { ...entry, bytes: Buffer.from(change(linesOfEntry(entry)).map(lineOf).join('')) }
        : entry,
    )

/** The archive with one other bit. */
export function flippedAt(archive: Buffer, at: number, bit = 0): Buffer {
  const changed = Buffer.from(archive)
  changed[at] = (changed[at] ?? 0) ^ (1 << bit)
  return changed
}

/** Where each entry of an archive has its header, its body and the bytes behind it. */
export async function regionsOf(path: string) {
  const archive = await readFile(path)
  let at = 0
  return (await unpacked(path)).map(({ name, bytes }) => {
    const start = archive.indexOf(name, at, 'latin1')
    const body = start + 512
    const end = body + bytes.length
    at = end
    return { name, header: start, body, end, next: body + 512 * Math.ceil(bytes.length / 512) }
  })
}
