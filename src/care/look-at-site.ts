import type { Control } from '../control/index.ts'
import { inspectPlace } from '../db/index.ts'
import type { Site } from '../site/index.ts'
import { readPlace } from '../tenants/index.ts'
import type { Installation, SiteCheck } from './check.ts'
import { siteChecks, siteTables } from './check-list.ts'
import type { Note, Notes } from './finding.ts'
import { findKnownSite, type KnownSite, nameOfSite } from './known-sites-table.ts'
import { openKnownSite } from './open-known-site.ts'
import { tryLook } from './try-look.ts'

/** Every check of one site. One that cannot be opened is told, and is no reason to leave out the others. */
export async function lookAtSite(
  installation: Installation,
  known: KnownSite,
  notes: Notes,
  { isDeep = false }: { isDeep?: boolean | undefined },
): Promise<void> {
  const { control } = installation.app
  const about = { tenant: nameOfSite(known), key: `site ${known.number}` }
  const begin = noteWhileThere(control, known, notes)
  let isWhole = false
  await tryLook(begin(siteTables), about, async (note) => {
    if (known.installedAt === null || known.state === 'dropping') return
    isWhole = await lookAtTables(installation, known, note)
  })
  if (!isWhole) return
  await tryLook(begin(siteTables), about, async () => {
    await using opened = await openKnownSite(control, known)
    const { live, site } = opened
    const look = (check: SiteCheck, at: Site) =>
      tryLook(begin(check), about, (note) => check.look({ ...installation, known, live, site: at }, note))
    for (const check of siteChecks) if (!check.isDeep) await look(check, site)
    if (!isDeep) return
    await opened.endMoment()
    for (const check of siteChecks) if (check.isDeep) await look(check, live)
  })
}

/** A site may be deleted or moved while we are at it: what is found then means nothing. */
function noteWhileThere(control: Control, known: KnownSite, notes: Notes) {
  const isThere = async () => {
    const now = await findKnownSite(control.store.control, known.number)
    return now?.state === known.state && now.place === known.place
  }
  return (check: { name: string; about: string }): Note => {
    const note = notes.begin(check)
    return async (finding) => {
      if (await isThere()) await note(finding)
    }
  }
}

async function lookAtTables(installation: Installation, known: KnownSite, note: Note): Promise<boolean> {
  const { app, config } = installation
  const about = { tenant: nameOfSite(known), key: `site ${known.number}` }
  const { database, rowsAt } = await readPlace(app.control, known.number)
  // One that is elsewhere has an inspector of its own.
  await using elsewhere = database === undefined ? undefined : await inspectPlace(config.dataDir, database)
  const inspector = elsewhere ?? installation.inspector
  const faults = await inspector.faultsOfSite(known.number, rowsAt)
  for (const says of faults)
    await note({ ...about, isFault: true, says, todo: 'Restore this tenant from a backup.' })
  if (faults.length > 0) return false
  const pending = await inspector.pendingSite(known.number, rowsAt)
  if (pending.length === 0) return true
  const repair = async () => {
    const store = await app.control.places.store(database)
    await store.migrateSite(known.number, rowsAt)
    return 'brought up to date'
  }
  const says = `Its tables wait for ${pending.join(', ')}; that is done when it is next opened.`
  await note({ ...about, isFault: false, says, todo: 'tenants database:migrate', repair })
  return false
}
