import type { Control } from '../control/index.ts'
import type { Site } from '../site/index.ts'
import { openSite, readPlace, readTenant } from '../tenants/index.ts'
import type { KnownSite } from './known-sites-table.ts'

/** A site as it is now, and as it was at one moment. */
export interface OpenedKnownSite extends AsyncDisposable {
  live: Site
  site: Site
  /** Lets go of the moment before the site: while it is held the store must keep what has changed since. */
  endMoment(): Promise<void>
}

export async function openKnownSite(control: Control, known: KnownSite): Promise<OpenedKnownSite> {
  await using opened = new AsyncDisposableStack()
  const place = await readPlace(control, known.number)
  const address = { number: known.number, hostname: '', values: new Map<string, string>(), place }
  const live = opened.use(
    known.tenantId === null
      ? await control.sites.open(address)
      : await openSite(control, await readTenant(control, known.tenantId)),
  )
  const store = await control.places.store(place.database)
  const snapshot = await store.snapshotSite(known.number, place.rowsAt)
  let isHeld = true
  const endMoment = async () => {
    if (isHeld) await snapshot.close()
    isHeld = false
  }
  opened.defer(endMoment)
  const site = control.sites.over(snapshot.db, live, live.storage)
  const all = opened.move()
  return { live, site, endMoment, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
