import type { Control } from '../../control/index.ts'
import { type QuotaState, type Site, textOfQuotas } from '../../site/index.ts'
import { findSiteQuotas, updateSiteQuotas } from '../sites-table.ts'

interface ReadQuotas {
  /** Undefined for a site without quotas. */
  quotaStates: readonly QuotaState[] | undefined
  /** Of the site, when the states were read or before. */
  version: number
}

/**
 * Copies the states of a site's quotas to its control row if they have changed. That raises the control version, so every
 * server knows them with its next request. The version of the site keeps an older read from overwriting a newer one.
 */
export async function publishQuotas(
  control: Control,
  { number }: Pick<Site, 'number'>,
  { quotaStates, version }: ReadQuotas,
): Promise<void> {
  if (!quotaStates) return
  const quotas = textOfQuotas(quotaStates)
  // Not what this process wrote last: another server may have written since.
  if ((await findSiteQuotas(control.store.control, number)) === quotas) return
  await control.store.changeControl((db) => updateSiteQuotas(db, number, { quotas, version }))
}
