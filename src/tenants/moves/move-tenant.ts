import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Control, isAbandoned, leaseEnd, recordControlChange, thisProcess } from '../../control/index.ts'
import { countSiteRows } from '../../db/index.ts'
import { keepAlive } from '../../lib/files/live-entries.ts'
import { Refusal } from '../../lib/refusal.ts'
import { isSameLocation } from '../../site/index.ts'
import { beingMoved, MoveStopped, moveLost, notInstalled, tenantNotFound } from '../errors.ts'
import {
  changeLocation,
  isAt,
  type LocationRecord,
  type Move,
  readLocation,
  type StaleCopy,
  wantedLocation,
} from '../locations/site-locations.ts'
import { readTenant, readTenantWithStats } from '../tenants.ts'
import { findTenant } from '../tenants-table.ts'
import { valuesOfTenant } from '../values/effective.ts'
import { copyBytes, freshSpool, openVerifiedFiles } from './copy-bytes.ts'
import { copyRows } from './copy-rows.ts'
import { abortMove, closeWriteFence, finishMove, giveUpCopiedBytes } from './finish-moves.ts'
import { holdMoveLease } from './lease.ts'
import { removeStaleCopies } from './stale-copies.ts'

export type MoveStep = 'files' | 'rows' | 'cleaning'

export interface Moved {
  /** False if the tenant was already at that location. */
  isMoved: boolean
  files: number
  rows: number
  /** How long the write fence was closed. */
  heldMs: number
  /** Keys whose bytes are missing, and which the caller has accepted. */
  missing: readonly string[]
  /** False if a stale copy could not be removed; the job `finish-moves` tries again. */
  isCleaned: boolean
}

export interface MoveOptions {
  onStep?: (step: MoveStep, done: number) => void
  /** Keys without which the site may be moved, if their bytes are missing. */
  acceptMissing?: readonly string[]
  /** Gets how much is copied, in bytes, or in rows if no bytes move. */
  onProgress?: (done: number, total: number, unit: 'bytes' | 'rows') => void
  /** Stops the move between any two files: then the site stays where it was. */
  signal?: AbortSignal
}

type OnStep = NonNullable<MoveOptions['onStep']>

/**
 * Moves a tenant's data to the database and storage that its settings name. Files are copied while the site is in use;
 * for the remaining files and the rows the write fence is closed on every server, and one control change hands the site
 * over. Bytes that are missing or damaged stop the move before that.
 */
export async function moveTenant(control: Control, id: string, options: MoveOptions = {}): Promise<Moved> {
  const { onStep = () => undefined, onProgress = () => undefined, acceptMissing = [], signal } = options
  const tenant = await readTenant(control, id)
  if (!tenant.isInstalled) throw notInstalled()
  const site = tenant.site
  await finishMove(control, site)
  signal?.throwIfAborted()
  const wanted = wantedLocation(control, await valuesOfTenant(control, id))
  if (isAt(await renewUrls(control, { id, site, wanted }), wanted)) {
    await giveUpCopiedBytes(control, site)
    const isCleaned = await isDone(removeStaleCopies(control, site))
    return { isMoved: false, files: 0, rows: 0, heldMs: 0, missing: [], isCleaned }
  }

  const move = await beginMove(control, { site, wanted })
  const counts: Transfer['counts'] = { files: 0, rows: 0, heldMs: 0, missing: [] }
  try {
    const accepted = new Set(acceptMissing)
    await transfer(control, { id, site, move, counts, onStep, onProgress, signal, acceptMissing: accepted })
  } catch (error) {
    // If the abort fails too, the move ends with its lease.
    await abortMove(control, site, { generation: move.generation, keepsBytes: true }).catch(() => undefined)
    await removeStaleCopies(control, site).catch(() => undefined)
    throw error
  }
  onStep('cleaning', 0)
  // Other servers have the old location cached for up to a second and must still find the bytes there.
  await sleep(cachedMs)
  return { isMoved: true, ...counts, isCleaned: await isDone(removeStaleCopies(control, site)) }
}

const cachedMs = 2_000

const isDone = (work: Promise<unknown>) =>
  work.then(
    () => true,
    (error) => {
      if (error instanceof Refusal) return false
      throw error
    },
  )

type Wanted = ReturnType<typeof wantedLocation>

/** If only the password or an option of a URL has changed, nothing is moved, but the new URL must work. */
async function renewUrls(
  control: Control,
  { id, site, wanted }: { id: string; site: number; wanted: Wanted },
): Promise<LocationRecord> {
  const renewed = (record: LocationRecord) => ({
    ...record,
    database: isSameLocation(record.database, wanted.database) ? wanted.database : record.database,
    storage: isSameLocation(record.storage, wanted.storage) ? wanted.storage : record.storage,
  })
  const before = await readLocation(control, site)
  const after = renewed(before)
  if (isAt(before, after)) return before
  await (await control.backends.store(after.database)).check()
  await (await control.backends.storage(after.storage)).check()
  const changed = await changeLocation(control, site, async (record, db) => {
    if (record.move) return undefined
    const after = renewed(record)
    if (isAt(after, wanted)) await recordControlChange(control, db, { verb: 'move.finished', target: id })
    return after
  })
  return changed ?? before
}

interface Beginning {
  site: number
  wanted: Wanted
}

async function beginMove(control: Control, { site, wanted }: Beginning): Promise<Move> {
  const begun = await changeLocation(control, site, (record) => {
    if (record.move && !isAbandoned(control, record.move)) throw beingMoved(record.move.until)
    const { abortedMove, ...rest } = record
    const generation = record.lastGeneration + 1
    const isResumed = abortedMove !== undefined && abortedMove.storage === wanted.storage
    const bytesGeneration =
      wanted.storage === record.storage
        ? record.bytesGeneration
        : isResumed
          ? abortedMove.bytesGeneration
          : generation
    const rowsGeneration = wanted.database === record.database ? record.rowsGeneration : generation
    const move = {
      ...wanted,
      generation,
      rowsGeneration,
      bytesGeneration,
      until: leaseEnd(control),
      by: thisProcess,
    }
    return {
      ...rest,
      ...(isResumed || !abortedMove ? {} : { abortedMove }),
      lastGeneration: generation,
      move,
    }
  })
  if (!begun?.move) throw moveLost()
  if (begun.abortedMove) await giveUpCopiedBytes(control, site)
  return begun.move
}

interface Transfer {
  id: string
  site: number
  move: Move
  counts: { files: number; rows: number; heldMs: number; missing: readonly string[] }
  onStep: OnStep
  onProgress: NonNullable<MoveOptions['onProgress']>
  signal: AbortSignal | undefined
  acceptMissing: ReadonlySet<string>
}

/** A round that copied fewer files than this is the last one before the write fence closes. */
const fewFiles = 20
const maxRounds = 6

async function transfer(
  control: Control,
  { id, site, move, counts, onStep, onProgress, signal, acceptMissing }: Transfer,
): Promise<void> {
  using lease = holdMoveLease(control, site, move.generation)
  const check = () => {
    signal?.throwIfAborted()
    lease.check()
  }
  const record = await readLocation(control, site)
  const { backends } = control
  const [from, to] = [await backends.store(record.database), await backends.store(move.database)]
  const spool = await freshSpool(join(backends.dataDir, 'moving'), site, move.generation)
  using _kept = keepAlive(spool)
  const { rowsGeneration, generation } = record
  const rows = await from.openSite(site, { rowsGeneration, generation })
  try {
    const ends = { from: await backends.bytes(site, record), to: await backends.bytes(site, move) }
    const bytes = { ...ends, db: rows.db, spool }
    const verifiedFiles = openVerifiedFiles(spool)
    const movesBytes = move.bytesGeneration !== record.bytesGeneration
    const total = movesBytes
      ? (await readTenantWithStats(control, id)).stats.storageUsed
      : await countSiteRows(rows.db)
    onProgress(0, total, movesBytes ? 'bytes' : 'rows')
    let copiedBytes = 0
    const round = async (isFenced = false) => {
      const before = counts.files
      const onFile = (copied: number, sizeBytes: number) => {
        check()
        counts.files = before + copied
        onStep('files', counts.files)
        copiedBytes += sizeBytes
        onProgress(copiedBytes, Math.max(total, copiedBytes), 'bytes')
      }
      const { copied, missing, damaged } = await copyBytes(
        { ...bytes, mayWriteRows: !isFenced, onFile },
        verifiedFiles,
      )
      counts.files = before + copied
      counts.missing = missing.filter((key) => acceptMissing.has(key))
      const unaccepted = missing.filter((key) => !acceptMissing.has(key))
      if (unaccepted.length > 0 || damaged.length > 0) throw new MoveStopped({ missing: unaccepted, damaged })
      return copied
    }
    for (let repeating = 0; movesBytes && repeating < maxRounds; repeating += 1) {
      if ((await round()) < fewFiles) break
    }

    const fencedAt = performance.now()
    await closeWriteFence(control, site, { record, move })
    // No new rows from here on: after this round every file is verified. Bytes of files that were removed meanwhile are
    // orphans at the new location, which the job `sweep-orphans` removes.
    if (movesBytes) await round(true)
    if (move.rowsGeneration !== record.rowsGeneration) {
      await copyRows({
        site,
        from: { store: from, rowsGeneration: record.rowsGeneration },
        to: { store: to, rowsGeneration: move.rowsGeneration },
        onRows(count) {
          check()
          counts.rows = count
          onStep('rows', count)
          if (!movesBytes) onProgress(count, Math.max(total, count), 'rows')
        },
      })
    }
    check()
    await handOver(control, { id, site, move })
    counts.heldMs = Math.round(performance.now() - fencedAt)
  } finally {
    await rows.close()
    await rm(spool, { recursive: true, force: true })
  }
}

/** Makes the new location the site's own, for all servers. */
async function handOver(
  control: Control,
  { id, site, move }: { id: string; site: number; move: Move },
): Promise<void> {
  await changeLocation(control, site, async ({ move: known, ...record }, db) => {
    if ((await findTenant(db, id))?.site !== site) throw tenantNotFound()
    if (known?.generation !== move.generation) throw moveLost()
    const { generation, database, storage, rowsGeneration, bytesGeneration } = move
    const staleCopies: StaleCopy[] = [...record.staleCopies]
    if (bytesGeneration !== record.bytesGeneration) {
      staleCopies.push({ kind: 'bytes', storage: record.storage, bytesGeneration: record.bytesGeneration })
    }
    if (rowsGeneration !== record.rowsGeneration) {
      staleCopies.push({
        kind: 'rows',
        database: record.database,
        rowsGeneration: record.rowsGeneration,
        generation,
      })
    }
    const movedAt = control.clock.now().toISOString()
    await recordControlChange(control, db, { verb: 'move.finished', target: id })
    return { ...record, generation, database, storage, rowsGeneration, bytesGeneration, staleCopies, movedAt }
  })
}
