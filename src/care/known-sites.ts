import type { Control } from '../control/index.ts'
import { type KnownSite, knownSitesAfter } from './known-sites-table.ts'

const pageSize = 500

/** All sites in the order of their numbers, never all of them at once. */
export async function* eachKnownSite({ store }: Control): AsyncGenerator<KnownSite> {
  for (let last = 0; ; ) {
    const page = await knownSitesAfter(store.control, last, pageSize)
    yield* page
    const lastOne = page.at(-1)
    if (!lastOne || page.length < pageSize) return
    last = lastOne.number
  }
}
