import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChangeNotifications, Control } from '../../control/index.ts'
import type { ControlDb } from '../../db/index.ts'
import { coalesce } from '../../lib/concurrency/coalesce.ts'
import { KeyedBytes } from '../../lib/keyed-bytes.ts'
import { type Changes, removedTenants } from './changed-tenants-table.ts'

/** What a list says of each tenant, and where it is read. */
export interface ListSource<Row extends { id: string }> {
  notifications: ChangeNotifications
  /** In the order of ids; empty after the last tenant. */
  pageAfter(id: string): Promise<Row[]>
  changedSites(db: ControlDb, changes: Changes): Promise<number[]>
  ofSites(sites: readonly number[]): Promise<Row[]>
  write(row: Row): string
}

interface KeptList {
  bytes: KeyedBytes
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
export function incrementalList<Row extends { id: string }>(
  control: Control,
  source: ListSource<Row>,
): () => Promise<Buffer[]> {
  const { notifications } = source
  let kept: KeptList | undefined
  let dropTimer: NodeJS.Timeout | undefined

  const drop = () => {
    kept = undefined
    dropTimer = undefined
  }

  const refresh = coalesce(async () => {
    const version = notifications.version()
    if (kept?.version !== version) kept = await readList(control, source, { kept, version })
  })

  return async function read(): Promise<Buffer[]> {
    await notifications.whenCurrent()
    if (dropTimer) dropTimer.refresh()
    else dropTimer = setTimeout(drop, dropAfterMs).unref()
    if (kept?.version !== notifications.version()) await refresh(undefined)
    return kept ? kept.bytes.chunks() : read()
  }
}

async function readList<Row extends { id: string }>(
  control: Control,
  source: ListSource<Row>,
  { kept, version }: { kept: KeptList | undefined; version: number },
): Promise<KeptList> {
  const { from, until, history } = await control.store.changeWindow()
  if (kept?.history !== history) return { bytes: await readWhole(source), version, from, history }
  kept.bytes.apply(await readChanges(control, source, { from: kept.from, until }))
  return { bytes: kept.bytes, version, from, history }
}

async function readWhole<Row extends { id: string }>(source: ListSource<Row>): Promise<KeyedBytes> {
  const bytes = new KeyedBytes()
  let last: Row | undefined
  do {
    const page = await source.pageAfter(last?.id ?? '')
    bytes.apply(new Map(page.map((row) => [row.id, written(source, row)])))
    last = page.at(-1)
    // SQLite answers without a pause: other requests get their turn between two pages.
    await nextTurn()
  } while (last)
  return bytes
}

/** A tenant that was deleted and created again is read after it was found to be gone. */
async function readChanges<Row extends { id: string }>(
  control: Control,
  source: ListSource<Row>,
  changes: Changes,
): Promise<Map<string, Buffer | undefined>> {
  const { control: db } = control.store
  const found = new Map<string, Buffer | undefined>()
  for (const id of await removedTenants(db, changes)) found.set(id, undefined)
  const sites = await source.changedSites(db, changes)
  for (let start = 0; start < sites.length; start += sitesAtOnce) {
    const rows = await source.ofSites(sites.slice(start, start + sitesAtOnce))
    for (const row of rows) found.set(row.id, written(source, row))
  }
  return found
}

const written = <Row extends { id: string }>(source: ListSource<Row>, row: Row) =>
  Buffer.from(source.write(row))
