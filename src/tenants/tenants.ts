import { type Control, recordControlChange } from '../control/index.ts'
import type { ControlDb } from '../db/index.ts'
import { upsertDueAt } from '../scheduling/index.ts'
import { noTotals, type QuotaState, quotasOfText, type Totals } from '../site/index.ts'
import { hostnameTaken, tenantExists, tenantNotFound, unknownPlan } from './errors.ts'
import { takeSite } from './sites-table.ts'
import { findTenant, findTenantByHostname, hasIdKey, insertTenant, type TenantRow } from './tenants-table.ts'
import {
  checkedFields,
  keyOfId,
  type LooseValues,
  readableValues,
  readSealed,
  sealValues,
  undefinedIfUnreadable,
  unsealValues,
  type Values,
} from './values/field-rules.ts'
import { findPlan } from './values/plans-table.ts'

export interface Tenant {
  id: string
  hostname: string
  isEnabled: boolean
  planId: string | undefined
  limits: Values
  env: Values
  /** The number of its site. */
  site: number
  isInstalled: boolean
  /** Encrypted, see `locations/site-locations.ts`. */
  sealedLocation: string | null
  /** The quotas of its site that have reached a threshold. */
  quotas: readonly QuotaState[] | undefined
  createdAt: Date
  updatedAt: Date
}

/** A tenant with the stats of its site, which change with every upload. */
export interface TenantWithStats extends Tenant {
  stats: Totals
  /** The e-mail addresses of its administrators, in lower case. */
  admins: readonly string[]
  lastJobAt: Date | undefined
}

export interface NewTenant {
  id: string
  hostname: string
  isEnabled: boolean
  planId?: string | undefined
  limits?: LooseValues | undefined
  env?: LooseValues | undefined
}

/** `keep` is part of the transaction: it stores what the caller is answered. */
export async function createTenant(
  control: Control,
  input: NewTenant,
  keep?: (db: ControlDb, tenant: TenantWithStats) => Promise<void>,
): Promise<TenantWithStats> {
  const { hostname = '', limits = {}, env = {} } = checkedFields(input)
  const now = control.clock.now().toISOString()

  return control.store.changeControl(async (db) => {
    if (input.planId !== undefined) await requirePlan(db, input.planId)
    if (await hasIdKey(db, keyOfId(input.id))) throw tenantExists(input.id)
    const site = await takeSite(db, keyOfId(input.id), JSON.stringify(noTotals))
    const isNew = await insertTenant(db, {
      id: input.id,
      idKey: keyOfId(input.id),
      hostname,
      isEnabled: Number(input.isEnabled),
      planId: input.planId ?? null,
      limits: JSON.stringify(limits),
      env: sealValues(control.keyRing, `tenant ${input.id}`, env),
      site: site.number,
      createdAt: now,
      updatedAt: now,
    })
    if (!isNew) throw hostnameTaken(hostname)
    const { isEnabled, planId } = input
    const after = { hostname, isEnabled, planId, limits, env }
    await recordControlChange(control, db, { verb: 'tenant.created', target: input.id, after })
    // The jobs of a kept site have not run while it had no tenant.
    if (site.installedAt !== null) await upsertDueAt(db, site.number, control.clock.now())
    const tenant = await storedTenant(control, db, input.id)
    await keep?.(db, tenant)
    return tenant
  })
}

export async function readTenant(control: Control, id: string): Promise<Tenant> {
  const read = () => storedTenant(control, control.store.control, id)
  return control.cache.read(`tenant ${id}`, () => readSealed(read))
}

export const readTenantWithStats = (control: Control, id: string): Promise<TenantWithStats> =>
  readSealed(() => storedTenant(control, control.store.control, id))

/** A tenant as pages for people have it. */
export interface ReadableTenant extends TenantWithStats {
  /** No key decrypts its `env`, which is empty here: its site cannot be opened. */
  isUnreadable: boolean
}

export async function readReadableTenant(control: Control, id: string): Promise<ReadableTenant> {
  const tenant = await readTenantWithStats(control, id).catch(undefinedIfUnreadable)
  if (tenant) return { ...tenant, isUnreadable: false }
  const row = await findTenant(control.store.control, id)
  if (!row) throw tenantNotFound()
  return readableTenantOfRow(control, row)
}

/** Uncached, for use inside a control transaction: the answer must not contain later changes. */
export async function storedTenant(control: Control, db: ControlDb, id: string): Promise<TenantWithStats> {
  const row = await findTenant(db, id)
  if (!row) throw tenantNotFound()
  return tenantOfRow(control, row)
}

/** The tenant of a hostname, if there is one. */
export function tenantOfHost(control: Control, hostname: string): Promise<Tenant | undefined> {
  const read = async () => {
    const row = await findTenantByHostname(control.store.control, hostname)
    return row && tenantOfRow(control, row)
  }
  return control.cache.read(hostCacheKey(hostname), () => readSealed(read))
}

/** Synchronous variant: undefined if the tenant is not cached. */
export const knownTenantOfHost = (
  control: Control,
  hostname: string,
  options?: { isConfirmed: boolean },
): Tenant | undefined => control.cache.peek(hostCacheKey(hostname), options)

const hostCacheKey = (hostname: string) => `host ${hostname}`

export async function requirePlan(db: ControlDb, id: string): Promise<void> {
  if (!(await findPlan(db, id))) throw unknownPlan(id)
}

export const tenantOfRow = (control: Control, row: TenantRow): TenantWithStats =>
  tenantWithEnv(row, unsealValues(control.keyRing, `tenant ${row.id}`, row.env))

/** Without its `env` if no key decrypts that. */
export function readableTenantOfRow(control: Control, row: TenantRow): ReadableTenant {
  const env = readableValues(control.keyRing, `tenant ${row.id}`, row.env)
  return { ...tenantWithEnv(row, env), isUnreadable: row.env !== null && Object.keys(env).length === 0 }
}

function tenantWithEnv(row: TenantRow, env: Values): TenantWithStats {
  return {
    id: row.id,
    hostname: row.hostname,
    isEnabled: row.isEnabled === 1,
    planId: row.planId ?? undefined,
    limits: JSON.parse(row.limits),
    env,
    site: row.site,
    isInstalled: row.installedAt !== null,
    stats: JSON.parse(row.stats),
    admins: row.admins ? row.admins.split('\n') : [],
    sealedLocation: row.place,
    quotas: quotasOfText(row.quotas),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
    lastJobAt: row.lastJobAt === null ? undefined : new Date(row.lastJobAt),
  }
}
