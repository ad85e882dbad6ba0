import { guardSite } from '../sites/guard.ts'
import { siteScope } from '../sites/scope.ts'
import type { OpenedSite } from '../store.ts'
import type { SiteTables } from '../tables.ts'
import { type Guard, kyselyOfPool, openPool } from './connection.ts'
import type { PostgresHosts } from './hosts/hosts.ts'

/** A connection of its own in a repeatable-read transaction, with both isolation layers. */
export async function openPostgresSnapshot(
  hosts: PostgresHosts,
  site: number,
  onFault: (error: Error) => void,
): Promise<OpenedSite> {
  // A move or backup may take long to write a page elsewhere before it reads the next one.
  const pool = openPool(hosts, { onFault, most: 1, timeouts: { idle_in_transaction_session_timeout: 0 } })
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
    // The snapshot is taken by the first statement.
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
