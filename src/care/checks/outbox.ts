import { hasFile, idOfKey } from '../../media/index.ts'
import { dayMs, type SiteUnderCare } from '../check.ts'
import type { Note } from '../finding.ts'
import { nameOfSite } from '../known-sites-table.ts'
import { deleteRemoval, removalsBefore } from '../leftovers-table.ts'

const mostTold = 1_000

export async function checkOutbox({ known, site, live }: SiteUnderCare, note: Note): Promise<void> {
  const before = new Date(site.clock.now().getTime() - dayMs)
  for (const { id, path, requestedAt } of await removalsBefore(site.db, before, mostTold)) {
    const repair = async () => {
      if (!(await hasFile(live.db, idOfKey(path)))) await live.storage.remove([path])
      await deleteRemoval(live.db, id)
      return 'bytes and note removed'
    }
    const tenant = nameOfSite(known)
    const says = `Its file was removed at ${requestedAt}, and its bytes were not.`
    const todo = `tenants jobs:worker --id ${tenant} --once, or: terrace doctor --repair`
    await note({ isFault: false, tenant, key: path, says, todo, repair })
  }
}
