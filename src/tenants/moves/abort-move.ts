import type { Control } from '../../control/index.ts'
import { unfinishedCopies } from '../locations/drop-copies.ts'
import { changeLocation, type LocationRecord } from '../locations/site-locations.ts'
import { isAbandoned } from './lease.ts'

interface Abort {
  /** Aborts only this move; without it, the move must be abandoned. */
  generation?: number
  /** Keeps the copied bytes for the next move to this storage. */
  keepsBytes: boolean
}

/**
 * Aborts an unfinished move. The control row forgets the move first, so that its process can no longer hand the site
 * over; only then does the write fence open again.
 */
export async function abortMove(control: Control, site: number, abort: Abort): Promise<void> {
  let aborted: LocationRecord['move']
  const record = await changeLocation(control, site, (known) => {
    const { move, ...rest } = known
    if (!move) return undefined
    const isMeant =
      abort.generation === undefined ? isAbandoned(control, move) : move.generation === abort.generation
    if (!isMeant) return undefined
    aborted = move
    const copies = unfinishedCopies({ ...rest, move })
    const keepsBytes = abort.keepsBytes && move.bytesGeneration !== rest.bytesGeneration
    const { storage, bytesGeneration } = move
    return {
      ...rest,
      staleCopies: [...rest.staleCopies, ...copies.filter(({ kind }) => kind === 'rows' || !keepsBytes)],
      ...(keepsBytes
        ? { abortedMove: { storage, bytesGeneration, at: control.clock.now().toISOString() } }
        : {}),
    }
  })
  if (!record || !aborted) return
  await openWriteFence(control, site, record, aborted.generation)
}

/** Lets processes write again that know the site's current generation. */
async function openWriteFence(
  control: Control,
  site: number,
  record: LocationRecord,
  from: number,
): Promise<void> {
  const store = await control.backends.store(record.database)
  await store.setWriteFence(site, { rowsGeneration: record.rowsGeneration, from, to: record.generation })
}

/** Turns the bytes that an aborted move has copied into a stale copy. */
export async function giveUpCopiedBytes(control: Control, site: number): Promise<void> {
  await changeLocation(control, site, ({ abortedMove, ...record }) => {
    if (!abortedMove || record.move?.bytesGeneration === abortedMove.bytesGeneration) return undefined
    const { storage, bytesGeneration } = abortedMove
    return { ...record, staleCopies: [...record.staleCopies, { kind: 'bytes', storage, bytesGeneration }] }
  })
}
