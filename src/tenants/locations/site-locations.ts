import type { Control, ControlChange } from '../../control/index.ts'
import type { ControlDb } from '../../db/index.ts'
import { ownLocation, type SiteLocation, type SiteValues, type StoredSigningKeys } from '../../site/index.ts'
import { alreadyInstalled, tenantNotFound } from '../errors.ts'
import { findLocation, updateLocation } from '../sites-table.ts'
import { readTenant, type Tenant } from '../tenants.ts'
import { findTenant, type TenantRow } from '../tenants-table.ts'
import { valuesOfTenant } from '../values/effective.ts'
import { readSealed } from '../values/field-rules.ts'

/** Rows or bytes that must be removed: the old copy after a move, or the new copy of an aborted one. */
export type StaleCopy =
  | { kind: 'rows'; database: string | undefined; rowsGeneration: number; generation: number }
  /** `keptAt`: when it was found to be the last copy of some bytes, and therefore kept. */
  | { kind: 'bytes'; storage: string | undefined; bytesGeneration: number; keptAt?: string }

/** A move in progress. After its lease any process may abort it, and the mover can no longer hand the site over. */
export interface Move {
  generation: number
  database: string | undefined
  storage: string | undefined
  rowsGeneration: number
  bytesGeneration: number
  until: string
  /** The process that moves the site, as `pid@hostname`. */
  by: string
}

/** Where a site is, with its move and its stale copies. Stored encrypted, because the URLs hold passwords. */
export interface LocationRecord extends SiteLocation {
  /** The highest generation that was ever assigned. */
  lastGeneration: number
  move?: Move | undefined
  /** Bytes that an aborted move has copied, for the next move to that storage. */
  abortedMove?: { storage: string | undefined; bytesGeneration: number; at: string } | undefined
  staleCopies: readonly StaleCopy[]
  movedAt?: string | undefined
}

const firstRecord: LocationRecord = { ...ownLocation, lastGeneration: 0, staleCopies: [] }

export const ownerOfLocation = (site: number) => `place of site ${site}` as const

function unsealLocation(control: Control, site: number, sealed: string | null): LocationRecord {
  return sealed === null
    ? firstRecord
    : { ...firstRecord, ...parseRecord(control.keyRing.unseal(sealed, ownerOfLocation(site))) }
}

/** `null` for a site that was always at the installation's own location. */
function sealLocation(control: Control, site: number, record: LocationRecord): string | null {
  const isFirst =
    record.lastGeneration === 0 &&
    !record.database &&
    !record.storage &&
    !record.signingKey &&
    record.staleCopies.length === 0
  return isFirst ? null : control.keyRing.seal(stringifyRecord(record), ownerOfLocation(site))
}

/** The stored names are older than those of the code, and stay: servers of several versions read each other's records. */
const storedNames: Readonly<Record<string, string>> = {
  rowsGeneration: 'rowsAt',
  bytesGeneration: 'bytesAt',
  lastGeneration: 'last',
  abortedMove: 'stopped',
  staleCopies: 'left',
}
const storedNamesOfStaleRows = { ...storedNames, rowsGeneration: 'placedAt' }
const namesInCode: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(storedNames).map(([name, stored]) => [stored, name])),
  placedAt: 'rowsGeneration',
}

const stringifyRecord = (record: LocationRecord): string =>
  JSON.stringify(record, (_, value) =>
    renamed(value, value?.kind === 'rows' ? storedNamesOfStaleRows : storedNames),
  )

const parseRecord = (json: string): Partial<LocationRecord> =>
  JSON.parse(json, (_, value) => renamed(value, namesInCode))

function renamed(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [names[name] ?? name, entry]))
}

export function readLocation(control: Control, site: number): Promise<LocationRecord> {
  return readSealed(() => storedLocation(control, control.store.control, site))
}

/** For use inside a control transaction. */
async function storedLocation(control: Control, db: ControlDb, site: number): Promise<LocationRecord> {
  const sealed = await findLocation(db, site)
  if (sealed === undefined) throw tenantNotFound()
  return unsealLocation(control, site, sealed)
}

/** Changes a site's location record under the control lock; `undefined` from the callback changes nothing. */
export function changeLocation(
  control: Control,
  site: number,
  change: (
    record: LocationRecord,
    db: ControlDb,
  ) => Promise<LocationRecord | undefined> | LocationRecord | undefined,
): Promise<LocationRecord | undefined> {
  return control.store.changeControl(async (db) => {
    const changed = await change(await storedLocation(control, db, site), db)
    if (changed) await updateLocation(db, site, sealLocation(control, site, changed))
    return changed
  })
}

/** Lets a site sign its addresses as it did where it was exported. */
export async function keepSigningKeys(
  control: Control,
  site: number,
  keys: StoredSigningKeys,
): Promise<void> {
  await changeLocation(control, site, (record) => ({ ...record, ...keys }))
}

/** The location that a tenant's settings name. */
export function wantedLocation(control: Control, values: SiteValues) {
  const value = (name: string) => values.get(name) || undefined
  return control.backends.normalise({
    database: value('SERVICE_DATABASE_URL'),
    storage: value('SERVICE_STORAGE_URL'),
  })
}

export const isAt = (
  location: Pick<SiteLocation, 'database' | 'storage'>,
  wanted: ReturnType<typeof wantedLocation>,
): boolean => location.database === wanted.database && location.storage === wanted.storage

/** An address of a database or a storage for people: without user name, password and options. */
export function shownAddress(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

/** For the audit log. */
export const startOfMove = (id: string, to: ReturnType<typeof wantedLocation>): ControlChange => ({
  verb: 'move.started',
  target: id,
  after: { database: shownAddress(to.database), storage: shownAddress(to.storage) },
})

/** Which parts of an installed tenant are not where its settings say; empty if `tenants move` has nothing to do. */
export async function partsToMove(control: Control, id: string): Promise<('database' | 'storage')[]> {
  const tenant = await readTenant(control, id)
  if (!tenant.isInstalled) return []
  const location = await readLocation(control, tenant.site)
  const wanted = wantedLocation(control, await valuesOfTenant(control, id))
  return (['database', 'storage'] as const).filter((part) => location[part] !== wanted[part])
}

const locations = new WeakMap<Tenant, LocationRecord>()

/** The location of a tenant as of when the tenant was read. */
export function locationOfTenant(control: Control, tenant: Tenant): LocationRecord {
  let location = locations.get(tenant)
  if (!location) {
    location = unsealLocation(control, tenant.site, tenant.sealedLocation)
    locations.set(tenant, location)
  }
  return location
}

/** Migrates one site's tables, in whichever database they are. */
export async function migrateSite(control: Control, site: number): Promise<void> {
  const { database, rowsGeneration } = await readLocation(control, site)
  await (await control.backends.store(database)).migrateSite(site, rowsGeneration)
}

type Wanted = ReturnType<typeof wantedLocation>

/**
 * Records the location of a site before anything is written there, so that the rows and bytes of a killed install are
 * found and removed. A site at the installation's own location needs no record.
 */
export async function recordIntendedLocation(
  control: Control,
  tenant: Tenant,
  wanted: Wanted,
): Promise<SiteLocation | undefined> {
  if (isAt({ database: undefined, storage: undefined }, wanted) && tenant.sealedLocation === null) {
    return undefined
  }
  return changeLocation(control, tenant.site, async (record, db) => {
    if ((await findTenant(db, tenant.id))?.installedAt != null) throw alreadyInstalled(tenant.id)
    if (isAt(record, wanted)) return record
    return { ...record, ...wanted, staleCopies: [...record.staleCopies, ...copiesAt(record)] }
  })
}

const copiesAt = ({ database, storage, rowsGeneration, bytesGeneration, generation }: LocationRecord) => [
  { kind: 'rows', database, rowsGeneration, generation } as const,
  { kind: 'bytes', storage, bytesGeneration } as const,
]

/** Refuses an install if another one has recorded another location meanwhile. */
export function checkIntendedLocation(
  control: Control,
  { id, site, place: sealed }: TenantRow,
  location: SiteLocation | undefined,
): void {
  const record = unsealLocation(control, site, sealed)
  const intended = location ?? { database: undefined, storage: undefined }
  if (!isAt(record, intended)) throw alreadyInstalled(id)
}

/** In the installation's own database, or in that of one tenant. Returns the tables that were not distributed yet. */
export async function distributeTables(control: Control, id: string | undefined): Promise<string[]> {
  if (id === undefined) return control.store.distribute()
  const { site } = await readTenant(control, id)
  const { database } = await readLocation(control, site)
  const store = await control.backends.store(database)
  return store.distribute()
}
