import { createOperator } from '../../src/control/index.ts'
import { createPlan, createTenant } from '../../src/tenants/index.ts'
import { consoleAddress, consoleHost, setUpOperator } from '../support/console.ts'
import type { Shot } from './shots.ts'
import { seedWork } from './work-shots.ts'

type Asked = Parameters<typeof setUpOperator>[0]

/** Operators, plans, and tenants for more than one page, one of them with names as long as they may be. */
export async function seedConsole(app: Asked) {
  const { control } = app.app
  for (const [id, limits] of [
    ['small', { SERVICE_MAX_STORAGE: '1G', SERVICE_MAX_FILES: '1000' }],
    ['large', { SERVICE_MAX_STORAGE: '100G' }],
  ] as const)
    await createPlan(control, { id, limits, env: {} })
  for (let at = 0; at < 56; at += 1) {
    const id = `studio-${String(at).padStart(2, '0')}`
    await createTenant(control, {
      id,
      hostname: `${id}.test`,
      isEnabled: at % 9 !== 4,
      planId: at % 3 === 0 ? 'large' : 'small',
      env: { SERVICE_OWN_SECRET: 'a value that only proofs reveal' },
    })
  }
  const label = 'a-very-long-name-of-a-studio-for-pictures-of-boats'
  const hostname = `${Array.from({ length: 3 }, () => label).join('.')}.test`
  await createTenant(control, { id: label, hostname, isEnabled: true })
  await seedWork(app.app)
  const operator = await setUpOperator(app, { username: 'grace', role: 'operator' })
  const viewer = await setUpOperator(app, { username: 'viktor', role: 'viewer' })
  const { token } = await createOperator(control, { username: 'niklas', role: 'viewer' })
  return { operator: cookieOf(operator.cookie), viewer: cookieOf(viewer.cookie), invite: token }
}

function cookieOf(pair: string): NonNullable<Shot['cookie']> {
  const [name = '', value = ''] = pair.split('=')
  return { name, value }
}

type Seeded = Awaited<ReturnType<typeof seedConsole>>

export function consoleShots({ operator, viewer, invite }: Seeded): Shot[] {
  const shot = (name: string, path: string, more: Partial<Shot> = {}): Shot => ({
    name: `console-${name}`,
    path: consoleAddress(path),
    host: consoleHost,
    cookie: operator,
    ...more,
  })
  const guest = { cookie: { name: 'none', value: 'none' } }
  return [
    shot('login', 'login', guest),
    shot('invite', `invite/${invite}`, guest),
    shot('invite-ended', 'invite/ended', guest),
    shot('place', 'tenants/harbour/place'),
    shot('moves', 'moves'),
    shot('move', 'moves/moving'),
    shot('move-failed-german', 'moves/stopped', { language: 'de' }),
    shot('jobs', 'jobs'),
    shot('health', 'health'),
    shot('backups-spanish', 'backups', { language: 'es' }),
    shot('keys', 'keys'),
    shot('operators', 'operators'),
    shot('operators-viewer', 'operators', { cookie: viewer }),
    shot('operators-german', 'operators', { language: 'de' }),
    shot('me', 'me'),
    shot('me-totp', 'me/totp'),
    shot('me-spanish', 'me', { language: 'es' }),
  ]
}
