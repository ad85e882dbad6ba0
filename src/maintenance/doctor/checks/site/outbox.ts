import { isKeyOwned } from '../../../../media/index.ts'
import { changeSite } from '../../../../tenants/index.ts'
import { nameOfSite } from '../../../site-records-table.ts'
import { dayMs, type InspectedSite } from '../../check.ts'
import type { Note } from '../../finding.ts'
import { deleteRemoval, removalsBefore } from '../../leftovers-table.ts'

const maxReported = 1_000

export async function checkOutbox({ app, record, site, live }: InspectedSite, note: Note): Promise<void> {
  const before = new Date(site.clock.now().getTime() - dayMs)
  for (const { id, path, requestedAt } of await removalsBefore(site.db, before, maxReported)) {
    const repair = async () => {
      if (!(await isKeyOwned(live.db, path))) await live.storage.remove([path])
      await changeSite(app.control, live, ({ db }) => deleteRemoval(db, id))
      return 'bytes and removal record removed'
    }
    const tenant = nameOfSite(record)
    const says = `Its file was removed at ${requestedAt}, and its bytes were not.`
    const todo = `tenants jobs:worker --id ${tenant} --once, or: terrace doctor --repair`
    await note({ isFault: false, tenant, key: path, says, todo, repair })
  }
}
