import { Refusal } from '../../lib/refusal.ts'
import type { Installation } from '../check.ts'
import type { Note } from '../finding.ts'

/** Asked for a list only: whether it can be written would have to be tried. */
export async function checkStorage({ app: { storage } }: Installation, note: Note): Promise<void> {
  try {
    await storage.list('sites', undefined, 1)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const todo = 'See whether the disk is mounted, or the bucket can be reached: SERVICE_STORAGE_URL.'
    await note({ isFault: true, key: storage.kind, says: error.message, todo })
  }
}
