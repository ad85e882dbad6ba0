import type { Control } from '../../control/index.ts'
import type { SiteLocation } from '../../site/index.ts'
import { alreadyInstalled } from '../errors.ts'
import type { Tenant } from '../tenants.ts'
import { findTenant, type TenantRow } from '../tenants-table.ts'
import {
  changeLocation,
  isAt,
  type LocationRecord,
  unsealLocation,
  type wantedLocation,
} from './site-locations.ts'

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
