import { Refusal } from '../lib/refusal.ts'
import type { NewFinding, Note } from './finding.ts'

/** What cannot be looked at is a finding too, and no reason to leave out the rest. */
export async function tryLook(
  note: Note,
  about: Pick<NewFinding, 'tenant' | 'key'>,
  look: (note: Note) => Promise<void>,
): Promise<void> {
  try {
    await look(note)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const todo = 'See whether the store and the storage can be reached, then repeat this.'
    await note({ ...about, isFault: true, says: error.message, todo })
  }
}
