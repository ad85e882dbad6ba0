import { inTransaction } from '../../db/index.ts'
import type { Control } from '../control.ts'
import { badKey } from '../errors.ts'
import { deleteNonces, insertNonce } from './keys-table.ts'

/** Longer than any signature is accepted. */
const keptMs = 15 * 60_000

/** Deletes nonces whose signatures are no longer accepted. */
export const pruneNonces = (control: Control): Promise<number> =>
  deleteNonces(control.store.control, control.clock.now())

/** A nonce is accepted once, by all servers and across restarts. */
export async function takeNonce(control: Control, nonce: string): Promise<void> {
  const now = control.clock.now()
  const isNew = await inTransaction(control.store.control, async (db) => {
    await deleteNonces(db, now)
    return insertNonce(db, nonce, new Date(now.getTime() + keptMs))
  })
  if (!isNew) throw badKey()
}
