import type { Control } from '../../control/index.ts'
import { bytesFolder, noTotals } from '../../site/index.ts'
import { findLocation } from '../sites-table.ts'
import { keyOfId } from '../values/field-rules.ts'
import { dropSite } from './removal.ts'
import {
  deleteStart,
  dropUnfinishedSites,
  giveUpUnfinishedSite,
  insertUnfinishedSite,
  unfinishedSitesBefore,
} from './unfinished-sites-table.ts'

/** Takes a new site for a tenant that is made with it. What an earlier attempt for the id has left is removed. */
export async function beginSite(control: Control, id: string): Promise<number> {
  const idKey = keyOfId(id)
  const [left, site] = await control.store.changeControl(async (db) => {
    const dropping = await dropUnfinishedSites(db, idKey)
    for (const number of dropping) await deleteStart(db, number)
    const now = control.clock.now()
    const stats = JSON.stringify(noTotals)
    return [dropping, await insertUnfinishedSite(db, { idKey, stats, now })] as const
  })
  // What cannot be dropped now is dropped by the job `finish-drops`.
  for (const number of left) await dropSite(control, number).catch(() => undefined)
  return site
}

/** Removes rows and bytes; after a failure the job `finish-drops` does. */
export async function giveUp(control: Control, site: number): Promise<void> {
  const isOurs = await control.store
    .changeControl(async (db) => {
      await deleteStart(db, site)
      return giveUpUnfinishedSite(db, site)
    })
    .catch(() => false)
  if (isOurs) await dropSite(control, site).catch(() => undefined)
  else await dropStrays(control, site).catch(() => undefined)
}

/** A later attempt has dropped the site while this one was still writing to it. */
async function dropStrays({ store, backends }: Control, site: number): Promise<void> {
  if ((await findLocation(store.control, site)) !== undefined) return
  await store.dropSite(site)
  await backends.own.storage.removeAll(bytesFolder(site, 0))
}

/** After this time no process goes on with an import. */
const abandonedMs = 7 * 24 * 60 * 60_000

/** Removes what killed imports and creations have left. Returns the number of sites dropped. */
export async function dropAbandonedImports(control: Control): Promise<number> {
  const before = new Date(control.clock.now().getTime() - abandonedMs)
  const sites = await unfinishedSitesBefore(control.store.control, before)
  for (const site of sites) await giveUp(control, site)
  return sites.length
}
