import type { Control } from '../../control/index.ts'
import { isSameLocation } from '../../site/index.ts'
import { dropCopy } from '../locations/drop-copies.ts'
import {
  changeLocation,
  type LocationRecord,
  readLocation,
  type StaleCopy,
} from '../locations/site-locations.ts'
import { rescueBytes } from './rescue-bytes.ts'

/** Removes the stale copies that moves have left, one after the other. May be repeated. */
export async function removeStaleCopies(control: Control, site: number): Promise<void> {
  for (;;) {
    const record = await readLocation(control, site)
    const [copy] = record.left
    if (!copy) return
    // Two URLs may name one location: then the listed copy is the site itself and must stay.
    if (!isSiteItself(record, copy)) {
      if (copy.kind === 'bytes') await rescueBytes(control, site, record, copy)
      await dropCopy(control, site, copy)
    }
    await changeLocation(control, site, (record) => ({
      ...record,
      left: record.left.filter((other) => !isSameCopy(other, copy)),
    }))
  }
}

function isSiteItself({ database, rowsAt, storage, bytesAt }: LocationRecord, copy: StaleCopy): boolean {
  return copy.kind === 'bytes'
    ? copy.bytesAt === bytesAt && isSameLocation(copy.storage, storage)
    : copy.placedAt === rowsAt && isSameLocation(copy.database, database)
}

const isSameCopy = (one: StaleCopy, two: StaleCopy) => JSON.stringify(one) === JSON.stringify(two)
