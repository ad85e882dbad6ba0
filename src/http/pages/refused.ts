import { Refusal } from '../../lib/refusal.ts'

/** The result of a verb, or why it was refused: a form then shows the reason at the field. Outages and bugs are thrown. */
export async function orRefusal<T>(work: Promise<T>): Promise<T | Refusal> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal && error.kind !== 'unavailable') return error
    throw error
  }
}
