import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Control } from '../../control/index.ts'
import { keepAlive } from '../../lib/files/live-entries.ts'
import { randomHex } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import { type FileKeys, fileKeysAfter, isKeyOwned } from '../../media/index.ts'
import { isSameLocation } from '../../site/index.ts'
import type { KnownBytes } from '../../storage/index.ts'
import { oldCopyKept } from '../errors.ts'
import { dropCopy, removeBytesOfRows } from '../locations/drop-copies.ts'
import {
  changeLocation,
  type LocationRecord,
  readLocation,
  type StaleCopy,
} from '../locations/site-locations.ts'
import { isSiteInstalled } from '../sites-table.ts'
import { copyFile } from './copy-bytes.ts'

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

const pageSize = 500
const maxParallel = 8

/**
 * Runs before a stale copy is removed: at the site's location every key of every row must have the bytes that the row knows.
 * Bytes that only the stale copy has are copied over. If a key is proven at neither place, the stale copy is kept as a whole,
 * because it may be the last one. Then the keys of the rows are removed one by one, because a bucket's listing may be
 * incomplete.
 */
async function rescueBytes(
  control: Control,
  site: number,
  record: LocationRecord,
  copy: StaleCopy & { kind: 'bytes' },
): Promise<void> {
  if (!(await isSiteInstalled(control.store.control, site))) return
  const { backends } = control
  const spool = join(backends.dataDir, 'moving', `rescue-${site}-${randomHex(6)}`)
  using _kept = keepAlive(spool)
  const store = await backends.store(record.database)
  const rows = await store.openSite(site, {
    rowsGeneration: record.rowsGeneration,
    generation: record.generation,
  })
  try {
    await mkdir(spool, { recursive: true, mode: 0o700 })
    const ends = { from: await backends.bytes(site, copy), to: await backends.bytes(site, record), spool }
    const unproven: string[] = []
    const prove = async (known: KnownBytes) => {
      const { state } = await copyFile(ends, known)
      const isSound = state === 'equal' || state === 'copied'
      if (!isSound && (await isKeyOwned(rows.db, known.key))) unproven.push(known.key)
    }
    for (let last: string | undefined = ''; last !== undefined; ) {
      const page: FileKeys[] = await fileKeysAfter(rows.db, last, pageSize)
      const keys = page.flatMap((file) => file.keys)
      for (let start = 0; start < keys.length; start += maxParallel) {
        const batch = keys.slice(start, start + maxParallel)
        await Promise.all(batch.map(prove))
      }
      last = page.at(-1)?.id
    }
    if (unproven.length > 0) throw oldCopyKept(unproven)
    await removeBytesOfRows(rows.db, ends.from)
  } finally {
    await rows.close()
    await rm(spool, { recursive: true, force: true })
  }
}
