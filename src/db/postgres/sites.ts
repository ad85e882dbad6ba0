import type { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { watchChanges } from '../change-tokens.ts'
import { writeFenceClosed } from '../faults.ts'
import { siteMigrations } from '../migrations/site.ts'
import { guardSite } from '../sites/guard.ts'
import { siteScope } from '../sites/scope.ts'
import { type FillSite, firstRows, type SiteDraft, type SiteStore } from '../store.ts'
import { type SiteDb, type SiteTables, siteTableNames } from '../tables.ts'
import { inTransaction } from '../transaction.ts'
import { claimFor, preparePostgres } from './claim.ts'
import {
  kyselyOfPool,
  openPool,
  type Pooler,
  type RaisedVersion,
  statementName,
  type WriteFence,
} from './connection.ts'
import { distributeSiteTables } from './distribution.ts'
import { addressOf, type PostgresAddress } from './hosts/address.ts'
import type { HostPool } from './hosts/pool.ts'
import { dropVersionStatement, isRaisedBy, RowVersions, raiseVersionStatement } from './row-versions.ts'
import { openPostgresSnapshot } from './snapshot.ts'

/** A database that holds sites of one installation, and not the installation's own rows. */
export async function openPostgresSites(
  url: string,
  options: { installation: string; onFault: (error: Error) => void },
): Promise<SiteStore> {
  const address = addressOf(url)
  await preparePostgres(address.hosts, { steps: siteMigrations, check: claimFor(options.installation) })
  return postgresSites(address, options)
}

interface Options {
  onFault: (error: Error) => void
  pooler?: Pooler | undefined
}

/** The tables of all sites; `site` leads every key, and each site's statements pass both isolation layers. */
export function postgresSites(
  address: PostgresAddress,
  { onFault, pooler }: Options,
): SiteStore & { pool: HostPool } {
  const pool = openPool(address.hosts, { onFault })
  const named = (text: string) => (pooler?.keepsStatements === false ? undefined : statementName(text))
  const rowVersions = new RowVersions(pool, named)
  const dbOf = (
    site: number,
    writeFence: WriteFence,
    version: RaisedVersion = { isRaisedBy, statement: (client) => raiseVersionStatement(site, client) },
  ): SiteDb => {
    const guard = (query: CompiledQuery) => guardSite(query, site)
    const db = kyselyOfPool<SiteTables>(pool, { guard, writeFence, version, pooler }).withPlugin(
      siteScope(site),
    )
    watchChanges(db, rowVersions.of(site))
    return db
  }
  const readFence = readWriteFence(pooler)
  const writeFenceAt = (site: number, isOpen: (generation: number) => boolean): WriteFence => {
    return async (client) => {
      const generation = await readFence(client, site, 'share')
      if (!isOpen(generation ?? 0)) throw writeFenceClosed()
    }
  }

  async function replaceRows(site: number, fill: FillSite, rowsGeneration = 0): Promise<void> {
    // A stalled move must not overwrite the rows of a later move.
    const writeFence: WriteFence = async (client) => {
      const generation = await readFence(client, site, 'update')
      if (rowsGeneration > 0 && generation !== undefined && generation >= rowsGeneration)
        throw writeFenceClosed()
      await client.query(
        `insert into "gate" values ($1, 1, $2) on conflict ("site", "id") do update set "generation" = $2`,
        [site, rowsGeneration],
      )
    }
    await inTransaction(dbOf(site, writeFence), async (db) => {
      await deleteRows(db)
      await fill(db)
    })
  }

  /** Everything is done by `publish`, in one transaction: other connections see the rows after its commit. */
  const draft = async (site: number, fill: FillSite, rowsGeneration?: number): Promise<SiteDraft> => ({
    publish: () => replaceRows(site, fill, rowsGeneration),
    discard: async () => undefined,
  })

  return {
    pool,
    kind: 'postgres',
    draftSite: draft,
    draftCopy: draft,
    openSite: async (site, { generation } = firstRows) => ({
      db: dbOf(
        site,
        writeFenceAt(site, (found) => found === generation),
      ),
      close: async () => undefined,
    }),
    snapshotSite: (site) => openPostgresSnapshot(address.sessionHosts, site, onFault),
    dropSite: (site) => {
      const writeFence: WriteFence = async (client) => {
        await client.query('delete from "gate" where "site" = $1', [site])
      }
      const version = { isRaisedBy, statement: () => dropVersionStatement(site) }
      return inTransaction(dbOf(site, writeFence, version), deleteRows)
    },
    async dropStaleRows(site, { generation }) {
      let isOurs = false
      const writeFence: WriteFence = async (client) => {
        isOurs = (await readFence(client, site, 'update')) === generation
      }
      await inTransaction(dbOf(site, writeFence), async (db) => {
        if (isOurs) await deleteRows(db)
      })
    },
    async setWriteFence(site, { from, to }) {
      const { rowCount } = await pool.query(
        `update "gate" set "generation" = $1 where "site" = $2 and "generation" in ($3, $1)`,
        [to, site, from],
      )
      return rowCount === 1
    },
    migrateSite: () =>
      preparePostgres(address.sessionHosts, { steps: siteMigrations, check: async () => undefined }),
    distribute: () => distributeSiteTables(address.sessionHosts),
    async check() {
      await pool.query('select 1')
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** Locks the fence's row, so that it cannot change before the end of the transaction. */
const readWriteFence =
  (pooler: Pooler | undefined) =>
  async (client: pg.ClientBase, site: number, lock: 'share' | 'update'): Promise<number | undefined> => {
    const text = `select "generation" from "gate" where "site" = $1 and "id" = 1 for ${lock}`
    const { rows } = await client.query<{ generation: number }>({
      ...(pooler?.keepsStatements !== false && { name: statementName(text) }),
      text,
      values: [site],
    })
    return rows[0]?.generation
  }

async function deleteRows(db: SiteDb): Promise<void> {
  for (const table of siteTableNames.toReversed()) await db.deleteFrom(table).execute()
}
