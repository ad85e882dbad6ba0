import { type Control, type ControlChange, isAbandoned } from '../../control/index.ts'
import { beingMoved, nothingToMove, notMovable } from '../errors.ts'
import {
  partsToMove,
  readLocation,
  shownAddress,
  startOfMove,
  wantedLocation,
} from '../locations/site-locations.ts'
import { readTenant } from '../tenants.ts'
import { valuesOfTenant } from '../values/effective.ts'

/** Where the rows and bytes of a tenant are, and where its values say; undefined is the installation's own. */
export interface TenantLocations {
  isInstalled: boolean
  now: ShownLocation
  wanted: ShownLocation
  /** What has to be moved. */
  parts: readonly ('database' | 'storage')[]
  /** Whether a process moves the tenant, such as the tool. */
  isMoving: boolean
}

/** Without user names and passwords. */
interface ShownLocation {
  database: string | undefined
  storage: string | undefined
}

export async function readLocations(control: Control, id: string): Promise<TenantLocations> {
  const { isInstalled, site } = await readTenant(control, id)
  const { move, ...location } = await readLocation(control, site)
  return {
    isInstalled,
    now: shown(location),
    wanted: shown(wantedLocation(control, await valuesOfTenant(control, id))),
    parts: await partsToMove(control, id),
    isMoving: move !== undefined && !isAbandoned(control, move),
  }
}

const shown = ({ database, storage }: ReturnType<typeof wantedLocation>): ShownLocation => ({
  database: shownAddress(database),
  storage: shownAddress(storage),
})

/** Refuses a move that has nothing to do, or that another one is in the way of. For the audit log. */
export async function planMove(control: Control, id: string): Promise<ControlChange> {
  const tenant = await readTenant(control, id)
  if (!tenant.isInstalled) throw notMovable(id)
  const { move } = await readLocation(control, tenant.site)
  if (move && !isAbandoned(control, move)) throw beingMoved(move.until)
  if ((await partsToMove(control, id)).length === 0) throw nothingToMove(id)
  return startOfMove(id, wantedLocation(control, await valuesOfTenant(control, id)))
}
