import type { Control } from '../control/index.ts'
import { bytesFolder } from '../site/index.ts'
import { type LeftCopy, type PlaceRecord, readPlace } from './site-places.ts'

/** Removes all that a site has anywhere, where it is and where a move has brought or left something. May be repeated. */
export async function dropCopies(control: Control, site: number): Promise<void> {
  const record = await readPlace(control, site)
  const { database, storage, rowsAt: placedAt, bytesAt, generation } = record
  // Rows first: an upload that cannot have its row takes its bytes back.
  await (await control.places.store(database)).dropSite(site, placedAt)
  await (await control.places.storage(storage)).removeAll(bytesFolder(site, bytesAt))
  const others: LeftCopy[] = [...record.left, ...unfinishedCopies(record)]
  for (const copy of others) {
    if (copy.kind === 'bytes') await dropCopy(control, site, copy)
    else if (copy.database !== database || copy.placedAt !== placedAt || copy.generation !== generation) {
      await (await control.places.store(copy.database)).dropSite(site, copy.placedAt)
    }
  }
}

/** What a move that was stopped has brought somewhere. */
export function unfinishedCopies({ move, stopped, ...place }: PlaceRecord): LeftCopy[] {
  const copies: LeftCopy[] = []
  if (move && move.rowsAt !== place.rowsAt) {
    const { database, rowsAt: placedAt, generation } = move
    copies.push({ kind: 'rows', database, placedAt, generation })
  }
  const bytes = [move, stopped].filter((copy) => copy !== undefined)
  for (const { storage, bytesAt } of bytes) {
    if (bytesAt !== place.bytesAt) copies.push({ kind: 'bytes', storage, bytesAt })
  }
  return copies
}

/** Removes one copy and nothing that has come after it. */
export async function dropCopy(control: Control, site: number, copy: LeftCopy): Promise<void> {
  if (copy.kind === 'bytes') {
    const storage = await control.places.storage(copy.storage)
    const folder = bytesFolder(site, copy.bytesAt)
    // In the first one the site's rows may lie beside its bytes.
    await storage.removeAll(copy.bytesAt === 0 ? `${folder}/files` : folder)
    return
  }
  const { database, placedAt, generation } = copy
  await (await control.places.store(database)).leaveSite(site, { placedAt, generation })
}
