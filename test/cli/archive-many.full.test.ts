import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { endOfArchive, paddingOf, tarHeader } from '../../src/lib/files/tar.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { exportTo, lineOf, linesOfEntry, unpacked } from '../support/stores/archives.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { ranOf, startTool } from '../support/tool.ts'

const onLinux = await needing('linux')
const entries = 1_000_000
const at = new Date('2026-11-19T00:00:00Z')
const nameOf = (number: number) => `bytes/${String(number).padStart(10, '0')}`
const emptySum = hash('sha256', '')

/** Headers that differ in ten digits of the name, and so in their checksum. */
function emptyEntries(from: number, count: number): Buffer {
  const first = tarHeader({ name: nameOf(0), sizeBytes: 0 }, at)
  const zero = Number.parseInt(first.toString('latin1', 148, 154), 8)
  const blocks = Buffer.alloc(count * first.length)
  for (let index = 0; index < count; index += 1) {
    const start = index * first.length
    const digits = nameOf(from + index).slice('bytes/'.length)
    const sum = [...digits].reduce((total, digit) => total + Number(digit), zero)
    first.copy(blocks, start)
    blocks.write(digits, start + 'bytes/'.length, 'latin1')
    blocks.write(sum.toString(8).padStart(6, '0'), start + 148, 'latin1')
  }
  return blocks
}

async function writeInBatches(
  file: FileHandle,
  piece: (from: number, count: number) => Buffer,
): Promise<void> {
  const batch = 20_000
  for (let from = 0; from < entries; from += batch) await file.appendFile(piece(from, batch))
}

/** The most memory that the process has had, looked at while it runs. */
async function peakOf(child: ChildProcess) {
  let peakBytes = 0
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'latin1')
      const peak = /VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0
      peakBytes = Math.max(peakBytes, Number(peak) * 1_024)
    } catch {
      // It has ended.
    }
  }, 20)
  const ran = await ranOf(child)
  clearInterval(timer)
  return { ...ran, peakBytes }
}

onLinux.test(
  'an archive with a million entries that no row names is refused, in bounded memory',
  { timeout: 600_000 },
  async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp()
    await app.tenant('cats')
    const whole = join(folder.path, 'cats.tar')
    await exportTo(app, whole)
    const few = await peakOf(startTool(['tenants', 'import', whole, '--verify']))
    assert.equal(few.code, 0, few.err)

    const all = await unpacked(whole)
    const [head, ...listed] = linesOfEntry(all.at(-1) as any)
    const many = join(folder.path, 'many.tar')
    {
      await using file = await open(many, 'wx')
      for (const { name, bytes } of all.slice(0, -1))
        for (const piece of [
          tarHeader({ name, sizeBytes: bytes.length }, at),
          bytes,
          Buffer.alloc(paddingOf(bytes.length)),
        ])
          await file.appendFile(piece)
      await writeInBatches(file, emptyEntries)
      const first = Buffer.from(
        [{ ...head, entries: head.entries + entries }, ...listed].map(lineOf).join(''),
      )
      const line = (number: number) => lineOf({ name: nameOf(number), size: 0, sha256: emptySum })
      const sizeBytes = first.length + entries * line(0).length
      await file.appendFile(tarHeader({ name: 'manifest.ndjson', sizeBytes }, at))
      await file.appendFile(first)
      await writeInBatches(file, (from, count) =>
        Buffer.from(Array.from({ length: count }, (_, index) => line(from + index)).join('')),
      )
      await file.appendFile(Buffer.alloc(paddingOf(sizeBytes)))
      await file.appendFile(endOfArchive)
    }
    const refused = await peakOf(startTool(['tenants', 'import', many, '--verify']))
    assert.equal(refused.code, 1)
    assert.match(refused.err, new RegExp(`${nameOf(0)}: no row names it`))
    // About a hundred bytes are kept of each entry: its sums, and what its name hashes to.
    const grown = refused.peakBytes - few.peakBytes
    console.log(
      `a million entries: ${(grown / 1e6).toFixed(0)} MB more than ${(few.peakBytes / 1e6).toFixed(0)} MB`,
    )
    assert.ok(grown < 400e6, `${grown}`)
  },
)
