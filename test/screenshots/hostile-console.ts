import { createUser } from '../../src/accounts/index.ts'
import { createKey, createOperator } from '../../src/control/index.ts'
import { changingSite } from '../../src/site/index.ts'
import { createPlan, createTenant, installTenant, openSite, readTenant } from '../../src/tenants/index.ts'
import type { TestConsole } from '../support/console.ts'
import { longest } from './longest.ts'

/** What a text may be at worst: long without a place to break, markup, and letters that are written from right to left. */
const markup = `<img src=x onerror="alert(1)">`
const long = (letter: string, length: number) => letter.repeat(length)
const email = `${long('m', 64)}@${long('a', 63)}.${long('i', 63)}.${long('l', 56)}.test`
const userAgent = `${markup} ${long('U', 800)}`
export const envName = `HOSTILE_${long('E', 55)}`
const wrong = `${markup}\n${long('x', 600)} \u202egnorw`

/** A console where every text has been chosen by somebody who wants its pages to break, and every number is large. */
export async function seedHostile(app: Pick<TestConsole, 'app' | 'console'>): Promise<void> {
  const { control } = app.app
  const limits = { SERVICE_MAX_STORAGE: '999999999999999', SERVICE_MAX_FILES: '999999999999999' }
  const env = { [envName]: `${markup}${long('v', 2_000)}`, SERVICE_MAX_USERS: '2' }
  await createPlan(control, { id: longest.plan, limits, env })
  await createPlan(control, { id: 'new', limits: {}, env: {} })
  const { id, hostname, plan: planId } = longest
  await createTenant(control, { id, hostname, planId, isEnabled: true, limits, env })
  await installTenant(control, id, { username: 'x'.repeat(32), email, password: 'a long password' })
  for (let at = 0; at < 12; at += 1) {
    const number = String(at).padStart(2, '0')
    await createTenant(control, {
      id: `${long('m', 62)}${number}`,
      hostname: `${number}${hostname.slice(2)}`,
      planId,
      isEnabled: at % 3 !== 0,
    })
  }
  {
    await using site = await openSite(control, await readTenant(control, id))
    const account = {
      username: `${'W'.repeat(31)}9`,
      email: `9${email.slice(1)}`,
      password: 'a long password',
    }
    await createUser(changingSite(site), { ...account, role: 'user' })
  }
  await createOperator(control, { username: longest.operator, role: 'operator' })
  await createKey(control, { name: longest.key })
  await createKey(control, { name: `${markup} \u05d0\u05d1` })
  const headers = { 'user-agent': userAgent }
  for (const value of ['1', long('7', 15)])
    await app.console.post(
      `tenants/${id}/values`,
      { name: 'SERVICE_MAX_FILES', in: 'limits', value },
      headers,
    )
  await app.console.post(`tenants/${id}/values`, { name: envName, in: 'env', value: wrong }, headers)
  await seedRows(app)
}

/** What no form and no call could make. */
async function seedRows({
  app: { control },
  console: { username },
}: Pick<TestConsole, 'app' | 'console'>): Promise<void> {
  const db = control.store.control
  const now = control.clock.now()
  const at = (minutesAgo: number) => new Date(now.getTime() - minutesAgo * 60_000).toISOString()
  const author = JSON.stringify({ kind: 'operator', id: 'g', name: longest.operator })
  const row = {
    target: longest.id,
    state: 'failed' as const,
    done: 0,
    total: null,
    unit: null,
    rate: null,
    author,
    cancelledBy: null,
    tries: 3,
    losses: 0,
    leasedBy: null,
    leasedUntil: null,
    result: null,
    error: wrong,
    createdAt: at(5),
    startedAt: at(5),
    finishedAt: at(4),
  }
  const finding = { isFault: true, tenant: longest.id, key: long('k', 300), says: wrong, todo: wrong }
  const verdict = { check: 'bytes', about: wrong, detail: wrong, faults: 1, warnings: 1, repaired: 1 }
  const findings = [finding, { ...finding, isFault: false }]
  const health = JSON.stringify({ verdicts: [{ ...verdict, findings }] })
  const running = { state: 'running' as const, leasedBy: '1@elsewhere', leasedUntil: at(-1_440), error: null }
  const much = { done: 9e15, total: 9.007e15, unit: 'bytes' as const, rate: 123, finishedAt: null }
  await db
    .insertInto('work')
    .values([
      { id: 'movefailed', kind: 'move', ...row },
      { id: 'moverunning', kind: 'move', ...row, ...running, ...much, target: `${long('m', 62)}00` },
      { id: 'backupfailed', kind: 'backup', ...row, target: long('b', 64) },
      { id: 'verifyfailed', kind: 'verify', ...row, target: long('b', 64) },
      { id: 'healthdone', kind: 'health', ...row, state: 'done', error: null, result: health },
    ])
    .execute()
  const { site } = await readTenantRow(control, longest.id)
  await db
    .insertInto('job')
    .values({ site, dueAt: at(90), token: 1, leasedUntil: null, failures: 1_000_000, fault: wrong })
    .onConflict((conflict) => conflict.column('site').doUpdateSet({ failures: 1_000_000, fault: wrong }))
    .execute()
  const counts = {
    uploads: 9e14,
    apiRequests: 9e14,
    serverErrors: 9e14,
    trafficBytes: 9e15,
    storageUsed: 9e15,
  }
  const days = Array.from({ length: 30 }, (_, day) => ({
    site,
    day: at(day * 1_440).slice(0, 10),
    counts: JSON.stringify({ ...counts, files: 9e14 }),
  }))
  for (const day of days)
    await db
      .insertInto('siteDay')
      .values(day)
      .onConflict((conflict) => conflict.columns(['site', 'day']).doUpdateSet({ counts: day.counts }))
      .execute()
  const { id: operatorId } = await db
    .selectFrom('operator')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('operatorPasskey')
    .values({
      id: 'passkeyhosti',
      operatorId,
      credentialId: 'none',
      publicKey: '',
      counter: 0,
      transports: '[]',
      hostname: longest.hostname,
      name: long('P', 64),
      createdAt: at(1),
      lastUsedAt: null,
    })
    .execute()
  await db
    .updateTable('operatorSession')
    .set({ userAgent: userAgent.slice(0, 256) })
    .execute()
}

const readTenantRow = (control: TestConsole['app']['control'], id: string) =>
  control.store.control.selectFrom('tenant').select('site').where('id', '=', id).executeTakeFirstOrThrow()

/** Every page of the console that has a text of its world. */
export const hostilePages = [
  '',
  'attention/limits',
  'tenants',
  `tenants?plan=${longest.plan}`,
  `tenants?q=${long('q', 200)}`,
  'tenants/new',
  `tenants/${longest.id}`,
  `tenants/${longest.id}?user=${long('q', 200)}`,
  `tenants/${longest.id}/values`,
  `tenants/${longest.id}/values?name=${envName}&in=env`,
  `tenants/${longest.id}/place`,
  `tenants/${longest.id}/delete`,
  'plans',
  'plans/new',
  `plans/${longest.plan}`,
  'plans/-/new',
  'moves',
  'moves/movefailed',
  'moves/moverunning',
  'jobs',
  'jobs?state=failing',
  'health',
  'backups',
  'keys',
  'operators',
  'audit',
  `audit?who=${long('q', 100)}`,
  `find?q=${long('w', 40)}`,
  `find?q=${long('q', 300)}`,
  'me',
  'me/totp',
  'nothing-here',
] as const

/** Pages that say what would be there, and what to do first. */
export const emptyPages = [
  '',
  'attention/limits',
  'attention/suspended',
  'attention/unreadable',
  'tenants',
  'tenants?q=nothing',
  'tenants/new',
  'plans',
  'plans/new',
  'moves',
  'jobs',
  'jobs?state=failing',
  'health',
  'backups',
  'keys',
  'operators',
  'audit?who=nobody',
  'find',
  'find?q=nothing',
  'me',
] as const
