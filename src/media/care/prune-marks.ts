import { careDueAt, carryOn, type SiteJob } from '../../site/index.ts'
import { deleteAllMarksBefore } from '../flood-table.ts'

const keptMs = 31 * 24 * 60 * 60_000

/** Forgets the uploads that no flood limit looks back to; those of addresses that come again go by themselves. */
export const pruneMarks: SiteJob = {
  name: 'prune-marks',
  does: 'old upload marks forgotten',
  dueAt: (landmarks, values) => careDueAt('prune-marks', landmarks, values),
  async run(site, shift) {
    let count = 0
    const before = new Date(site.clock.now().getTime() - keptMs)
    await carryOn(site, shift, {
      name: 'prune-marks',
      async page() {
        count = await shift.change((db) => deleteAllMarksBefore(db, before))
        return undefined
      },
    })
    return count
  },
}
