import { type Account, accountFaults } from '../../accounts/index.ts'
import { type Control, recordControlChanges } from '../../control/index.ts'
import type { ControlDb } from '../../db/index.ts'
import { invalidFields } from '../../lib/refusal.ts'
import { upsertDueAt } from '../../scheduling/index.ts'
import { hostnameTaken, keptInTheWay, tenantExists } from '../errors.ts'
import { checkIntendedLocation } from '../locations/site-locations.ts'
import { type NewTenant, requirePlan, storedTenant, type Tenant } from '../tenants.ts'
import { findTenant, findTenantByHostname, hasIdKey, insertTenant } from '../tenants-table.ts'
import { mergedValues } from '../values/effective.ts'
import { checkedFields, fieldFaults, keyOfId, sealValues, type Values } from '../values/field-rules.ts'
import { type DraftedTables, draftTables, type Installation } from './install.ts'
import { dropSite } from './removal.ts'
import { beginSite, giveUp } from './unfinished-sites.ts'
import {
  dropEmptyKeptSite,
  finishUnfinishedSite,
  hasKeptSite,
  isUnfinishedSite,
} from './unfinished-sites-table.ts'

type Making = Omit<NewTenant, 'limits' | 'env'> & { limits: Values; env: Values }

/**
 * Creates a tenant and installs it: both or neither. The tables are built for a site that no tenant has, and one transaction
 * makes it that of the new tenant. Of a process that is killed only such a site is left, which a job drops.
 */
export async function createInstalledTenant(
  control: Control,
  input: NewTenant,
  account: Account,
): Promise<Installation> {
  const faults = [...fieldFaults(input), ...accountFaults(account)]
  if (faults.length > 0) throw invalidFields(faults, 'invalid-fields')
  const { hostname = '', limits = {}, env = {} } = checkedFields(input)
  const making: Making = { ...input, hostname, limits, env }
  const empty = await control.store.changeControl((db) => checkFree(db, making))
  // Without tables there is nothing to keep. A drop that fails is repeated by the job `finish-drops`.
  if (empty !== undefined) await dropSite(control, empty).catch(() => undefined)
  const site = await beginSite(control, input.id)
  try {
    const tenant = unstoredTenant(control, making, site)
    const values = await mergedValues(control, tenant)
    await using draft = await draftTables(control, { tenant, values, account, settings: {} })
    return await publish(control, site, { making, draft, username: account.username })
  } catch (error) {
    await giveUp(control, site)
    throw error
  }
}

/** Returns the site that an earlier tenant has left, if it has no tables: it may be dropped. */
async function checkFree(db: ControlDb, { id, hostname, planId }: Making): Promise<number | undefined> {
  if (planId !== undefined) await requirePlan(db, planId)
  const idKey = keyOfId(id)
  if (await hasIdKey(db, idKey)) throw tenantExists(id)
  if (await findTenantByHostname(db, hostname)) throw hostnameTaken(hostname)
  const empty = await dropEmptyKeptSite(db, idKey)
  // A tenant of this id gets its users and files back.
  if (await hasKeptSite(db, idKey)) throw keptInTheWay(id)
  return empty
}

const unstoredTenant = ({ clock }: Control, making: Making, site: number): Tenant => ({
  ...making,
  planId: making.planId,
  site,
  isInstalled: false,
  sealedLocation: null,
  quotas: undefined,
  createdAt: clock.now(),
  updatedAt: clock.now(),
})

interface Publishing {
  making: Making
  draft: DraftedTables
  username: string
}

function publish(
  control: Control,
  site: number,
  { making, draft, username }: Publishing,
): Promise<Installation> {
  const { id, hostname, isEnabled, planId, limits, env } = making
  const idKey = keyOfId(id)
  const now = control.clock.now()
  return control.store.changeControl(async (db) => {
    // Another creation of this id, or an import, has begun meanwhile, or is done.
    if (!(await isUnfinishedSite(db, site)) || (await hasIdKey(db, idKey))) throw tenantExists(id)
    if (await hasKeptSite(db, idKey)) throw keptInTheWay(id)
    if (planId !== undefined) await requirePlan(db, planId)
    const isNew = await insertTenant(db, {
      id,
      idKey,
      hostname,
      isEnabled: Number(isEnabled),
      planId: planId ?? null,
      limits: JSON.stringify(limits),
      env: sealValues(control.keyRing, `tenant ${id}`, env),
      site,
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
    })
    if (!isNew) throw hostnameTaken(hostname)
    const row = await findTenant(db, id)
    if (row) checkIntendedLocation(control, row, draft.location)
    const { stats, admins, apiKey } = await draft.publish()
    await finishUnfinishedSite(db, site, { idKey, installedAt: now.toISOString(), stats, admins })
    await upsertDueAt(db, site, now)
    await recordControlChanges(control, db, [
      { verb: 'tenant.created', target: id, after: { hostname, isEnabled, planId, limits, env } },
      { verb: 'tenant.installed', target: id, after: { username } },
    ])
    return { tenant: await storedTenant(control, db, id), apiKey }
  })
}
