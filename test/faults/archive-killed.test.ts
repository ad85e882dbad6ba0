import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { dropAbandonedImports } from '../../src/tenants/index.ts'
import { assertHealthyAt } from '../support/doctor.ts'
import { onBothStores, startTestApp } from '../support/harness.ts'
import { exportTo } from '../support/stores/archives.ts'
import { assertServed, backupFolder, type Kept, keptOf, serveAt } from '../support/stores/backups.ts'
import { freshInstallation, type Installation, ranOf, startTool } from '../support/tool.ts'
import { picture, uploaded } from '../support/uploads.ts'

const files = 40

const countIn = (folder: string) => {
  try {
    return readdirSync(folder, { recursive: true }).length
  } catch {
    return 0
  }
}

/** Kills the process as soon as something can be seen; true if it was still at work. */
async function killedWhen(child: ReturnType<typeof startTool>, isSeen: () => boolean): Promise<boolean> {
  const ended = ranOf(child)
  while (child.exitCode === null && !isSeen()) await sleep(1)
  child.kill('SIGKILL')
  return (await ended).code === null
}

onBothStores('killed', (store) => {
  test('an export leaves no archive, and an import no tenant; repeated, both are whole', {
    timeout: 300_000,
  }, async () => {
    await using folder = await backupFolder()
    const archive = join(folder.path, 'cats.tar')
    const kept: Kept[] = []
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    for (let seed = 0; seed < files; seed += 1)
      kept.push(await keptOf(app, await uploaded(app, cats, { file: await picture({ seed, width: 600 }) })))
    const exporting = () => startTool(['tenants', 'export', '--id', 'cats', '--to', archive], app.environment)
    for (const isSeen of [
      () => countIn(join(app.dataDir, 'archives')) > 5,
      () => existsSync(`${archive}.partial`),
    ]) {
      await killedWhen(exporting(), isSeen)
      if (existsSync(archive)) break
    }
    if (!existsSync(archive)) await exportTo(app, archive)
    assert.deepEqual(await readdir(folder.path), ['cats.tar'])

    await using installation = await freshInstallation(store)
    await installation.json('tenants', 'list')
    const { dataDir } = installation
    const sites = () => countIn(join(dataDir, 'sites'))
    let kills = 0
    for (const isSeen of [
      () => countIn(join(dataDir, 'archives')) > 0,
      () => countIn(join(dataDir, 'drafts')) > 0,
      () => sites() > 0,
      () => sites() > files,
      () => sites() > 2 * files,
    ]) {
      const isKilled = await killedWhen(installation.start(['tenants', 'import', archive]), isSeen)
      kills += isKilled ? 1 : 0
      if (!isKilled) break
      assert.deepEqual(await installation.json('tenants', 'list'), [])
    }
    assert.ok(kills > 0, 'no import was killed at its work')
    await importedOnce(installation, archive)
    assert.equal((await installation.json('tenants', 'list')).length, 1)
    await assertHealthyAt(installation.settings, { isDeep: true })
    // What the killed imports had stored is gone: one site is left.
    assert.equal((await readdir(join(dataDir, 'sites'))).length, 1)
    await using restored = await serveAt(installation)
    await assertServed(restored, kept)
  })

  test('an import that is never repeated is removed after seven days', { timeout: 120_000 }, async () => {
    await using folder = await backupFolder()
    const archive = join(folder.path, 'cats.tar')
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    for (let seed = 0; seed < files; seed += 1) await uploaded(app, cats, { file: await picture({ seed }) })
    await exportTo(app, archive)
    const before = countIn(join(app.dataDir, 'sites'))
    const child = startTool(
      ['tenants', 'import', archive, '--id', 'dogs', '--hostname', 'd.test'],
      app.environment,
    )
    const isKilled = await killedWhen(child, () => countIn(join(app.dataDir, 'sites')) > before + 4)
    assert.ok(isKilled)
    app.wait(6 * 86_400)
    await dropAbandonedImports(app.app.control)
    assert.ok(countIn(join(app.dataDir, 'sites')) > before)
    app.wait(2 * 86_400)
    await dropAbandonedImports(app.app.control)
    assert.equal(countIn(join(app.dataDir, 'sites')), before)
  })
})

/** The last import of the loop may have ended before it was killed. */
async function importedOnce(installation: Installation, archive: string): Promise<void> {
  const { code, err } = await installation.run('tenants', 'import', archive)
  if (code !== 0) assert.match(err, /There is already a tenant "cats"/)
}

test('of two imports of one id at the same time one wins, and the other leaves nothing', {
  timeout: 120_000,
}, async () => {
  await using folder = await backupFolder()
  const archive = join(folder.path, 'cats.tar')
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  for (let seed = 0; seed < files; seed += 1) await uploaded(app, cats, { file: await picture({ seed }) })
  await exportTo(app, archive)
  await using installation = await freshInstallation()
  await installation.json('tenants', 'list')
  const both = await Promise.all([0, 1].map(() => installation.bin('tenants', 'import', archive)))
  assert.deepEqual(both.map(({ code }) => code).sort(), [0, 1])
  assert.match(
    both.map(({ err }) => err).join(),
    /Another import of "cats" has begun|already a tenant "cats"/,
  )
  assert.equal((await readdir(join(installation.dataDir, 'sites'))).length, 1)
  await assertHealthyAt(installation.settings, { isDeep: true })
})
