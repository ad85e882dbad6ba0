import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { ChangeRecords } from '../store.ts'
import type { ControlDb } from '../tables.ts'
import { inTransaction } from '../transaction.ts'

/** Any number but those of migrations and claims: the first half of the lock that a process holds while it lives. */
const lockSpace = 7_238_119

const mostServer = 2 ** 31 - 1
const deletedAtOnce = 1_000

/** Which sites this process has changed. Others see that it lives by a lock of its session, which ends with it. */
export interface OwnChangeRecords extends ChangeRecords {
  /** For the connection that lives as long as the process. Shared: a connection that is replaced may still hold it. */
  readonly lockStatement: string
  /** The connection is lost: another process may take this one for dead, and delete its records. */
  forgetWritten(): void
}

export function openChangeRecords(control: ControlDb): OwnChangeRecords {
  const server = randomInt(1, mostServer)
  const written = new Map<number, Promise<void>>()

  async function write(site: number): Promise<void> {
    try {
      await control
        .insertInto('changeRecord')
        .values({ server, site })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    } catch {
      // The change itself decides whether a database is needed; the next one tries again.
      written.delete(site)
    }
  }

  async function deleteSites(ofServer: number, sites: readonly number[]): Promise<void> {
    for (let start = 0; start < sites.length; start += deletedAtOnce) {
      await control
        .deleteFrom('changeRecord')
        .where('server', '=', ofServer)
        .where('site', 'in', sites.slice(start, start + deletedAtOnce))
        .execute()
    }
  }

  return {
    lockStatement: `select pg_advisory_lock_shared(${lockSpace}, ${server})`,
    forgetWritten: () => written.clear(),
    record(site) {
      let writing = written.get(site)
      if (!writing) {
        writing = write(site)
        written.set(site, writing)
      }
      return writing
    },
    async clear(unsynced) {
      const kept = new Set(unsynced)
      await deleteSites(
        server,
        [...written.keys()].filter((site) => !kept.has(site)),
      )
      written.clear()
    },
    abandoned: () =>
      inTransaction(control, async (db) => {
        const others = await db
          .selectFrom('changeRecord')
          .select('server')
          .distinct()
          .where('server', '<>', server)
          .execute()
        const dead: number[] = []
        for (const other of others) if (await isDead(db, other.server)) dead.push(other.server)
        if (dead.length === 0) return []
        return db.selectFrom('changeRecord').selectAll().where('server', 'in', dead).execute()
      }),
    async deleteAbandoned(records) {
      const sitesOf = Map.groupBy(records, ({ server: dead }) => dead)
      for (const [dead, list] of sitesOf) {
        await deleteSites(
          dead,
          list.map(({ site }) => site),
        )
      }
    },
  }
}

/** Whether no session holds the lock of the process. Taken until the end of the transaction. */
async function isDead(db: ControlDb, server: number): Promise<boolean> {
  const { rows } = await sql<{ isTaken: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(lockSpace)}, ${server}::int) as "isTaken"`.execute(db)
  return rows[0]?.isTaken === true
}
