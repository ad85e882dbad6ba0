import type { Control } from '../control.ts'
import {
  type ControlAuditEntry,
  type ControlAuditFilter,
  type ControlAuditPage,
  controlAuditBefore,
} from './control-audit-list-table.ts'
import type { ControlVerb } from './control-verbs.ts'

/** A page of the installation's audit log, newest first: the rows before one of them. */
export const listControlAudit = (
  { store }: Control,
  filter: ControlAuditFilter,
  page: ControlAuditPage,
): Promise<ControlAuditEntry[]> => controlAuditBefore(store.control, filter, page)

const batchSize = 500

/** Every row that the filter lets through, newest first, in batches: an export of years must not be in memory at once. */
export async function* walkControlAudit(
  control: Control,
  filter: ControlAuditFilter,
): AsyncGenerator<ControlAuditEntry[]> {
  for (let before: number | undefined; ; ) {
    const rows = await listControlAudit(control, filter, { before, limit: batchSize })
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    before = rows.at(-1)?.sequence
  }
}

/**
 * The last change of what has this id: who has changed it, and when. Without a verb every change counts, also that of a plan
 * whose id a tenant has.
 */
export async function lastChangeOf(
  control: Control,
  { verb, target }: { verb?: ControlVerb | readonly ControlVerb[]; target: string },
): Promise<ControlAuditEntry | undefined> {
  const verbs = typeof verb === 'string' ? [verb] : verb
  const [last] = await listControlAudit(control, { verbs, target }, { limit: 1 })
  return last
}
