import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { backUp } from '../../src/maintenance/index.ts'
import { assertHealthy } from '../support/doctor.ts'
import { startTestApp } from '../support/harness.ts'
import { assertServed, backupFolder, type Kept, keptOf, serveAt } from '../support/stores/backups.ts'
import { freshInstallation } from '../support/tool.ts'
import { picture, uploaded } from '../support/uploads.ts'

const daySeconds = 86_400

async function openBackups() {
  const folder = await backupFolder()
  const app = await startTestApp()
  const cats = await app.tenant('cats')
  const images = [
    await uploaded(app, cats, { file: await picture({ seed: 1 }) }),
    await uploaded(app, cats, { file: await picture({ seed: 2 }) }),
  ]
  const kept = await Promise.all(images.map((image) => keptOf(app, image)))
  return {
    app,
    kept,
    make: (name: string, since?: string) =>
      backUp(app.app, {
        to: join(folder.path, name),
        since: since && join(folder.path, since),
        withKeys: true,
      }),
    path: (name: string, inside = '') => join(folder.path, name, inside),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Where the stored bytes of the one site are, in order. */
async function filesIn(backup: string): Promise<string[]> {
  const entries = await readdir(join(backup, 'sites/1/files'), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** As a disk does it: the file is the same, its size and its time too, all links show it. */
async function rot(path: string): Promise<void> {
  const bytes = await readFile(path)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(path, bytes)
}

async function assertRestores(backup: string, kept: readonly Kept[]): Promise<void> {
  await using installation = await freshInstallation()
  await installation.json('restore', '--from', backup)
  await using restored = await serveAt(installation)
  await assertServed(restored, kept)
  await assertHealthy(restored.app, { isDeep: true })
}

test('bit rot in an earlier backup is named within SERVICE_SCRUB_DAYS, and not inherited', async () => {
  await using backups = await openBackups()
  const { app, kept } = backups
  await backups.make('day-0')
  const [first = ''] = await filesIn(backups.path('day-0'))
  await rot(first)
  app.wait(daySeconds)
  await backups.make('day-1', 'day-0')
  for (const day of [2, 3, 4, 5, 6]) {
    app.wait(daySeconds)
    await backups.make(`day-${day}`, `day-${day - 1}`)
  }
  app.wait(daySeconds)
  const key = first.slice(backups.path('day-0', 'sites/1/files/').length)
  await assert.rejects(backups.make('day-7', 'day-6'), (error: any) => {
    assert.match(error.message, /day-7 is complete\. These files of the earlier backup .*day-6 have changed/)
    assert.deepEqual(error.list, [`cats: ${key}`])
    return true
  })
  await assertRestores(backups.path('day-7'), kept)
  app.wait(7 * daySeconds)
  await backups.make('day-14', 'day-7')
})

test('intact files are linked, and inherit the time of their last verification', async () => {
  await using backups = await openBackups()
  const { app } = backups
  await backups.make('one')
  const checked = async (name: string) => {
    const lines = (await readFile(backups.path(name, 'sites/1/files.jsonl'), 'utf8')).trim().split('\n')
    return new Set(lines.map((line) => JSON.parse(line).checkedAt))
  }
  const atFirst = await checked('one')
  app.wait(3 * daySeconds)
  await backups.make('two', 'one')
  assert.deepEqual(await checked('two'), atFirst)
  app.wait(4 * daySeconds)
  await backups.make('three', 'two')
  const [later = '', ...others] = await checked('three')
  assert.match(later, /^\d{4}-\d\d-\d\dT/)
  assert.ok(!atFirst.has(later) && others.length === 0, later)
  const links = await Promise.all((await filesIn(backups.path('three'))).map(async (path) => stat(path)))
  assert.deepEqual(new Set(links.map(({ nlink }) => nlink)), new Set([3]))
})

test('files of a backup without verification times are read before they are linked', async () => {
  await using backups = await openBackups()
  await backups.make('one')
  await forgetChecks(backups.path('one'))
  const [first = ''] = await filesIn(backups.path('one'))
  await rot(first)
  await assert.rejects(backups.make('two', 'one'), /two is complete/)
  await assertRestores(backups.path('two'), backups.kept)
})

test('a changed list in the earlier backup is named, and none of its hashes is used', async () => {
  await using backups = await openBackups()
  await backups.make('one')
  const list = backups.path('one', 'sites/1/files.jsonl')
  const text = await readFile(list, 'utf8')
  await writeFile(
    list,
    text.replace(/"sha256":"(.)/, (_, digit) => `"sha256":"${digit === '0' ? '1' : '0'}`),
  )
  await assert.rejects(backups.make('two', 'one'), (error: any) => {
    assert.deepEqual(error.list, ['sites/1/files.jsonl'])
    return true
  })
  await assertRestores(backups.path('two'), backups.kept)
})

/** As earlier versions wrote it. */
async function forgetChecks(backup: string): Promise<void> {
  const { manifest } = JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8'))
  const path = 'sites/1/files.jsonl'
  const text = (await readFile(join(backup, path), 'utf8')).replaceAll(/,"checkedAt":"[^"]*"/g, '')
  await writeFile(join(backup, path), text)
  const part = manifest.parts.find((each: any) => each.path === path)
  Object.assign(part, { sizeBytes: Buffer.byteLength(text), sha256: hash('sha256', text) })
  const sha256 = hash('sha256', JSON.stringify(manifest))
  await writeFile(join(backup, 'manifest.json'), JSON.stringify({ sha256, manifest }))
}
