import type { Control } from '../../src/control/index.ts'
import { judgeAllQuotas } from '../../src/site/index.ts'
import { changeSite, createTenant, installTenant, openSite, readTenant } from '../../src/tenants/index.ts'
import type { Shot } from './shots.ts'
import { cookieOf } from './state-shots.ts'

const gigabyte = 1_000_000_000

/** A site that is over its storage and near its traffic, and one that was suspended for it. */
export async function seedQuotas(control: Control) {
  for (const [id, graceDays] of [
    ['full', '7'],
    ['suspended', '0'],
  ] as const) {
    const limits = { SERVICE_MAX_STORAGE: '5G', SERVICE_MAX_TRAFFIC: '50G' }
    const env = { SERVICE_QUOTA_ACTION: 'suspend', SERVICE_QUOTA_GRACE_DAYS: graceDays }
    await createTenant(control, { id, hostname: `${id}.test`, isEnabled: true, limits, env })
    const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
    await installTenant(control, id, account)
    await using site = await openSite(control, await readTenant(control, id))
    await changeSite(control, site, async (changing) => {
      const { db } = changing
      await db
        .updateTable('total')
        .set({ value: 5.2 * gigabyte })
        .where('name', '=', 'storageUsed')
        .execute()
      const traffic = { day: '2026-11-12', name: 'trafficBytes', value: 43 * gigabyte }
      await db.insertInto('dayTotal').values(traffic).execute()
      await judgeAllQuotas(changing)
    })
  }
  return cookieOf(control, 'full', 'ada')
}

export const quotaShots = (cookie: NonNullable<Shot['cookie']>): readonly Shot[] => [
  { name: 'quotas-dashboard', path: '/dashboard', host: 'full.test', cookie },
  { name: 'quotas-dashboard-german', path: '/dashboard', host: 'full.test', cookie, language: 'de' },
  { name: 'quotas-upload', path: '/upload', host: 'full.test', cookie },
  { name: 'quotas-suspended', path: '/', host: 'suspended.test' },
]
