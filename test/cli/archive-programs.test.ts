import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { exportTo, type PackedEntry, unpacked } from '../support/stores/archives.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { freshInstallation, runHere } from '../support/tool.ts'
import { picture, uploaded } from '../support/uploads.ts'

const programs = await needing('tar', 'bsdtar', 'python')

const python = (script: string, ...words: string[]) =>
  execFileSync('python3', ['-c', `import sys, tarfile\n${script}`, ...words], { encoding: 'utf8' })

interface Program {
  names(archive: string): string
  extract(archive: string, folder: string): void
  /** Writes the files of a folder, in this order. */
  write(archive: string, folder: string, names: readonly string[]): void
}

const program = (word: string, format: string): Program => ({
  names: (archive) => execFileSync(word, ['-tf', archive], { encoding: 'utf8' }),
  extract: (archive, folder) => void execFileSync(word, ['-xf', archive, '-C', folder]),
  write: (archive, folder, names) =>
    void execFileSync(word, [`--format=${format}`, '-cf', archive, '-C', folder, ...names]),
})

const pythonAs = (format: string): Program => ({
  names: (archive) => python('for each in tarfile.open(sys.argv[1]): print(each.name)', archive),
  extract: (archive, folder) =>
    void python('tarfile.open(sys.argv[1]).extractall(sys.argv[2])', archive, folder),
  write: (archive, folder, names) =>
    void python(
      `with tarfile.open(sys.argv[1], 'x', format=tarfile.${format}) as made:
  for name in sys.argv[3:]: made.add(sys.argv[2] + '/' + name, name)`,
      archive,
      folder,
      ...names,
    ),
})

const ways: Record<string, Program> = {
  'GNU tar as ustar': program('tar', 'ustar'),
  'GNU tar as pax': program('tar', 'posix'),
  'GNU tar as gnu': program('tar', 'gnu'),
  'bsdtar as ustar': program('bsdtar', 'ustar'),
  'bsdtar as pax': program('bsdtar', 'pax'),
  'bsdtar as gnu': program('bsdtar', 'gnutar'),
  'Python as ustar': pythonAs('USTAR_FORMAT'),
  'Python as pax': pythonAs('PAX_FORMAT'),
  'Python as gnu': pythonAs('GNU_FORMAT'),
}

programs.describe('an archive and other programs:', () => {
  let folder: Awaited<ReturnType<typeof backupFolder>>
  let archive = ''
  let entries: PackedEntry[] = []

  beforeAll(async () => {
    folder = await backupFolder()
    archive = join(folder.path, 'cats.tar')
    await using app = await startTestApp()
    const cats = await app.tenant('cats')
    for (const seed of [1, 2]) await uploaded(app, cats, { file: await picture({ seed, width: 900 }) })
    await exportTo(app, archive)
    entries = await unpacked(archive)
  })
  afterAll(() => folder[Symbol.asyncDispose]())

  for (const [name, { names, extract, write }] of Object.entries(ways)) {
    programs.test(`${name} lists and extracts it, and what it writes of the files is imported`, async () => {
      const place = join(folder.path, name.replaceAll(' ', '-'))
      await mkdir(place)
      assert.deepEqual(
        names(archive).trim().split('\n'),
        entries.map((entry) => entry.name),
      )
      extract(archive, place)
      for (const entry of entries)
        assert.ok((await readFile(join(place, entry.name))).equals(entry.bytes), entry.name)
      assert.equal((await filesIn(place)).length, entries.length)

      const written = `${place}.tar`
      write(
        written,
        place,
        entries.map((entry) => entry.name),
      )
      await using installation = await freshInstallation()
      const imported = await installation.json('tenants', 'import', written, '--verify', '--id', 'cats')
      assert.equal(imported.stats.files, 2)
    })
  }

  programs.test('a folder that a program writes beside the files is refused by its name', async () => {
    const place = join(folder.path, 'whole')
    await mkdir(join(place, 'tables'), { recursive: true })
    await writeFile(join(place, 'tables/user.ndjson'), '')
    for (const [name, { write }] of Object.entries(ways)) {
      const written = join(folder.path, `${name} of a folder.tar`)
      write(written, place, ['tables'])
      const { code, err } = await runHere(['tenants', 'import', written, '--verify'], {})
      assert.equal(code, 1, name)
      assert.match(err, /The first entry: "tables\/?" is a folder/, name)
    }
  })
})

const filesIn = async (path: string) =>
  (await readdir(path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
