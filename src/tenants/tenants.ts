import { type Control, upsertDueAt } from '../control/index.ts'
import type { ControlDb } from '../db/index.ts'
import { noTotals, type Totals } from '../site/index.ts'
import { hostnameTaken, tenantExists, tenantNotFound, unknownPlan } from './errors.ts'
import { checkedFields, keyOfId, type LooseValues, type Values } from './field-rules.ts'
import { findPlan } from './plans-table.ts'
import { readSealed, sealValues, unsealValues } from './sealed-values.ts'
import { takeSite } from './sites-table.ts'
import {
  findTenant,
  findTenantByHostname,
  hasIdKey,
  insertTenant,
  type TenantRow,
  tenantsAfter,
  updateTenant,
} from './tenants-table.ts'

export interface Tenant {
  id: string
  hostname: string
  isEnabled: boolean
  planId: string | undefined
  limits: Values
  env: Values
  /** The number of its site's place. */
  site: number
  isInstalled: boolean
  /** Sealed, see `site-places.ts`. */
  sealedPlace: string | null
  createdAt: Date
  updatedAt: Date
}

/** A tenant with what is told of its site, which changes with every upload. */
export interface ToldTenant extends Tenant {
  stats: Totals
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

export async function createTenant(control: Control, input: NewTenant): Promise<ToldTenant> {
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
    // What a kept site had to do has waited for its tenant.
    if (site.installedAt !== null) await upsertDueAt(db, site.number, control.clock.now())
    return storedTenant(control, db, input.id)
  })
}

export async function readTenant(control: Control, id: string): Promise<Tenant> {
  const read = () => storedTenant(control, control.store.control, id)
  return control.memory.recall(`tenant ${id}`, () => readSealed(read))
}

export const readToldTenant = (control: Control, id: string): Promise<ToldTenant> =>
  readSealed(() => storedTenant(control, control.store.control, id))

/** For those who are inside a change: what they answer with must not be what came after it. */
export async function storedTenant(control: Control, db: ControlDb, id: string): Promise<ToldTenant> {
  const row = await findTenant(db, id)
  if (!row) throw tenantNotFound()
  return tenantOfRow(control, row)
}

/** The tenant whose site a host name is; nothing when it is nobody's. */
export function tenantOfHost(control: Control, hostname: string): Promise<Tenant | undefined> {
  const read = async () => {
    const row = await findTenantByHostname(control.store.control, hostname)
    return row && tenantOfRow(control, row)
  }
  return control.memory.recall(hostNote(hostname), () => readSealed(read))
}

/** The same where it is remembered. */
export const knownTenantOfHost = (control: Control, hostname: string): Tenant | undefined =>
  control.memory.known(hostNote(hostname))

const hostNote = (hostname: string) => `host ${hostname}`

const pageSize = 1_000

/** All tenants in the order of their ids, a page at a time. */
export async function* listTenants(control: Control): AsyncGenerator<ToldTenant[]> {
  for (let last = ''; ; ) {
    const from = last
    const page = await readSealed(async () => {
      const rows = await tenantsAfter(control.store.control, from, pageSize)
      return rows.map((row) => tenantOfRow(control, row))
    })
    yield page
    const lastOne = page.at(-1)
    if (!lastOne || page.length < pageSize) return
    last = lastOne.id
  }
}

export interface TenantEdit {
  hostname?: string | undefined
  isEnabled?: boolean | undefined
  /** `null` takes the plan away. */
  planId?: string | null | undefined
  limits?: LooseValues | undefined
  env?: LooseValues | undefined
}

export async function editTenant(control: Control, id: string, edit: TenantEdit): Promise<void> {
  const { hostname, limits, env } = checkedFields(edit)

  await control.store.changeControl(async (db) => {
    if (!(await findTenant(db, id))) throw tenantNotFound()
    if (typeof edit.planId === 'string') await requirePlan(db, edit.planId)
    const owner = hostname === undefined ? undefined : await findTenantByHostname(db, hostname)
    if (hostname !== undefined && owner && owner.id !== id) throw hostnameTaken(hostname)
    await updateTenant(db, id, {
      ...(hostname === undefined ? {} : { hostname }),
      ...(edit.isEnabled === undefined ? {} : { isEnabled: Number(edit.isEnabled) }),
      ...(edit.planId === undefined ? {} : { planId: edit.planId }),
      ...(limits === undefined ? {} : { limits: JSON.stringify(limits) }),
      ...(env === undefined ? {} : { env: sealValues(control.keyRing, `tenant ${id}`, env) }),
      updatedAt: control.clock.now().toISOString(),
    })
  })
}

async function requirePlan(db: ControlDb, id: string): Promise<void> {
  if (!(await findPlan(db, id))) throw unknownPlan(id)
}

export function tenantOfRow(control: Control, row: TenantRow): ToldTenant {
  return {
    id: row.id,
    hostname: row.hostname,
    isEnabled: row.isEnabled === 1,
    planId: row.planId ?? undefined,
    limits: JSON.parse(row.limits),
    env: unsealValues(control.keyRing, `tenant ${row.id}`, row.env),
    site: row.site,
    isInstalled: row.installedAt !== null,
    stats: JSON.parse(row.stats),
    sealedPlace: row.place,
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
    lastJobAt: row.lastJobAt === null ? undefined : new Date(row.lastJobAt),
  }
}
