import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChangeNotifications, Control } from '../../control/index.ts'
import type { ControlDb } from '../../db/index.ts'
import { coalesce } from '../../lib/concurrency/coalesce.ts'
import { KeyedBytes } from '../../lib/keyed-bytes.ts'
import { type Changes, removedTenants } from './changed-tenants-table.ts'

/** Where the tenants of a list are read. */
export interface ListSource<Row extends { id: string }> {
  notifications: ChangeNotifications
  /** In the order of ids; empty after the last tenant. */
  pageAfter(id: string): Promise<Row[]>
  changedSites(db: ControlDb, changes: Changes): Promise<number[]>
  ofSites(sites: readonly number[]): Promise<Row[]>
}

/** What a list makes of its tenants. It is read and changed without a pause between, so that readers see whole changes. */
export interface KeptTenants<Row> {
  /** Sets tenants by their ids; `undefined` deletes one. */
  apply(changes: ReadonlyMap<string, Row | undefined>): void
}

interface KeptList<Kept> {
  tenants: Kept
  /** Of the notifications, before the rows were read. */
  version: number
  /** Where the next changes begin. */
  from: number
  history: string
}

/** Less than the day for which the rows of deleted tenants are stored. */
const dropAfterMs = 10 * 60_000
const sitesAtOnce = 500

/**
 * A list of all tenants, kept while it is asked for: a change costs the tenants that have changed. It is complete before it
 * is returned, so that an error while it is read is an error for the caller and not a shorter list.
 */
export function keptList<Row extends { id: string }, Kept extends KeptTenants<Row>>(
  control: Control,
  source: ListSource<Row>,
  empty: () => Kept,
): () => Promise<Kept> {
  const { notifications } = source
  let kept: KeptList<Kept> | undefined
  let dropTimer: NodeJS.Timeout | undefined

  const drop = () => {
    kept = undefined
    dropTimer = undefined
  }

  const refresh = coalesce(async () => {
    const version = notifications.version()
    if (kept?.version !== version) kept = await readList(control, source, { kept, version, empty })
  })

  return async function read(): Promise<Kept> {
    await notifications.whenCurrent()
    if (dropTimer) dropTimer.refresh()
    else dropTimer = setTimeout(drop, dropAfterMs).unref()
    if (kept?.version !== notifications.version()) await refresh(undefined)
    return kept ? kept.tenants : read()
  }
}

/** The texts of all tenants as bytes, in the order of ids. */
export function writtenList<Row extends { id: string }>(
  control: Control,
  source: ListSource<Row>,
  write: (row: Row) => string,
): () => Promise<Buffer[]> {
  const read = keptList(control, source, () => {
    const bytes = new KeyedBytes()
    const written = (row: Row | undefined) => row && Buffer.from(write(row))
    return {
      apply: (changes: ReadonlyMap<string, Row | undefined>) =>
        bytes.apply(new Map([...changes].map(([id, row]) => [id, written(row)]))),
      chunks: () => bytes.chunks(),
    }
  })
  return async () => (await read()).chunks()
}

interface Reading<Kept> {
  kept: KeptList<Kept> | undefined
  version: number
  empty: () => Kept
}

async function readList<Row extends { id: string }, Kept extends KeptTenants<Row>>(
  control: Control,
  source: ListSource<Row>,
  { kept, version, empty }: Reading<Kept>,
): Promise<KeptList<Kept>> {
  const { from, until, history } = await control.store.changeWindow()
  if (kept?.history !== history) return { tenants: await readWhole(source, empty), version, from, history }
  kept.tenants.apply(await readChanges(control, source, { from: kept.from, until }))
  return { tenants: kept.tenants, version, from, history }
}

async function readWhole<Row extends { id: string }, Kept extends KeptTenants<Row>>(
  source: ListSource<Row>,
  empty: () => Kept,
): Promise<Kept> {
  const tenants = empty()
  let last: Row | undefined
  do {
    const page = await source.pageAfter(last?.id ?? '')
    tenants.apply(new Map(page.map((row) => [row.id, row])))
    last = page.at(-1)
    // SQLite answers without a pause: other requests get their turn between two pages.
    await nextTurn()
  } while (last)
  return tenants
}

/** A tenant that was deleted and created again is read after it was found to be gone. */
async function readChanges<Row extends { id: string }>(
  control: Control,
  source: ListSource<Row>,
  changes: Changes,
): Promise<Map<string, Row | undefined>> {
  const { control: db } = control.store
  const found = new Map<string, Row | undefined>()
  for (const id of await removedTenants(db, changes)) found.set(id, undefined)
  const sites = await source.changedSites(db, changes)
  for (let start = 0; start < sites.length; start += sitesAtOnce) {
    const rows = await source.ofSites(sites.slice(start, start + sitesAtOnce))
    for (const row of rows) found.set(row.id, row)
  }
  return found
}
