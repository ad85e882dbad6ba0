import assert from 'node:assert/strict'
import { chmod, mkdtempDisposable, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { startTestApp } from '../support/harness.ts'
import { runHere } from '../support/tool.ts'
import { uploaded } from '../support/uploads.ts'

/** The modes of all files below a folder whose path fits, each once. */
async function modesIn(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const found = paths.filter((path) => pattern.test(path))
  assert.ok(found.length > 0, `${folder} has no ${pattern}`)
  return [...new Set(await Promise.all(found.map(modeOf)))]
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

const databases = /\.db(-wal|-shm)?$/
const storedBytes = /\/files\/images\//

test('databases, stored files and backups are readable by the account of the server only', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  await uploaded(app, cats)
  assert.deepEqual(await modesIn(app.dataDir, databases), ['600'])
  assert.deepEqual(await modesIn(app.dataDir, storedBytes), ['600'])
  assert.equal(await modeOf(join(app.dataDir, 'sites/1/files')), '700')

  await using folder = await mkdtempDisposable(join(tmpdir(), 'terrace-backup-'))
  const backup = join(folder.path, 'today')
  const { code, err } = await runHere(['backup', '--to', backup], app.environment)
  assert.equal(code, 0, err)
  assert.deepEqual(await modesIn(backup, /./), ['600'])
})

test('databases that an earlier version left open to the group are closed when they are opened', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  const paths = ['control.db', 'control.db-wal', 'sites/1/site.db'].map((path) => join(app.dataDir, path))
  for (const path of paths) await chmod(path, 0o644)
  await using again = await startTestApp({ beside: app })
  await uploaded(again, cats)
  for (const path of paths) assert.equal(await modeOf(path), '600', path)
})

test('SERVICE_SHARED_FILES opens stored files to the group, also those from before, and closes them again', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  await uploaded(app, cats)
  for (const [setting, file, folder] of [
    ['1', '640', '750'],
    ['0', '600', '700'],
  ] as const) {
    const environment = { SERVICE_SHARED_FILES: setting }
    await using changed = await startTestApp({ environment, beside: app })
    assert.deepEqual(await modesIn(app.dataDir, storedBytes), [file])
    assert.equal(await modeOf(join(app.dataDir, 'sites/1/files/images')), folder)
    await uploaded(changed, cats, { query: { title: 'another' } })
    assert.deepEqual(await modesIn(app.dataDir, storedBytes), [file])
    assert.deepEqual(await modesIn(app.dataDir, databases), ['600'])
  }
})
