import { type Control, createOperator } from '../../src/control/index.ts'
import { createPlan, createTenant } from '../../src/tenants/index.ts'
import { setUpOperator } from '../support/console.ts'
import { until } from '../support/until.ts'
import { longest } from './longest.ts'
import { seedWork } from './work-shots.ts'

type Asked = Parameters<typeof setUpOperator>[0]

/** Operators, plans, tenants for more than one page, and work that has ended, runs and has failed. */
export async function seedConsole(app: Asked) {
  const { control } = app.app
  await seedTenants(control)
  const operator = await setUpOperator(app, { username: 'grace', role: 'operator' })
  const viewer = await setUpOperator(app, { username: 'viktor', role: 'viewer' })
  const { token } = await createOperator(control, { username: longest.operator, role: 'viewer' })
  await operator.post('keys', { name: 'Billing' })
  await operator.post('keys', { name: 'Old shop', expires_at: '2027-01-31' })
  await operator.post('keys', { name: longest.key })
  await operator.post('backups')
  await until(
    async () => (await operator.get('backups')).text.includes('/verify'),
    'the backup to be in the list',
  )
  await seedWork(app.app)
  return {
    operator: pairOf(operator.cookie),
    viewer: pairOf(viewer.cookie),
    invite: token,
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
  await createPlan(control, { id: longest.plan, limits: {}, env: {} })
  const { id, hostname, plan: planId } = longest
  await createTenant(control, { id, hostname, planId, isEnabled: true })
}

function pairOf(pair: string): { name: string; value: string } {
  const [name = '', value = ''] = pair.split('=')
  return { name, value }
}
