import { isOfEndedRights } from '../accounts/index.ts'
import { Refusal } from '../lib/refusal.ts'

/**
 * The result of a verb, or why it was refused: a form then shows the reason at the field. Outages, bugs, and the end of the
 * caller's rights are thrown: no form can mend them.
 */
export async function orRefusal<T>(work: Promise<T>): Promise<T | Refusal> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal && error.kind !== 'unavailable' && !isOfEndedRights(error)) return error
    throw error
  }
}
