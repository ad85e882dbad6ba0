import { type Guard, kyselyOfPool, openPool } from './postgres-connection.ts'
import { guardSite } from './site-guard.ts'
import { siteScope } from './site-scope.ts'
import type { OpenedSite } from './store.ts'
import type { SiteTables } from './tables.ts'

/** One connection of its own in a transaction that sees what was there at its first look, behind both walls. */
export async function openPostgresSnapshot(
  url: string,
  site: number,
  onFault: (error: Error) => void,
): Promise<OpenedSite> {
  // Whoever reads it may write slowly elsewhere between two pages.
  const pool = openPool(url, onFault, { max: 1, idle_in_transaction_session_timeout: 0 })
  const guard: Guard = (query) => guardSite(query, site)
  try {
    const db = await kyselyOfPool<SiteTables>(pool, { guard })
      .withPlugin(siteScope(site))
      .startTransaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute()
    const close = async () => {
      try {
        await db.rollback().execute()
      } finally {
        await pool.end()
      }
    }
    // The transaction sees from its first statement on.
    await db
      .selectFrom('setting')
      .select('name')
      .limit(1)
      .execute()
      .catch(async (error) => {
        await db.rollback().execute()
        throw error
      })
    return { db, close }
  } catch (error) {
    await pool.end()
    throw error
  }
}
