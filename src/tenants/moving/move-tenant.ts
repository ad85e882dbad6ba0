import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Control } from '../../control/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { isSamePlace } from '../../site/index.ts'
import { valuesOfTenant } from '../effective.ts'
import { beingMoved, moveLost, notInstalled, siteBusy, tenantNotFound } from '../errors.ts'
import {
  changePlace,
  isAt,
  type LeftCopy,
  type Move,
  type PlaceRecord,
  readPlace,
  wantedPlace,
} from '../site-places.ts'
import { readTenant } from '../tenants.ts'
import { findTenant } from '../tenants-table.ts'
import { copyBytes } from './copy-bytes.ts'
import { copyRows } from './copy-rows.ts'
import { endMove, finishMove, forgetStopped, removeLeft } from './end-move.ts'
import { holdMove, isOver, leaseEnd, ourselves } from './lease.ts'

export type MoveStep = 'files' | 'rows' | 'cleaning'

export interface Moved {
  /** False where the tenant was there already. */
  isMoved: boolean
  files: number
  rows: number
  /** How long nobody could write. */
  heldMs: number
  /** False where the old copy is still to be removed, which is tried again later. */
  isCleaned: boolean
}

type OnStep = (step: MoveStep, done: number) => void

/**
 * Brings an installed tenant to where its values say. Files are copied while everything goes on; for the rest the
 * site is closed to those who write, on every server at once, and handed over in one control change.
 */
export async function moveTenant(
  control: Control,
  id: string,
  onStep: OnStep = () => undefined,
): Promise<Moved> {
  const tenant = await readTenant(control, id)
  if (!tenant.isInstalled) throw notInstalled()
  const site = tenant.site
  await finishMove(control, site)
  const wanted = wantedPlace(control, await valuesOfTenant(control, id))
  if (isAt(await renewUrls(control, site, wanted), wanted)) {
    await forgetStopped(control, site)
    const isCleaned = await isDone(removeLeft(control, site))
    return { isMoved: false, files: 0, rows: 0, heldMs: 0, isCleaned }
  }

  const move = await beginMove(control, site, wanted)
  const counts = { files: 0, rows: 0, heldMs: 0 }
  try {
    await carryOver(control, { id, site, move, counts, onStep })
  } catch (error) {
    // Where even this fails, the move ends with its lease.
    const keepsBytes = !(error instanceof Refusal && error.code === 'copy-damaged')
    await endMove(control, site, { generation: move.generation, keepsBytes }).catch(() => undefined)
    await removeLeft(control, site).catch(() => undefined)
    throw error
  }
  onStep('cleaning', 0)
  // Other servers may know the old place for another second, and whoever reads there should find it.
  await sleep(staleMs)
  return { isMoved: true, ...counts, isCleaned: await isDone(removeLeft(control, site)) }
}

const staleMs = 2_000

const isDone = (work: Promise<unknown>) =>
  work.then(
    () => true,
    (error) => {
      if (error instanceof Refusal) return false
      throw error
    },
  )

type Wanted = ReturnType<typeof wantedPlace>

/** Where only the password or the like has changed there is nothing to move. The new URL must lead there, though. */
async function renewUrls(control: Control, site: number, wanted: Wanted): Promise<PlaceRecord> {
  const renewed = (record: PlaceRecord) => ({
    ...record,
    database: isSamePlace(record.database, wanted.database) ? wanted.database : record.database,
    storage: isSamePlace(record.storage, wanted.storage) ? wanted.storage : record.storage,
  })
  const before = await readPlace(control, site)
  const after = renewed(before)
  if (isAt(before, after)) return before
  await (await control.places.store(after.database)).check()
  await (await control.places.storage(after.storage)).check()
  return (await changePlace(control, site, (record) => (record.move ? undefined : renewed(record)))) ?? before
}

async function beginMove(control: Control, site: number, wanted: Wanted): Promise<Move> {
  const begun = await changePlace(control, site, (record) => {
    if (record.move && !isOver(control, record.move)) throw beingMoved(record.move.until)
    const { stopped, ...rest } = record
    const generation = record.last + 1
    const isResumed = stopped !== undefined && stopped.storage === wanted.storage
    const bytesAt =
      wanted.storage === record.storage ? record.bytesAt : isResumed ? stopped.bytesAt : generation
    const rowsAt = wanted.database === record.database ? record.rowsAt : generation
    const move = { ...wanted, generation, rowsAt, bytesAt, until: leaseEnd(control), by: ourselves }
    return { ...rest, ...(isResumed || !stopped ? {} : { stopped }), last: generation, move }
  })
  if (!begun?.move) throw moveLost()
  if (begun.stopped) await forgetStopped(control, site)
  return begun.move
}

interface Carrying {
  id: string
  site: number
  move: Move
  counts: { files: number; rows: number; heldMs: number }
  onStep: OnStep
}

/** Fewer than this are left to be copied while nobody can write. */
const fewFiles = 20
const mostRounds = 6

async function carryOver(control: Control, { id, site, move, counts, onStep }: Carrying): Promise<void> {
  using held = holdMove(control, site, move.generation)
  const record = await readPlace(control, site)
  const { places } = control
  const [from, to] = [await places.store(record.database), await places.store(move.database)]
  const spool = await freshSpool(join(places.dataDir, 'moving'), site, move.generation)
  try {
    const bytes = { from: await places.bytes(site, record), to: await places.bytes(site, move), spool }
    const hasBytes = move.bytesAt !== record.bytesAt
    const round = async (isFirst: boolean) => {
      const before = counts.files
      const onFile = (copied: number) => {
        held.check()
        counts.files = before + copied
        onStep('files', counts.files)
      }
      const copied = await copyBytes({ ...bytes, onFile }, { isFirst })
      counts.files = before + copied
      return copied
    }
    for (let rounds = 0; hasBytes && rounds < mostRounds; rounds += 1) {
      if ((await round(rounds === 0)) < fewFiles) break
    }

    const heldAt = performance.now()
    await closeGate(control, site, { record, move })
    // What was removed meanwhile is an orphan at the new place, and the sweeper's.
    if (hasBytes) await round(false)
    if (move.rowsAt !== record.rowsAt) {
      await copyRows({
        site,
        from: { store: from, placedAt: record.rowsAt },
        to: { store: to, placedAt: move.rowsAt },
        onRows(rows) {
          held.check()
          counts.rows = rows
          onStep('rows', rows)
        },
      })
    }
    await handOver(control, { id, site, move })
    counts.heldMs = Math.round(performance.now() - heldAt)
  } finally {
    await rm(spool, { recursive: true, force: true })
  }
}

/** What a killed move of this site has left is nobody's: there is one at a time. */
async function freshSpool(folder: string, site: number, generation: number): Promise<string> {
  const spool = join(folder, `${site}-${generation}`)
  await mkdir(spool, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    const isLeft = name.startsWith(`${site}-`) && name !== `${site}-${generation}`
    if (isLeft) await rm(join(folder, name), { recursive: true, force: true })
  }
  return spool
}

const mostTries = 12

/** Those who are writing are waited for. Who comes after them knows an older generation than the gate. */
async function closeGate(
  control: Control,
  site: number,
  { record, move }: { record: PlaceRecord; move: Move },
): Promise<void> {
  const store = await control.places.store(record.database)
  const gate = { placedAt: record.rowsAt, from: record.generation, to: move.generation }
  for (let tried = 1; ; tried += 1) {
    try {
      if (!(await store.passGate(site, gate))) throw moveLost()
      return
    } catch (error) {
      const isBusy = error instanceof Refusal && error.code === 'store-busy'
      if (!isBusy) throw error
      if (tried === mostTries) throw siteBusy()
    }
  }
}

/** From here on the new place is the site's, for everybody. */
async function handOver(
  control: Control,
  { id, site, move }: { id: string; site: number; move: Move },
): Promise<void> {
  await changePlace(control, site, async ({ move: known, ...record }, db) => {
    if ((await findTenant(db, id))?.site !== site) throw tenantNotFound()
    if (known?.generation !== move.generation) throw moveLost()
    const { generation, database, storage, rowsAt, bytesAt } = move
    const left: LeftCopy[] = [...record.left]
    if (bytesAt !== record.bytesAt) {
      left.push({ kind: 'bytes', storage: record.storage, bytesAt: record.bytesAt })
    }
    if (rowsAt !== record.rowsAt) {
      left.push({ kind: 'rows', database: record.database, placedAt: record.rowsAt, generation })
    }
    const movedAt = control.clock.now().toISOString()
    return { ...record, generation, database, storage, rowsAt, bytesAt, left, movedAt }
  })
}
