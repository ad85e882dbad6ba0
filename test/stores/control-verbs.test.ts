import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { hashOfControlRow } from '../../src/control/audit/control-audit-table.ts'
import { controlVerbs, findControlAuditFault } from '../../src/control/index.ts'
import { examineApp } from '../../src/maintenance/index.ts'
import { operatorPassword, setUpOperator, startConsole, type TestConsole } from '../support/console.ts'
import { assertHealthy, faultsOf } from '../support/doctor.ts'
import { onEachStore } from '../support/harness.ts'
import { startServers, times } from '../support/servers/several-servers.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { freshInstallation, runHere } from '../support/tool.ts'
import { workEnded } from '../support/work.ts'

const canary = 'canary-3f9c2b'
const password = `${canary} password`

/** Verbs that need another storage or database: these tests find their rows. */
const heldElsewhere: Readonly<Record<string, string>> = {
  'move.started': 'test/stores/work.test.ts',
  'move.finished': 'test/stores/work.test.ts',
  'move.failed': 'test/stores/work.test.ts',
  'move.cancelled': 'test/stores/work.test.ts',
}

const rowsOf = ({ app }: Pick<TestConsole, 'app'>) =>
  app.control.store.control.selectFrom('controlAudit').selectAll().orderBy('sequence').execute()

async function callApi({ call }: TestConsole): Promise<void> {
  const env = { FTP_PASSWORD: canary, SERVICE_STORAGE_URL: '' }
  const limits = { SERVICE_MAX_FILES: '10', MY_URL: `https://ada:${canary}@example.com` }
  const account = { username: 'ada', email: 'ada@example.com', password }
  const steps = [
    ['POST', 'tenants-plans', { id: 'small', limits, env: { SMTP: canary } }],
    ['POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true, plan_id: 'small' }],
    ['POST', 'tenants/cats/install', account],
    ['PATCH', 'tenants/cats', { limits, env: { FTP_PASSWORD: canary } }],
    ['PATCH', 'tenants/cats', { limits: {}, env: { FTP_PASSWORD: `${canary} 2` } }],
    ['PATCH', 'tenants/cats/user-password-reset', { username: 'ada', password }],
    ['PATCH', 'tenants-plans/small', { limits: {}, env: { ...env, SERVICE_STORAGE_URL: undefined } }],
    ['POST', 'tenants', { id: 'dogs', hostname: 'dogs.test', is_enabled: false }],
    ['DELETE', 'tenants/dogs', { drop_tables: true }],
    ['DELETE', 'tenants-plans/small', undefined],
  ] as const
  for (const [method, path, body] of steps) {
    const { status, text } = await call(method, path, body)
    assert.ok(status < 300, `${method} ${path}: ${text}`)
  }
}

async function useConsole(app: TestConsole): Promise<void> {
  const { console } = app
  const ended = await app.operator('viewer')
  const eve = await setUpOperator(app, { role: 'viewer', username: 'eve' })
  const [{ id }] = (await rowsOf(app)).flatMap(({ verb, target, after }) =>
    verb === 'operator.created' && JSON.parse(after).username === eve.username ? [{ id: target }] : [],
  ) as [{ id: string }]
  const steps = [
    ['tenants/cats/values/reveal', {}],
    ['keys', { name: 'billing' }],
    ['jobs/run', { tenant_id: 'cats' }],
    ['health/run', {}],
    ['backups', {}],
    [`operators/${id}/role`, { role: 'operator' }],
    [`operators/${id}/reset`, {}],
    [`operators/${id}/delete`, {}],
  ] as const
  for (const [path, fields] of steps) {
    const { status, text } = await console.post(path, fields)
    assert.ok(status < 400, `${path}: ${status} ${text}`)
  }
  const taken = (await workEnded(app)).find(({ kind }) => kind === 'backup')
  assert.equal((await console.post(`backups/${taken?.target}/verify`)).status, 303)
  await workEnded(app)
  assert.equal((await ended.post('logout')).status, 303)
  await ended.post('login', { login: 'grace', password: canary })
  const key = (await rowsOf(app)).findLast(({ verb }) => verb === 'key.created')
  assert.ok((await console.post(`keys/${key?.target}/delete`)).status < 400)
}

onEachStore('the audit log of the installation', (store) => {
  test('has a row of every verb, from API, console and tool, and no secret', {
    timeout: 240_000,
  }, async () => {
    await using app = await startConsole({ store })
    await callApi(app)
    await useConsole(app)
    for (const command of [['tenants', 'env:rotate'], ['audit:sign']]) {
      const { code, err } = await runHere(command, app.environment)
      assert.equal(code, 0, err)
    }
    const rows = await rowsOf(app)
    const written = new Set(rows.map(({ verb }) => verb))
    const missing = controlVerbs.filter((verb) => !written.has(verb) && heldElsewhere[verb] === undefined)
    assert.deepEqual(missing, [])
    for (const [verb, path] of Object.entries(heldElsewhere))
      assert.ok(readFileSync(path, 'utf8').includes(`'${verb}'`), `${path}: ${verb}`)
    const authors = new Set(rows.map(({ actor }) => actor))
    assert.deepEqual([...authors].sort(), ['job', 'key', 'operator', 'tool'])

    const secrets = [canary, password, operatorPassword, app.key, app.console.totpSecret]
    const text = JSON.stringify(rows)
    for (const secret of [...secrets, ...app.console.recoveryCodes])
      assert.equal(text.includes(secret), false, secret)
    await assertHealthy(app.app)
  })

  test('is one chain without gaps, however many servers write to it', async () => {
    await using servers = await startServers(store)
    const answers = await Promise.all(
      times(40, (index) => servers.call('POST', 'tenants-plans', { id: `plan-${index}` })),
    )
    assert.ok(answers.every(({ status }) => status === 201))
    const { app } = servers.first
    const rows = await rowsOf({ app })
    assert.deepEqual(
      rows.map(({ sequence }) => sequence),
      rows.map((_, index) => index + 1),
    )
    assert.equal(rows.filter(({ verb }) => verb === 'plan.created').length, 40)
    assert.equal(await findControlAuditFault(app.control), undefined)
  })

  test('is found by the doctor to be changed, also by the owner of the database', async () => {
    await using app = await startConsole({ store })
    const db = app.app.control.store.control
    for (const id of ['a', 'b']) await app.call('POST', 'tenants-plans', { id })
    const [previous, last] = (await rowsOf(app)).slice(-2)
    assert.ok(previous && last)
    // Past the triggers: without a head the rows may be deleted. All hashes fit, only the signature cannot be made.
    const head = await db.selectFrom('controlAuditHead').selectAll().executeTakeFirstOrThrow()
    const changed = { ...last, actor: 'job' as const, actorId: null }
    const hash = hashOfControlRow(previous.hash, changed)
    await db.deleteFrom('controlAuditHead').execute()
    await db.deleteFrom('controlAudit').where('sequence', '=', last.sequence).execute()
    await db
      .insertInto('controlAudit')
      .values({ ...changed, hash })
      .execute()
    await db
      .insertInto('controlAuditHead')
      .values({ ...head, hash })
      .execute()
    const faults = faultsOf(await examineApp(app.app))
    assert.deepEqual(faults, [`control-audit - audit ${last.sequence}`])
  })

  test('is in a backup with the operators, and comes back with its chain', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    await using folder = await backupFolder()
    const to = join(folder.path, 'backup')
    assert.equal((await runHere(['backup', '--to', to, '--with-keys'], app.environment)).code, 0)
    const rows = await rowsOf(app)

    await using other = await freshInstallation(store)
    await other.json('restore', '--from', to)
    const restored: any[] = await other.json('audit', '--limit', '1000')
    assert.deepEqual([restored[0].verb, restored[0].actor.kind], ['audit.signed', 'tool'])
    // The row that says that the backup is done is written when it is.
    const hashes = restored.map(({ hash }) => hash).toReversed()
    assert.deepEqual(
      hashes.slice(0, -1),
      rows.slice(0, hashes.length - 1).map(({ hash }) => hash),
    )
    assert.ok(rows.length - (hashes.length - 1) <= 1)
    assert.equal((await other.run('doctor')).code, 0)
    const operators = await other.json('operator:list')
    assert.deepEqual(
      operators.map(({ username, is_set_up, has_totp }: any) => [username, is_set_up, has_totp]),
      [['grace', true, true]],
    )
  })
})
