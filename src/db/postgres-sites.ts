import type pg from 'pg'
import { gateClosed, storeFault } from './faults.ts'
import { siteMigrations } from './migrations/site.ts'
import { type Gate, kyselyOfPool, openPool } from './postgres-connection.ts'
import { claimFor, preparePostgres } from './postgres-mark.ts'
import { openPostgresSnapshot } from './postgres-snapshot.ts'
import { guardSite } from './site-guard.ts'
import { siteScope } from './site-scope.ts'
import { type FillSite, firstRows, type SiteDraft, type SiteStore } from './store.ts'
import { type SiteDb, type SiteTables, siteTableNames } from './tables.ts'
import { inTransaction } from './transaction.ts'

/** A database that holds sites and nothing else, for one installation. */
export async function openPostgresSites(
  url: string,
  options: { installation: string; onFault: (error: Error) => void },
): Promise<SiteStore> {
  await preparePostgres(url, { steps: siteMigrations, check: claimFor(options.installation) })
  // Who waits for a machine that has fallen silent must come to an end.
  return postgresSites(url, { onFault: options.onFault, pool: { query_timeout: 35_000 } })
}

interface Options {
  onFault: (error: Error) => void
  pool?: pg.PoolConfig
}

/** The tables of all sites, `site` leading every key, each site seen through its own walls. */
export function postgresSites(url: string, { onFault, pool: poolOptions }: Options): SiteStore {
  const pool = openPool(url, onFault, poolOptions)
  const dbOf = (site: number, gate: Gate): SiteDb =>
    kyselyOfPool<SiteTables>(pool, { guard: (query) => guardSite(query, site), gate }).withPlugin(
      siteScope(site),
    )
  const gateAt = (site: number, isOpen: (generation: number) => boolean): Gate => {
    return async (client) => {
      const generation = await readGate(client, site, 'share')
      if (!isOpen(generation ?? 0)) throw gateClosed()
    }
  }

  async function replaceRows(site: number, fill: FillSite, placedAt = 0): Promise<void> {
    // A stalled move must not put its rows over those of one that came after it.
    const gate: Gate = async (client) => {
      const generation = await readGate(client, site, 'update')
      if (placedAt > 0 && generation !== undefined && generation >= placedAt) throw gateClosed()
      await client.query(
        `insert into "gate" values ($1, 1, $2) on conflict ("site", "id") do update set "generation" = $2`,
        [site, placedAt],
      )
    }
    await inTransaction(dbOf(site, gate), async (db) => {
      await deleteRows(db)
      await fill(db)
    })
  }

  /** Others see nothing of it before it is committed, so all is done when it is placed. */
  const draft = async (site: number, fill: FillSite, placedAt?: number): Promise<SiteDraft> => ({
    place: () => replaceRows(site, fill, placedAt),
    discard: async () => undefined,
  })

  return {
    kind: 'postgres',
    draftSite: draft,
    draftCopy: draft,
    openSite: async (site, { generation } = firstRows) => ({
      db: dbOf(
        site,
        gateAt(site, (found) => found === generation),
      ),
      close: async () => undefined,
    }),
    snapshotSite: (site) => openPostgresSnapshot(url, site, onFault),
    dropSite: (site) => {
      const gate: Gate = async (client) => {
        await client.query('delete from "gate" where "site" = $1', [site])
      }
      return inTransaction(dbOf(site, gate), deleteRows)
    },
    async leaveSite(site, { generation }) {
      let isOurs = false
      const gate: Gate = async (client) => {
        isOurs = (await readGate(client, site, 'update')) === generation
      }
      await inTransaction(dbOf(site, gate), async (db) => {
        if (isOurs) await deleteRows(db)
      })
    },
    async passGate(site, { from, to }) {
      try {
        const { rowCount } = await pool.query(
          `update "gate" set "generation" = $1 where "site" = $2 and "generation" in ($3, $1)`,
          [to, site, from],
        )
        return rowCount === 1
      } catch (error) {
        throw storeFault(error)
      }
    },
    migrateSite: () => preparePostgres(url, { steps: siteMigrations, check: async () => undefined }),
    async check() {
      await pool.query('select 1').catch((error) => Promise.reject(storeFault(error)))
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** With a lock, so that it stays as it is to the end of the transaction. */
async function readGate(
  client: pg.ClientBase,
  site: number,
  lock: 'share' | 'update',
): Promise<number | undefined> {
  const { rows } = await client.query<{ generation: number }>({
    name: `terrace_gate_${lock}`,
    text: `select "generation" from "gate" where "site" = $1 and "id" = 1 for ${lock}`,
    values: [site],
  })
  return rows[0]?.generation
}

async function deleteRows(db: SiteDb): Promise<void> {
  for (const table of siteTableNames.toReversed()) await db.deleteFrom(table).execute()
}
