import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { onBothStores, startTestApp } from '../support/harness.ts'
import { exportTo, flippedAt, regionsOf } from '../support/stores/archives.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { freshInstallation } from '../support/tool.ts'
import { noise, picture, uploaded } from '../support/uploads.ts'

/** Of a header: the name, the length, the checksum and its end, the type, the magic, and what no field uses. */
const fields = [
  [0, 1],
  [130, 0],
  [150, 0],
  [154, 5],
  [155, 5],
  [156, 0],
  [258, 0],
  [511, 3],
] as const

onBothStores('a larger archive', (store) => {
  test('with one flipped bit is refused and leaves nothing, wherever the bit is', {
    timeout: 600_000,
  }, async () => {
    await using folder = await backupFolder()
    const whole = join(folder.path, 'cats.tar')
    {
      await using app = await startTestApp({ store })
      const cats = await app.tenant('cats')
      // One is held in memory, the other is read piece by piece.
      const files = [await picture({ width: 600 }), await noise(1_400, 1_300)]
      for (const file of files) await uploaded(app, cats, { file, fields: { title: 'a cat', tags: 'a,b' } })
      await exportTo(app, whole, { passphrase: 'a long passphrase' })
    }
    const bytes = await readFile(whole)
    const regions = await regionsOf(whole)
    await using installation = await freshInstallation(store)
    await installation.json('tenants', 'list')
    const archive = join(folder.path, 'changed.tar')
    const refused = async (at: number, bit: number, says: RegExp) => {
      await writeFile(archive, flippedAt(bytes, at, bit))
      const { code, out, err } = await installation.run('tenants', 'import', archive)
      assert.deepEqual([code, out], [1, ''], `${at} ${bit}: ${err}`)
      assert.match(err, says, `${at} ${bit}`)
    }
    const quoted = (name: string) => new RegExp(RegExp.escape(name))
    for (const [index, { name, header, body, end, next }] of regions.entries()) {
      const before = regions[index - 1]?.name ?? 'The first entry'
      const [field, bit] = fields[index % fields.length] ?? [0, 0]
      await refused(header + field, bit, quoted(before))
      const isManifest = name === 'manifest.ndjson'
      for (const at of end > body ? [body, Math.floor((body + end) / 2), end - 1] : [])
        await refused(at, 1, isManifest ? /Nothing was imported from the archive/ : quoted(name))
      for (const at of next > end ? [end, next - 1] : []) await refused(at, 4, quoted(name))
    }
    for (const at of [bytes.length - 1_024, bytes.length - 513, bytes.length - 1])
      await refused(at, 0, /manifest\.ndjson/)

    assert.deepEqual(await installation.json('tenants', 'list'), [])
    const { dataDir } = installation
    assert.ok(!existsSync(join(dataDir, 'archives')))
    assert.deepEqual(existsSync(join(dataDir, 'sites')) ? await readdir(join(dataDir, 'sites')) : [], [])
    await installation.json('tenants', 'import', whole, '--verify', '--id', 'cats')
  })
})
