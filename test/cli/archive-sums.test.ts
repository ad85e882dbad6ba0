import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { pathOnDisk } from '../support/delivered.ts'
import { assertHealthyAt } from '../support/doctor.ts'
import { onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { exportTo, linesOfEntry, repacked, unpacked, withRows } from '../support/stores/archives.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { freshInstallation } from '../support/tool.ts'
import { picture, uploaded } from '../support/uploads.ts'

const weekSeconds = 7 * 24 * 60 * 60

/** What the rows of an archive know of the bytes of their files, and what these are. */
async function sumsOf(archive: string): Promise<{ recorded: unknown[]; taken: string[] }> {
  const entries = await unpacked(archive)
  const rows = entries
    .filter(({ name }) => /tables\/file(?:Revision)?\.ndjson/.test(name))
    .flatMap(linesOfEntry)
  const files = rows.map(({ fileId, id, extension, folder, keyRevision }) =>
    entries.find(
      ({ name }) =>
        name === `bytes/${folder}/${fileId ?? id}${keyRevision > 1 ? `.r${keyRevision}` : ''}.${extension}`,
    ),
  )
  return {
    recorded: rows.map(({ variants }) => JSON.parse(variants).sha256),
    taken: files.map((entry) => hash('sha256', entry?.bytes ?? '')),
  }
}

async function filledCats(app: TestApp) {
  const cats = await app.tenant('cats')
  const image = await uploaded(app, cats, { file: await picture({ seed: 1 }) })
  const other = await uploaded(app, cats, { file: await picture({ seed: 2 }) })
  return { cats, image, other }
}

onBothStores('the SHA-256 of a file', (store) => {
  test('is recorded by the scrub, and the bytes are compared with it from then on', async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp({ store })
    const { cats, image } = await filledCats(app)
    const archive = join(folder.path, 'cats.tar')
    await exportTo(app, archive)
    assert.deepEqual((await sumsOf(archive)).recorded, [undefined, undefined])

    app.wait(weekSeconds + 1)
    assert.equal((await doDueJobs(app)).at(0)?.done['scrub-files'], 2)
    const scrubbed = join(folder.path, 'scrubbed.tar')
    await exportTo(app, scrubbed)
    const { recorded, taken } = await sumsOf(scrubbed)
    assert.deepEqual(recorded, taken)
    await using installation = await freshInstallation(store)
    await installation.json('tenants', 'import', scrubbed, '--verify', '--id', 'cats')
    await assertHealthyAt(installation.settings, { isDeep: true })

    const path = await pathOnDisk(app, cats, image.url)
    const bytes = await readFile(path)
    bytes[100] = (bytes[100] ?? 0) ^ 1
    await writeFile(path, bytes)
    await assert.rejects(exportTo(app, join(folder.path, 'damaged.tar')), /has other bytes than were stored/)
    app.wait(weekSeconds + 1)
    assert.match(JSON.stringify((await doDueJobs(app)).at(0)), /"scrub-files":2/)
  })

  test('is recorded by an import, which refuses a row with another one', async () => {
    await using folder = await backupFolder()
    const [archive, changed] = [join(folder.path, 'cats.tar'), join(folder.path, 'changed.tar')]
    {
      await using app = await startTestApp({ store })
      await filledCats(app)
      await exportTo(app, archive)
    }
    await using installation = await freshInstallation(store)
    await installation.json('tenants', 'import', archive, '--verify', '--id', 'cats')
    const again = join(folder.path, 'again.tar')
    await installation.json('tenants', 'export', '--id', 'cats', '--to', again)
    const { recorded, taken } = await sumsOf(again)
    assert.deepEqual(recorded, taken)

    const withSum = (sha256: unknown) =>
      withRows('file', ([row, ...rows]) => [
        { ...row, variants: JSON.stringify({ ...JSON.parse(row.variants), sha256 }) },
        ...rows,
      ])
    const refused = async (sha256: unknown, says: RegExp) => {
      await repacked(again, changed, withSum(sha256))
      const { code, err } = await installation.run('tenants', 'import', changed, '--verify')
      assert.equal(code, 1)
      assert.match(err, says)
    }
    await refused('a'.repeat(64), /bytes\/images\S+: these are not the bytes that its row names/)
    await refused('a', /"variants" has no SHA-256/)
    await refused(5, /"variants" has no SHA-256/)
  })
})
