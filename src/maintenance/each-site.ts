import type { Control } from '../control/index.ts'
import { type SiteRecord, siteRecordsAfter } from './site-records-table.ts'

const pageSize = 500

/** All sites in the order of their numbers, read page by page. */
export async function* eachSite({ store }: Control): AsyncGenerator<SiteRecord> {
  for (let last = 0; ; ) {
    const page = await siteRecordsAfter(store.control, last, pageSize)
    yield* page
    const lastOne = page.at(-1)
    if (!lastOne || page.length < pageSize) return
    last = lastOne.number
  }
}
