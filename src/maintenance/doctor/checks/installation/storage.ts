import { Refusal } from '../../../../lib/refusal.ts'
import type { Installation } from '../../check.ts'
import type { Note } from '../../finding.ts'

/** Lists only: a check of write access would have to write. */
export async function checkStorage({ app: { storage } }: Installation, note: Note): Promise<void> {
  try {
    await storage.list('sites', undefined, 1)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const todo = 'Check that the disk is mounted, or the bucket of SERVICE_STORAGE_URL can be reached.'
    await note({ isFault: true, key: storage.kind, says: error.message, todo })
  }
}
