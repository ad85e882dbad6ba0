import { type Control, createOperator } from '../../src/control/index.ts'
import type { ControlTables } from '../../src/db/index.ts'
import { createPlan, createTenant } from '../../src/tenants/index.ts'
import { type ConsoleClient, setUpOperator } from '../support/console.ts'
import { until } from '../support/until.ts'

type Asked = Parameters<typeof setUpOperator>[0]

/** Operators, plans, tenants for more than one page, and work that has ended, runs and has failed. */
export async function seedConsole(app: Asked) {
  const { control } = app.app
  await seedTenants(control)
  const operator = await setUpOperator(app, { username: 'grace', role: 'operator' })
  const viewer = await setUpOperator(app, { username: 'viktor', role: 'viewer' })
  const { token } = await createOperator(control, { username: 'niklas', role: 'viewer' })
  await operator.post('keys', { name: 'Billing' })
  await operator.post('keys', { name: 'Old shop', expires_at: '2027-01-31' })
  for (const path of ['health/run', 'backups']) await finished(operator, path)
  const moves = [
    workRow('move', 'studio-07', {
      state: 'running',
      done: 3_400_000_000,
      total: 9_100_000_000,
      rate: 48_000_000,
    }),
    workRow('move', 'studio-11', { state: 'failed', error: 'The bucket did not answer.' }),
    workRow('move', 'studio-12', { state: 'done', done: 120_000_000, total: 120_000_000 }),
  ]
  for (const row of moves) await control.store.control.insertInto('work').values(row).execute()
  return {
    operator: pairOf(operator.cookie),
    viewer: pairOf(viewer.cookie),
    invite: token,
    move: moves[0]?.id ?? '',
    failedMove: moves[1]?.id ?? '',
  }
}

async function seedTenants(control: Control): Promise<void> {
  await createPlan(control, {
    id: 'small',
    limits: { SERVICE_MAX_STORAGE: '1G', SERVICE_MAX_FILES: '1000' },
    env: {},
  })
  await createPlan(control, { id: 'large', limits: { SERVICE_MAX_STORAGE: '100G' }, env: {} })
  for (let at = 0; at < 56; at += 1) {
    const id = `studio-${String(at).padStart(2, '0')}`
    await createTenant(control, {
      id,
      hostname: `${id}.test`,
      isEnabled: at % 9 !== 4,
      planId: at % 3 === 0 ? 'large' : 'small',
      env: { SERVICE_OWN_SECRET: 'a value that only a proof reveals' },
    })
  }
  const label = 'a-very-long-name-of-a-studio-for-pictures-of-boats'
  const hostname = `${Array.from({ length: 3 }, () => label).join('.')}.test`
  await createTenant(control, { id: label, hostname, isEnabled: true })
}

/** Until no work is left that the page still waits for. */
async function finished(operator: ConsoleClient, path: string): Promise<void> {
  await operator.post(path)
  await until(async () => {
    const { text } = await operator.get(path.split('/', 1).join())
    return !text.includes('role="progressbar"')
  }, `the work of ${path} to end`)
}

type WorkRow = ControlTables['work']

/** Of another server, which is alive as long as the clock stands still. */
function workRow(kind: WorkRow['kind'], target: string, more: Partial<WorkRow>): WorkRow {
  const at = '2026-11-16T11:57:00.000Z'
  const isOver = more.state !== 'running'
  return {
    id: `shown${target.replace('-', '')}`,
    kind,
    target,
    state: 'done',
    done: 0,
    total: null,
    unit: 'bytes',
    rate: null,
    author: JSON.stringify({ kind: 'operator', id: 'grace', name: 'grace' }),
    cancelledBy: null,
    tries: 1,
    losses: 0,
    leasedBy: isOver ? null : '1@elsewhere',
    leasedUntil: isOver ? null : '2026-11-16T13:00:00.000Z',
    result: null,
    error: null,
    createdAt: at,
    startedAt: at,
    finishedAt: isOver ? '2026-11-16T11:59:00.000Z' : null,
    ...more,
  }
}

function pairOf(pair: string): { name: string; value: string } {
  const [name = '', value = ''] = pair.split('=')
  return { name, value }
}
