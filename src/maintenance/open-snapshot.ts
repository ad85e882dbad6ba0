import type { Control } from '../control/index.ts'
import type { Site } from '../site/index.ts'
import { openSite, readLocation, readTenant } from '../tenants/index.ts'
import type { SiteRecord } from './site-records-table.ts'

/** A site as it is now, and a snapshot of its rows. */
export interface SiteSnapshot extends AsyncDisposable {
  /** As it is now. */
  live: Site
  /** Over the snapshot. */
  site: Site
  /** Closes the snapshot early: while it is open the database must keep every older row version. */
  closeSnapshot(): Promise<void>
}

export async function openSnapshot(control: Control, record: SiteRecord): Promise<SiteSnapshot> {
  await using opened = new AsyncDisposableStack()
  const location = await readLocation(control, record.number)
  const address = { number: record.number, hostname: '', values: new Map<string, string>(), location }
  const live = opened.use(
    record.tenantId === null
      ? await control.sites.open(address)
      : await openSite(control, await readTenant(control, record.tenantId)),
  )
  const store = await control.backends.store(location.database)
  const snapshot = await store.snapshotSite(record.number, location.rowsGeneration)
  let isOpen = true
  const closeSnapshot = async () => {
    if (isOpen) await snapshot.close()
    isOpen = false
  }
  opened.defer(closeSnapshot)
  const site = control.sites.over(snapshot.db, live, live.storage)
  const all = opened.move()
  return { live, site, closeSnapshot, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
