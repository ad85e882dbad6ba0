import { type Control, type ControlChange, isAbandoned } from '../../control/index.ts'
import { beingMoved, nothingToMove, notMovable } from '../errors.ts'
import {
  partsToMove,
  readLocation,
  shownAddress,
  startOfMove,
  wantedLocation,
} from '../locations/site-locations.ts'
import { readReadableTenant, readTenant } from '../tenants.ts'
import { valuesOfTenant } from '../values/effective.ts'
import { undefinedIfUnreadable } from '../values/field-rules.ts'

/** Where the rows and bytes of a tenant are, and where its values say; undefined is the installation's own. */
export interface TenantLocations {
  isInstalled: boolean
  /** Undefined if it cannot be decrypted. */
  now: ShownLocation | undefined
  /** Undefined if the values of the tenant or its plan cannot be decrypted. */
  wanted: ShownLocation | undefined
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
  const { isInstalled, site } = await readReadableTenant(control, id)
  const record = await readLocation(control, site).catch(undefinedIfUnreadable)
  const values = await valuesOfTenant(control, id).catch(undefinedIfUnreadable)
  return {
    isInstalled,
    now: record && shown(record),
    wanted: values && shown(wantedLocation(control, values)),
    parts: record && values ? await partsToMove(control, id) : [],
    isMoving: record?.move !== undefined && !isAbandoned(control, record.move),
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
