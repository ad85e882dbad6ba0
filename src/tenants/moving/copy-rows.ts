import { createHash } from 'node:crypto'
import { insertSiteRows, type OpenedSite, type SiteDb, type SiteStore, siteRowPages } from '../../db/index.ts'
import { rowsDiffer } from '../errors.ts'

interface RowsCopy {
  site: number
  from: { store: SiteStore; placedAt: number }
  to: { store: SiteStore; placedAt: number }
  onRows: (rows: number) => void
}

const pageSize = 500

/** Puts a copy of all rows at the new place and reads it back. Nobody may write the old ones meanwhile. */
export async function copyRows({ site, from, to, onRows }: RowsCopy): Promise<void> {
  const source = await from.store.snapshotSite(site, from.placedAt)
  try {
    let sent: RowsSum | undefined
    const draft = await to.store.draftCopy(
      site,
      async (db) => {
        const sum = newSum()
        for await (const { table, rows } of siteRowPages(source.db, pageSize)) {
          await insertSiteRows(db, table, rows)
          sum.add(table, rows)
          onRows(sum.count)
        }
        sent = sum.end()
      },
      to.placedAt,
    )
    try {
      await draft.place()
    } finally {
      await draft.discard()
    }
    const found = await whileOpen(await to.store.snapshotSite(site, to.placedAt), sumOf)
    if (JSON.stringify(found) !== JSON.stringify(sent)) throw rowsDiffer()
  } finally {
    await source.close()
  }
}

/** How many rows each table has, and a hash over all that is in them. */
interface RowsSum {
  counts: Record<string, number>
  hash: string
}

function newSum() {
  const hash = createHash('sha256')
  const counts: Record<string, number> = {}
  const sum = {
    count: 0,
    add(table: string, rows: readonly Readonly<Record<string, unknown>>[]) {
      counts[table] = (counts[table] ?? 0) + rows.length
      sum.count += rows.length
      // The stores need not tell the columns in the same order.
      for (const row of rows) hash.update(JSON.stringify([table, Object.entries(row).sort(byName)]))
    },
    end: (): RowsSum => ({ counts, hash: hash.digest('hex') }),
  }
  return sum
}

const byName = ([one]: [string, unknown], [two]: [string, unknown]) => (one < two ? -1 : 1)

async function sumOf(db: SiteDb): Promise<RowsSum> {
  const sum = newSum()
  for await (const { table, rows } of siteRowPages(db, pageSize)) sum.add(table, rows)
  return sum.end()
}

async function whileOpen<T>(opened: OpenedSite, read: (db: SiteDb) => Promise<T>): Promise<T> {
  try {
    return await read(opened.db)
  } finally {
    await opened.close()
  }
}
