import { originOf, type SiteDb } from '../../db/index.ts'
import type { Clock } from '../../lib/clock.ts'

/** Sites with purges that are not in the control database yet. It exists if this installation sends purges. */
export class PurgeQueue {
  readonly #sites = new Set<number>()
  #onAdded: () => void = () => undefined

  /** After the commit of its rows, and for a site that a killed process may have left some in. */
  add(site: number): void {
    this.#sites.add(site)
    this.#onAdded()
  }

  takeAll(): number[] {
    const sites = [...this.#sites]
    this.#sites.clear()
    return sites
  }

  onAdded(added: () => void): void {
    this.#onAdded = added
    if (this.#sites.size > 0) added()
  }
}

/** What a row function needs to write a purge. */
interface Purging {
  site: number
  hostname: string
  clock: Clock
  queue: PurgeQueue
}

const purgings = new WeakMap<object, Purging>()

/** Changes of the site by this database, and by its transactions, write purges. */
export const writePurges = (db: SiteDb, purging: Purging): void => void purgings.set(originOf(db), purging)

/** Undefined if this installation sends no purges. */
export const purgingOf = (db: SiteDb): Purging | undefined => purgings.get(originOf(db))
