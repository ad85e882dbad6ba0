import { finishDrops } from '../../../../tenants/index.ts'
import { findRestore, unfinishedKey } from '../../../backup-format/control-copies-table.ts'
import { eachSite } from '../../../each-site.ts'
import { nameOfSite, type SiteRecord } from '../../../site-records-table.ts'
import type { Installation } from '../../check.ts'
import type { Note } from '../../finding.ts'

const unfinished = unfinishedKey('')

export async function checkControlRows({ app: { control } }: Installation, note: Note): Promise<void> {
  if ((await findRestore(control.store.control)) !== undefined) {
    const says = 'A restore was started here and not finished.'
    await note({ isFault: true, key: 'restore', says, todo: 'Repeat it: terrace restore' })
  }
  for await (const site of eachSite(control)) {
    const about = { tenant: nameOfSite(site), key: `site ${site.number}` }
    if (site.state === 'dropping') {
      const repair = async () => {
        await finishDrops(control)
        return 'dropped'
      }
      const todo = 'Start the server, or run: terrace doctor --repair'
      await note({
        ...about,
        isFault: false,
        says: 'It was deleted, but its data are not removed yet.',
        todo,
        repair,
      })
    }
    if (site.idKey.startsWith(unfinished)) {
      const says = `The restore of "${site.idKey.slice(unfinished.length)}" was started and not finished.`
      await note({ ...about, isFault: true, says, todo: 'Repeat it: terrace restore' })
    }
    for (const says of contradictionsOf(site))
      await note({ ...about, isFault: true, says, todo: 'Restore the installation from a backup.' })
  }
}

function* contradictionsOf({ state, tenantId, tenantKey, idKey }: SiteRecord): Generator<string> {
  if (state === 'live' && tenantId === null) yield 'The site is live, but has no tenant.'
  if (state !== 'live' && tenantId !== null) yield `The site of the tenant is ${state}.`
  if (tenantKey !== null && tenantKey !== idKey) yield `The tenant has the site of "${idKey}".`
}
