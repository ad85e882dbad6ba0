import type { Page } from 'playwright-core'
import { consoleAddress, consoleHost } from '../support/console.ts'
import type { seedConsole } from './console-world.ts'
import { longest } from './longest.ts'
import type { Shot } from './shots.ts'

type Seeded = Awaited<ReturnType<typeof seedConsole>>

/** They are drawn once they are seen. */
async function chartsDrawn(tab: Page): Promise<void> {
  await tab.locator('[data-island=charts]').scrollIntoViewIfNeeded()
  await tab.locator('[data-is-drawn] canvas').first().waitFor()
  await tab.evaluate('scrollTo(0, 0)')
}

/** The console, as its operator sees it. */
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
    shot('overview', '', { prepare: chartsDrawn }),
    shot('overview-spanish', '', { language: 'es', prepare: chartsDrawn }),
    shot('tenants', 'tenants'),
    shot('tenants-found', 'tenants?q=averylongname'),
    shot('tenants-none', 'tenants?q=nothing-like-this'),
    shot('tenants-viewer', 'tenants?sort=-created&page=2', { cookie: viewer }),
    shot('tenants-german', 'tenants?plan=large', { language: 'de' }),
    shot('tenant', 'tenants/harbour', { prepare: chartsDrawn }),
    shot('tenant-new', 'tenants/new'),
    shot('tenant-not-installed', 'tenants/studio-01'),
    shot('tenant-long', `tenants/${longest.id}`),
    shot('tenants-long-plan', `tenants?plan=${longest.plan}`),
    shot('values-long', `tenants/${longest.id}/values`),
    shot('delete-long', `tenants/${longest.id}/delete`),
    shot('plan-long', `plans/${longest.plan}`),
    shot('tenant-delete', 'tenants/harbour/delete'),
    shot('tenant-german', 'tenants/harbour', { language: 'de', prepare: chartsDrawn }),
    shot('values', 'tenants/studio-01/values'),
    shot('values-german', 'tenants/studio-01/values', { language: 'de' }),
    shot('location', 'tenants/harbour/place'),
    shot('plans', 'plans'),
    shot('plan-new', 'plans/new'),
    shot('plan', 'plans/small'),
    shot('plan-preview', 'plans/small', {
      async prepare(tab) {
        await tab.getByLabel('Name').first().fill('SERVICE_MAX_FILES')
        await tab.getByLabel('Value').first().fill('500')
        await tab.getByRole('button', { name: 'Preview' }).click()
        await tab.getByRole('heading', { name: 'What this changes' }).waitFor()
      },
    }),
    shot('moves', 'moves'),
    shot('move', 'moves/moving'),
    shot('move-failed', 'moves/stopped'),
    shot('move-german', 'moves/moving', { language: 'de' }),
    shot('jobs', 'jobs'),
    shot('health', 'health'),
    shot('health-spanish', 'health', { language: 'es' }),
    shot('backups', 'backups'),
    shot('backups-spanish', 'backups', { language: 'es' }),
    shot('keys', 'keys'),
    shot('operators', 'operators'),
    shot('operators-viewer', 'operators', { cookie: viewer }),
    shot('operators-german', 'operators', { language: 'de' }),
    shot('audit', 'audit'),
    shot('find', 'find?q=studio-1'),
    shot('find-none', 'find?q=nothing-like-this'),
    shot('find-menu', 'keys', {
      async prepare(tab) {
        await tab.keyboard.press('Control+k')
        await tab.keyboard.type('studio-1')
        await tab.getByRole('option').first().waitFor()
      },
    }),
    shot('me', 'me'),
    shot('me-totp', 'me/totp'),
    shot('me-spanish', 'me', { language: 'es' }),
  ]
}
