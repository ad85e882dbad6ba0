import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { onEachStore } from '../support/harness.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { freshInstallation, type Installation } from '../support/tool.ts'

const addPlan = (installation: Installation, id: string) =>
  installation.json('tenants', 'plan:create', '--id', id)

const findings = async (installation: Installation) => {
  const { code, out } = await installation.run('doctor', '--json')
  const { checks } = JSON.parse(out)
  const found = checks.flatMap(({ check, findings }: any) =>
    findings.filter(({ level }: any) => level === 'fault').map(({ key }: any) => `${check} ${key}`),
  )
  return [code, found]
}

onEachStore('terrace audit', (store) => {
  test('shows what the tool has changed, filtered, as a table, JSON, NDJSON and CSV', async () => {
    await using installation = await freshInstallation(store)
    for (const id of ['small', 'large']) await addPlan(installation, id)
    await installation.json('tenants', 'plan:delete', '--id', 'small')
    const table = await installation.run('audit')
    assert.deepEqual(
      table.out
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t').slice(1, 4).join(' ')),
      ['VERB TARGET WHO', 'plan.deleted small tool', 'plan.created large tool', 'plan.created small tool'],
    )
    const rows = await installation.json('audit', '--target', 'small', '--actor', 'tool')
    assert.deepEqual(
      rows.map(({ verb }: any) => verb),
      ['plan.deleted', 'plan.created'],
    )
    const { out } = await installation.run('audit', '--export', 'ndjson', '--verb', 'plan.created')
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).target),
      ['large', 'small'],
    )
    const csv = await installation.run('audit', '--export', 'csv')
    assert.equal(csv.out.trimEnd().split('\r\n').length, 4)
    const limited = await installation.run('audit', '--limit', '1')
    assert.match(limited.err, /newest 1/)
    const wrong = await installation.run('audit', '--verb', 'plan.create')
    assert.equal(wrong.code, 2)
    assert.match(wrong.err, /not "plan\.create".*plan\.created/s)
  })

  test('has one row of a rotation of the encryption key, and none of a repetition with nothing to do', async () => {
    await using installation = await freshInstallation(store)
    await installation.json('tenants', 'plan:create', '--id', 'small', '--env', '{"A":"canary"}')
    await installation.json('tenants', 'env:rotate')
    const [row, ...others] = await installation.json('audit', '--verb', 'env.rotated')
    assert.equal(others.length, 0)
    assert.match(row.after.key, /^\w+$/)
    assert.deepEqual(await findings(installation), [0, []])
  })
})

describe('a control.db that was put back to an earlier state', () => {
  test('is named by the doctor until the operator accepts its audit log', async () => {
    await using installation = await freshInstallation()
    await using folder = await backupFolder()
    await addPlan(installation, 'a')
    const [file, copy] = [join(installation.dataDir, 'control.db'), join(folder.path, 'control.db')]
    await cp(file, copy)
    for (const id of ['b', 'c']) await addPlan(installation, id)
    assert.deepEqual(await findings(installation), [0, []])
    await cp(copy, file)
    assert.deepEqual(await findings(installation), [1, ['control-audit audit 2']])
    const { out } = await installation.run('doctor')
    assert.match(
      out,
      /control-audit\t\taudit \d\tThe audit log of the installation was changed .* missing, the database was put back/,
    )
    await addPlan(installation, 'd')
    assert.equal((await installation.run('doctor')).code, 1, 'a later change does not cover it up')

    assert.deepEqual(await installation.json('audit:sign'), { signed: true })
    assert.deepEqual(await findings(installation), [0, []])
    const [last] = await installation.json('audit', '--verb', 'audit.signed')
    assert.deepEqual([last.verb, last.actor.kind], ['audit.signed', 'tool'])
  })
})

describe('a backup of an earlier version, without operators and audit log', () => {
  test('is restored, and the log begins with what follows', async () => {
    await using installation = await freshInstallation()
    await using folder = await backupFolder()
    await addPlan(installation, 'small')
    const to = join(folder.path, 'backup')
    await installation.json('backup', '--to', to)
    const path = join(to, 'manifest.json')
    const { manifest } = JSON.parse(await readFile(path, 'utf8'))
    const later = ['control/operators.jsonl', 'control/audit.jsonl']
    for (const each of later) await rm(join(to, each))
    manifest.parts = manifest.parts.filter((part: any) => !later.includes(part.path))
    await writeFile(path, JSON.stringify({ sha256: hash('sha256', JSON.stringify(manifest)), manifest }))

    await using other = await freshInstallation()
    await other.json('restore', '--from', to)
    assert.equal((await other.json('tenants', 'plan:list')).length, 1)
    await addPlan(other, 'large')
    const rows = await other.json('audit')
    assert.deepEqual(
      rows.map(({ verb, target }: any) => `${verb} ${target}`),
      ['plan.created large'],
    )
    assert.deepEqual(await findings(other), [0, []])
  })
})
