import { randomInt } from 'node:crypto'
import {
  ColumnNode,
  type CompiledQuery,
  DeleteQueryNode,
  InsertQueryNode,
  type RootOperationNode,
  SelectQueryNode,
  TableNode,
  UpdateQueryNode,
} from 'kysely'
import type pg from 'pg'
import { LruMap } from '../../lib/lru.ts'
import type { ChangeWatch } from '../change-tokens.ts'
import { storeFault } from '../faults.ts'
import type { SiteTableName } from '../tables.ts'
import type { HostPool } from './hosts/pool.ts'

/** Rows that no cached answer depends on: counts, logs, and work in progress. They change all the time. */
export const unversionedTables: ReadonlySet<string> = new Set<SiteTableName>([
  'session',
  'mailLink',
  'usedToken',
  'rateLimitHit',
  'total',
  'jobRun',
  'jobFence',
  'passwordTry',
  'loginTry',
  'idempotencyKey',
  'resumableUpload',
  'uploadPiece',
  'dayTotal',
  'userDayTotal',
  'userTotal',
  'labelTotal',
  'quotaState',
  'audit',
  'auditHead',
])

/** The same of columns. */
export const unversionedColumns: Readonly<Record<string, readonly string[]>> = {
  file: ['views'],
  album: ['views'],
  derived: ['usedAt'],
  userKey: ['lastUsedAt', 'lastUsedAddress'],
}

/** Whether cached answers may not be used once the statement is committed. When in doubt they may not. */
export function isRaisedBy({ query }: CompiledQuery): boolean {
  if (SelectQueryNode.is(query)) return query.with !== undefined
  const table = tableOf(query)
  if (table === undefined) return true
  if (unversionedTables.has(table)) return false
  const counted = unversionedColumns[table] ?? []
  const updates = UpdateQueryNode.is(query) ? query.updates : undefined
  return !updates?.every(({ column }) => ColumnNode.is(column) && counted.includes(column.column.name))
}

function tableOf(query: RootOperationNode): string | undefined {
  const node = InsertQueryNode.is(query)
    ? query.into
    : UpdateQueryNode.is(query)
      ? query.table
      : DeleteQueryNode.is(query)
        ? query.from.froms[0]
        : undefined
  const hasWith = 'with' in query && query.with !== undefined
  return node && TableNode.is(node) && !hasWith ? node.table.identifier.name : undefined
}

/** Transactions of a site that commit at the same time raise different rows, so that few wait for each other. */
const slots = 16

/**
 * The statement before the commit of a transaction that has changed rows which answers depend on. Its lock is the last of every transaction, so it is part of no
 * deadlock. The step is random: a standby that takes over may lack the last commits, and must not come to the same sum by others.
 */
export function raiseVersionStatement(site: number, client: pg.ClientBase): string {
  const { processID } = client as pg.ClientBase & { processID?: number | null }
  const slot = (processID ?? 0) % slots
  const step = randomInt(1, mostStep)
  return (
    `insert into "rowVersion" ("site", "slot", "value") values (${site}, ${slot}, ${step}) ` +
    `on conflict ("site", "slot") do update set "value" = "rowVersion"."value" + excluded."value"`
  )
}

/** The sum stays below 2^63 for 10^12 transactions of a site. */
const mostStep = 2 ** 20

/** In place of the one above, for a site whose rows are dropped. */
export const dropVersionStatement = (site: number): string =>
  `delete from "rowVersion" where "site" = ${site}`

const select = `
  select "site", sum("value")::text as "version" from "rowVersion" where "site" = any($1::int[]) group by "site"
`

interface VersionRow {
  site: number
  version: string
}

interface Version {
  version: string
  token: object
}

interface Question {
  sites: Set<number>
  /** False if the database has not answered. */
  answered: PromiseWithResolvers<boolean>
}

const mostSites = 10_000
/** A request that has waited for so long reads its rows itself. */
const lateAfterMs = 1_000

/**
 * The versions of the rows of all sites in one database. They are asked for once by all requests that wait, and a request that comes after the
 * question was sent waits for the next one: so its answer has every change that was committed before the request.
 */
export class RowVersions {
  readonly #pool: HostPool
  readonly #name: string | undefined
  readonly #known = new LruMap<number, Version>(mostSites)
  #next: Question | undefined
  #isAsking = false
  #isLate = false

  constructor(pool: HostPool, name: (text: string) => string | undefined) {
    this.#pool = pool
    this.#name = name(select)
  }

  of(site: number): ChangeWatch {
    return {
      lastToken: () => this.#lastToken(site),
      isCurrent: (token) => this.#isCurrent(site, token),
    }
  }

  /** If there was no answer yet, the next call may have one. */
  #lastToken(site: number): object | undefined {
    const known = this.#known.get(site)
    if (!known) void this.#ask(site)
    return known?.token
  }

  async #isCurrent(site: number, token: object): Promise<boolean> {
    if (this.#isLate) return false
    return (await this.#ask(site)) && this.#known.get(site)?.token === token
  }

  #ask(site: number): Promise<boolean> {
    if (!this.#next) {
      this.#next = { sites: new Set(), answered: Promise.withResolvers() }
      if (!this.#isAsking) this.#sendSoon()
    }
    this.#next.sites.add(site)
    return this.#next.answered.promise
  }

  /** After the requests that have arrived together. */
  #sendSoon(): void {
    this.#isAsking = true
    setImmediate(() => void this.#send())
  }

  async #send(): Promise<void> {
    const question = this.#next
    if (!question) return
    this.#next = undefined
    const { sites, answered } = question
    const timer = setTimeout(() => this.#giveUp(question), lateAfterMs)
    try {
      const rows = await this.#read([...sites])
      const versions = new Map(rows.map(({ site, version }) => [site, version]))
      for (const site of sites) this.#learn(site, versions.get(site))
      answered.resolve(true)
    } catch {
      answered.resolve(false)
    } finally {
      clearTimeout(timer)
      this.#isLate = false
      this.#isAsking = false
      if (this.#next) this.#sendSoon()
    }
  }

  /** Until the answer comes, all requests read rows themselves. */
  #giveUp({ answered }: Question): void {
    this.#isLate = true
    answered.resolve(false)
    this.#next?.answered.resolve(false)
  }

  /** A site without a version has no rows, or was dropped: nothing of it is cached. */
  #learn(site: number, version: string | undefined): void {
    if (version === undefined) this.#known.delete(site)
    else if (this.#known.get(site)?.version !== version) this.#known.set(site, { version, token: {} })
  }

  async #read(sites: readonly number[]): Promise<readonly VersionRow[]> {
    const client = await this.#pool.connect()
    let fault: unknown
    try {
      const name = this.#name
      const query = { ...(name !== undefined && { name }), text: select, values: [sites] }
      return (await client.query<VersionRow>(query)).rows
    } catch (error) {
      fault = storeFault(error)
      this.#pool.onQueryError(client, error)
      throw fault
    } finally {
      client.release(fault !== undefined)
    }
  }
}
