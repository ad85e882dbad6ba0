import type { Control } from '../control/index.ts'
import type { ControlDb } from '../db/index.ts'
import { ownPlace, type SitePlace, type SiteValues } from '../site/index.ts'
import { valuesOfTenant } from './effective.ts'
import { tenantNotFound } from './errors.ts'
import { readSealed } from './sealed-values.ts'
import { findPlace, updatePlace } from './sites-table.ts'
import { readTenant, type Tenant } from './tenants.ts'

/** Rows or bytes that are to be removed: left by a move, or brought by one that came to nothing. */
export type LeftCopy =
  | { kind: 'rows'; database: string | undefined; placedAt: number; generation: number }
  | { kind: 'bytes'; storage: string | undefined; bytesAt: number }

/** A move under way. Whoever finds it over time may end it, and then it can come to nothing any more. */
export interface Move {
  generation: number
  database: string | undefined
  storage: string | undefined
  rowsAt: number
  bytesAt: number
  until: string
  /** Who is at it, as `process@machine`. */
  by: string
}

/** All that is known of where a site is. Kept sealed, because the URLs hold passwords. */
export interface PlaceRecord extends SitePlace {
  /** The highest generation that was ever given out. */
  last: number
  move?: Move | undefined
  /** Bytes of a move that stopped, for the next one to the same storage. */
  stopped?: { storage: string | undefined; bytesAt: number; at: string } | undefined
  left: readonly LeftCopy[]
  movedAt?: string | undefined
}

export const firstRecord: PlaceRecord = { ...ownPlace, last: 0, left: [] }

export const ownerOfPlace = (site: number) => `place of site ${site}` as const

export function unsealPlace(control: Control, site: number, sealed: string | null): PlaceRecord {
  return sealed === null
    ? firstRecord
    : { ...firstRecord, ...JSON.parse(control.keyRing.unseal(sealed, ownerOfPlace(site))) }
}

/** Nothing is stored for a site that was never elsewhere. */
function sealPlace(control: Control, site: number, record: PlaceRecord): string | null {
  const isFirst = record.last === 0 && !record.database && !record.storage && record.left.length === 0
  return isFirst ? null : control.keyRing.seal(JSON.stringify(record), ownerOfPlace(site))
}

export function readPlace(control: Control, site: number): Promise<PlaceRecord> {
  return readSealed(() => storedPlace(control, control.store.control, site))
}

/** For the inside of a control change. */
export async function storedPlace(control: Control, db: ControlDb, site: number): Promise<PlaceRecord> {
  const sealed = await findPlace(db, site)
  if (sealed === undefined) throw tenantNotFound()
  return unsealPlace(control, site, sealed)
}

/** Changes what is known of a place, alone with all control rows; nothing is changed where nothing is answered. */
export function changePlace(
  control: Control,
  site: number,
  change: (record: PlaceRecord, db: ControlDb) => Promise<PlaceRecord | undefined> | PlaceRecord | undefined,
): Promise<PlaceRecord | undefined> {
  return control.store.changeControl(async (db) => {
    const changed = await change(await storedPlace(control, db, site), db)
    if (changed) await updatePlace(db, site, sealPlace(control, site, changed))
    return changed
  })
}

/** Where a tenant's values say that it should be. */
export function wantedPlace(control: Control, values: SiteValues) {
  const value = (name: string) => values.get(name) || undefined
  return control.places.normal({
    database: value('SERVICE_DATABASE_URL'),
    storage: value('SERVICE_STORAGE_URL'),
  })
}

export const isAt = (
  place: Pick<SitePlace, 'database' | 'storage'>,
  wanted: ReturnType<typeof wantedPlace>,
): boolean => place.database === wanted.database && place.storage === wanted.storage

/** Which of its two parts an installed tenant has elsewhere than its values say; none where `tenants move` has nothing to do. */
export async function misplacedParts(control: Control, id: string): Promise<('database' | 'storage')[]> {
  const tenant = await readTenant(control, id)
  if (!tenant.isInstalled) return []
  const place = await readPlace(control, tenant.site)
  const wanted = wantedPlace(control, await valuesOfTenant(control, id))
  return (['database', 'storage'] as const).filter((part) => place[part] !== wanted[part])
}

const places = new WeakMap<Tenant, PlaceRecord>()

/** The place of a tenant as the tenant was read. */
export function placeOfTenant(control: Control, tenant: Tenant): PlaceRecord {
  let place = places.get(tenant)
  if (!place) {
    place = unsealPlace(control, tenant.site, tenant.sealedPlace)
    places.set(tenant, place)
  }
  return place
}
