import type { Control } from '../control/index.ts'
import type { SitePlace } from '../site/index.ts'
import { alreadyInstalled } from './errors.ts'
import { changePlace, isAt, type PlaceRecord, unsealPlace, type wantedPlace } from './site-places.ts'
import type { Tenant } from './tenants.ts'
import { findTenant, type TenantRow } from './tenants-table.ts'

type Wanted = ReturnType<typeof wantedPlace>

/**
 * Writes down where a site is about to be made, before anything is made there: what a killed install leaves elsewhere
 * would else be known to nobody. Nothing to do where the installation itself is.
 */
export async function announcePlace(
  control: Control,
  tenant: Tenant,
  wanted: Wanted,
): Promise<SitePlace | undefined> {
  if (isAt({ database: undefined, storage: undefined }, wanted) && tenant.sealedPlace === null) {
    return undefined
  }
  return changePlace(control, tenant.site, async (record, db) => {
    if ((await findTenant(db, tenant.id))?.installedAt != null) throw alreadyInstalled(tenant.id)
    if (isAt(record, wanted)) return record
    return { ...record, ...wanted, left: [...record.left, ...copiesAt(record)] }
  })
}

const copiesAt = ({ database, storage, rowsAt, bytesAt, generation }: PlaceRecord) => [
  { kind: 'rows', database, placedAt: rowsAt, generation } as const,
  { kind: 'bytes', storage, bytesAt } as const,
]

/** Another install may have announced another place meanwhile. */
export function checkAnnounced(
  control: Control,
  { id, site, place: sealed }: TenantRow,
  place: SitePlace | undefined,
): void {
  const record = unsealPlace(control, site, sealed)
  const announced = place ?? { database: undefined, storage: undefined }
  if (!isAt(record, announced)) throw alreadyInstalled(id)
}
