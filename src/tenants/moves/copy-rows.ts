import { createHash } from 'node:crypto'
import { insertSiteRows, type OpenedSite, type SiteDb, type SiteStore, siteRowPages } from '../../db/index.ts'
import { rowsDiffer } from '../errors.ts'

interface RowsCopy {
  site: number
  from: { store: SiteStore; rowsGeneration: number }
  to: { store: SiteStore; rowsGeneration: number }
  onRows: (rows: number) => void
}

const pageSize = 500

/** Copies all rows to the new location and reads them back. The write fence must be closed meanwhile. */
export async function copyRows({ site, from, to, onRows }: RowsCopy): Promise<void> {
  const source = await from.store.snapshotSite(site, from.rowsGeneration)
  try {
    let sent: RowsDigest | undefined
    const draft = await to.store.draftCopy(
      site,
      async (db) => {
        const digest = newDigest()
        for await (const { table, rows } of siteRowPages(source.db, pageSize)) {
          await insertSiteRows(db, table, rows)
          digest.add(table, rows)
          onRows(digest.count)
        }
        sent = digest.end()
      },
      to.rowsGeneration,
    )
    try {
      await draft.publish()
    } finally {
      await draft.discard()
    }
    const found = await whileOpen(await to.store.snapshotSite(site, to.rowsGeneration), digestOf)
    if (JSON.stringify(found) !== JSON.stringify(sent)) throw rowsDiffer()
  } finally {
    await source.close()
  }
}

/** The number of rows of each table, and a hash over their contents. */
interface RowsDigest {
  counts: Record<string, number>
  hash: string
}

function newDigest() {
  const hash = createHash('sha256')
  const counts: Record<string, number> = {}
  const digest = {
    count: 0,
    add(table: string, rows: readonly Readonly<Record<string, unknown>>[]) {
      counts[table] = (counts[table] ?? 0) + rows.length
      digest.count += rows.length
      // The two stores may return columns in different orders.
      for (const row of rows) hash.update(JSON.stringify([table, Object.entries(row).sort(byName)]))
    },
    end: (): RowsDigest => ({ counts, hash: hash.digest('hex') }),
  }
  return digest
}

const byName = ([one]: [string, unknown], [two]: [string, unknown]) => (one < two ? -1 : 1)

async function digestOf(db: SiteDb): Promise<RowsDigest> {
  const digest = newDigest()
  for await (const { table, rows } of siteRowPages(db, pageSize)) digest.add(table, rows)
  return digest.end()
}

async function whileOpen<T>(opened: OpenedSite, read: (db: SiteDb) => Promise<T>): Promise<T> {
  try {
    return await read(opened.db)
  } finally {
    await opened.close()
  }
}
