import type { Installation } from '../../check.ts'
import type { Note } from '../../finding.ts'

/** A table that stayed on the coordinator is not part of a site's transactions on the workers. */
export async function checkDistribution({ inspector }: Installation, note: Note): Promise<void> {
  for (const says of await inspector.faultsOfDistribution())
    await note({ isFault: true, key: 'database', says: `${says}.`, todo: 'Run tenants database:distribute.' })
}
