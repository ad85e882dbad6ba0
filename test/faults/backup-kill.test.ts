import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { backUp } from '../../src/maintenance/index.ts'
import { assertHealthy } from '../support/doctor.ts'
import { onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { assertServed, backupFolder, type Kept, keptOf, serveAt } from '../support/stores/backups.ts'
import { freshInstallation, type Installation, ranOf } from '../support/tool.ts'
import { uploaded } from '../support/uploads.ts'

const files = 12

async function fillTwo(app: TestApp): Promise<Map<string, Kept[]>> {
  const kept = new Map<string, Kept[]>()
  for (const id of ['cats', 'dogs']) {
    const tenant = await app.tenant(id)
    const all: Kept[] = []
    for (let each = 0; each < files; each += 1) all.push(await keptOf(app, await uploaded(app, tenant)))
    kept.set(id, all)
  }
  return kept
}

/** Kills the tool as soon as something can be seen; true when it was still at work. */
async function killedWhen(
  installation: Installation,
  words: readonly string[],
  isSeen: () => boolean,
): Promise<boolean> {
  const child = installation.start(words)
  const ended = ranOf(child)
  while (child.exitCode === null && !isSeen()) await sleep(1)
  child.kill('SIGKILL')
  return (await ended).code === null
}

const countIn = (folder: string) => {
  try {
    return readdirSync(folder, { recursive: true }).length
  } catch {
    return 0
  }
}

test('a killed backup leaves nothing that looks like one, and the next is whole', {
  timeout: 300_000,
}, async () => {
  await using folder = await backupFolder()
  await using app = await startTestApp()
  const kept = await fillTwo(app)
  await using source = await freshInstallation('sqlite', { SERVICE_DATA_DIR: app.dataDir })
  const to = join(folder.path, 'one')
  let killed = 0
  for (const entries of [1, 3, 8, 20, 40, 60]) {
    if (await killedWhen(source, ['backup', '--to', to], () => countIn(folder.path) >= entries)) killed += 1
    if (existsSync(to)) break
    for (const name of await readdir(folder.path)) {
      assert.match(name, /^one\.unfinished-/)
      assert.equal(existsSync(join(folder.path, name, 'manifest.json')), false)
    }
  }
  assert.ok(killed >= 3, `${killed} were killed in time`)
  const whole = join(folder.path, 'two')
  await backUp(app.app, { to: whole, withKeys: true })
  await using installation = await freshInstallation()
  await installation.json('restore', '--from', whole)
  await using restored = await serveAt(installation)
  await assertServed(restored, [...kept.values()].flat())
  await assertHealthy(restored.app)
})

onBothStores('a killed restore', (store) => {
  test('leaves no half of a tenant, and goes on when it is repeated', { timeout: 240_000 }, async () => {
    await using folder = await backupFolder()
    await using app = await startTestApp()
    const kept = await fillTwo(app)
    const backup = join(folder.path, 'one')
    await backUp(app.app, { to: backup, withKeys: true })

    await using installation = await freshInstallation(store)
    const words = ['restore', '--from', backup]
    let killed = 0
    for (const stored of [0, 1, 5, 15, 30, 45]) {
      const isSeen = () =>
        existsSync(join(installation.dataDir, 'sites')) && countFiles(installation.dataDir) >= stored
      if (await killedWhen(installation, words, isSeen)) killed += 1
      const other = await installation.run('restore', '--from', backup, '--id', 'nobody')
      assert.equal(other.code, 1)
      // Whoever is served at all is served whole.
      await using server = await serveAt(installation)
      for (const [id, files] of kept) {
        const { status } = await server.call('GET', `tenants/${id}`)
        assert.ok(status === 200 || status === 404)
        if (status === 200) await assertServed(server, files)
      }
      // The server's own key is no part of the backup.
      await installation.json('tenants', 'api:key:delete', '--id', server.key.split('_')[1] ?? '')
    }
    assert.ok(killed >= 3, `${killed} were killed in time`)
    if ((await installation.json('tenants', 'list')).length < 2) {
      assert.match((await installation.run('doctor')).out, /A restore was interrupted/)
      await installation.json(...words)
    }
    await using restored = await serveAt(installation)
    await assertServed(restored, [...kept.values()].flat())
    await assertHealthy(restored.app, { isDeep: true })
    assert.equal(existsSync(join(installation.dataDir, 'restoring')), false)
  })
})

const countFiles = (dataDir: string) =>
  countIn(join(dataDir, 'sites')) + countIn(join(dataDir, 'bytes')) - countIn(join(dataDir, 'spool'))
