import assert from 'node:assert/strict'
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { onEachStore } from '../support/harness.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { freshInstallation, type Installation } from '../support/tool.ts'

const install = async (installation: Installation) => {
  await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test', '--is_enabled', '1')
  const account = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']
  await installation.json('tenants', 'install', '--id', 'cats', ...account)
}

const rename = (installation: Installation, name: string) =>
  installation.json('site', '--tenant', 'cats', 'setting:set', 'site_name', name)

const findings = async (installation: Installation) => {
  const { code, out } = await installation.run('doctor', '--json')
  const { checks } = JSON.parse(out)
  const found = checks.flatMap(({ check, findings }: any) =>
    findings.map(({ tenant, key, level }: any) => `${level} ${check} ${tenant} ${key}`),
  )
  return [code, found.filter((text: string) => text.startsWith('fault'))]
}

describe('a site.db that was put back to an earlier state', () => {
  test('is named by doctor and backup until the operator accepts it', async () => {
    await using installation = await freshInstallation()
    await using folder = await backupFolder()
    await install(installation)
    await rename(installation, 'Cats')
    const [number = ''] = await readdir(join(installation.dataDir, 'sites'))
    const file = join(installation.dataDir, 'sites', number, 'site.db')
    const copy = join(folder.path, 'site.db')
    await cp(file, copy)
    for (const name of ['Dogs', 'Birds']) await rename(installation, name)
    assert.deepEqual(await findings(installation), [0, []])
    await cp(copy, file)

    const { code, out } = await installation.run('doctor')
    assert.equal(code, 1)
    assert.match(
      out,
      /✘\taudit\tcats\taudit (\d+)\tThe audit log was changed outside of Terrace: the rows \1 to \d+ are missing/,
    )
    const [, [fault]] = await findings(installation)
    assert.match(fault, /^fault audit cats audit \d+$/)
    const to = join(folder.path, 'backup')
    const backup = await installation.run('backup', '--to', to)
    assert.equal(backup.code, 1)
    assert.match(backup.err, /audit logs were changed outside of Terrace.*cats: audit \d+: the rows/s)
    await rename(installation, 'Fish')
    assert.equal((await installation.run('doctor')).code, 1, 'a later change does not cover it up')

    assert.equal((await installation.run('site', '--tenant', 'cats', 'audit:sign')).code, 0)
    assert.deepEqual(await findings(installation), [0, []])
    await installation.json('backup', '--to', join(folder.path, 'again'))

    await using other = await freshInstallation()
    await other.json('restore', '--from', to)
    assert.deepEqual(await findings(other), [0, []], 'the restored log is signed anew')
    await rename(other, 'Cows')
    assert.deepEqual(await findings(other), [0, []])
  })
})

onEachStore('the signature of audit logs', (store) => {
  test('outlives a rotation of the keys and another signing secret', async () => {
    await using installation = await freshInstallation(store)
    await install(installation)
    await installation.json('tenants', 'env:rotate')
    await rename(installation, 'Cats')
    installation.settings.SERVICE_TENANTS_API_REQUEST_SECRET = 'another secret of 32 characters!'
    await rename(installation, 'Dogs')
    assert.deepEqual(await findings(installation), [0, []])
  })

  test('is made anew by a restore over the heads of an earlier database', async () => {
    await using folder = await backupFolder()
    await using installation = await freshInstallation(store)
    await install(installation)
    await installation.json('backup', '--to', join(folder.path, 'backup'))
    for (const name of ['Cats', 'Dogs', 'Birds']) await rename(installation, name)
    await using other = await freshInstallation(store)
    await cp(join(installation.dataDir, 'audit-heads'), join(other.dataDir, 'audit-heads'), {
      recursive: true,
    })
    await other.json('restore', '--from', join(folder.path, 'backup'))
    assert.deepEqual(await findings(other), [0, []])
    assert.equal((await readdir(join(other.dataDir, 'audit-heads'))).length, 2)
    await rm(join(other.dataDir, 'audit-heads'), { recursive: true })
    assert.deepEqual(await findings(other), [0, []], 'a server without heads finds nothing missing')
  })
})
