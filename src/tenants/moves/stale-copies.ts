import type { Control } from '../../control/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { isSameLocation } from '../../site/index.ts'
import { dropCopy } from '../locations/drop-copies.ts'
import {
  changeLocation,
  type LocationRecord,
  readLocation,
  type StaleCopy,
} from '../locations/site-locations.ts'
import { rescueBytes } from './rescue-bytes.ts'

/** How long a copy is kept, after it was found to be the last one of some bytes, before it is looked at again. */
const keptMs = 24 * 60 * 60_000

/** Whether a copy was kept lately: to prove all bytes of a site again every minute would cost too much. */
export const isKeptLately = ({ clock }: Control, copy: StaleCopy): boolean =>
  copy.kind === 'bytes' &&
  copy.keptAt !== undefined &&
  clock.now().getTime() - Date.parse(copy.keptAt) < keptMs

/**
 * Removes the stale copies that moves have left, one after the other. May be repeated. Throws at the end if one was kept,
 * because it may have the last sound bytes of a file.
 */
export async function removeStaleCopies(
  control: Control,
  site: number,
  { skipsKept = false }: { skipsKept?: boolean } = {},
): Promise<void> {
  let kept: Refusal | undefined
  for (const copy of (await readLocation(control, site)).staleCopies) {
    if (skipsKept && isKeptLately(control, copy)) continue
    try {
      await removeStaleCopy(control, site, copy)
      await changeCopies(control, site, (staleCopies) =>
        staleCopies.filter((other) => !isSameCopy(other, copy)),
      )
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'old-copy-kept') throw error
      kept = error
      const keptAt = control.clock.now().toISOString()
      await changeCopies(control, site, (staleCopies) =>
        staleCopies.map((other) => (isSameCopy(other, copy) ? { ...copy, keptAt } : other)),
      )
    }
  }
  if (kept) throw kept
}

async function removeStaleCopy(control: Control, site: number, copy: StaleCopy): Promise<void> {
  const record = await readLocation(control, site)
  // Two URLs may name one location: then the listed copy is the site itself and must stay.
  if (isSiteItself(record, copy)) return
  if (copy.kind === 'bytes') await rescueBytes(control, site, record, copy)
  await dropCopy(control, site, copy)
}

const changeCopies = (
  control: Control,
  site: number,
  change: (staleCopies: LocationRecord['staleCopies']) => LocationRecord['staleCopies'],
) => changeLocation(control, site, (record) => ({ ...record, staleCopies: change(record.staleCopies) }))

function isSiteItself(
  { database, rowsGeneration, storage, bytesGeneration }: LocationRecord,
  copy: StaleCopy,
): boolean {
  return copy.kind === 'bytes'
    ? copy.bytesGeneration === bytesGeneration && isSameLocation(copy.storage, storage)
    : copy.rowsGeneration === rowsGeneration && isSameLocation(copy.database, database)
}

const isSameCopy = (one: StaleCopy, two: StaleCopy) => JSON.stringify(one) === JSON.stringify(two)
