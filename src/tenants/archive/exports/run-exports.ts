import { join } from 'node:path'
import { type Control, isAbandoned, leaseEnd, thisProcess } from '../../../control/index.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { writeArchiveFile } from '../archive-file.ts'
import { exportLost } from '../errors.ts'
import { exportTenant } from '../export-tenant.ts'
import { openWorkFolder } from '../work-folder.ts'
import { keyOfTry, passphraseOwner } from './exports.ts'
import { type ExportRow, takeExport, unfinishedExports, updateExport } from './exports-table.ts'

/** Runs the exports that programs ask for, one at a time in each server. */
export interface ExportRunner extends AsyncDisposable {
  /** Looks for exports that wait, or whose process was killed. */
  wake(): void
}

export interface RunnerOptions {
  requestSecret: string
  onFault: (fault: unknown, id: string) => void
}

export function openExportRunner(control: Control, options: RunnerOptions): ExportRunner {
  const stop = new AbortController()
  let isWanted = false
  let running: Promise<void> | undefined
  const runAll = async () => {
    while (isWanted && !stop.signal.aborted) {
      isWanted = false
      while (!stop.signal.aborted) {
        const taken = await takeNext(control)
        if (!taken) break
        await runExport(control, taken, { ...options, signal: stop.signal })
      }
    }
  }
  return {
    wake() {
      isWanted = true
      running ??= runAll()
        // The database is away: the job wakes the runner again.
        .catch((fault) => options.onFault(fault, ''))
        .finally(() => {
          running = undefined
        })
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

/** A third server is not given an export that has killed two. */
const mostTries = 3
const keptMs = 24 * 60 * 60_000

async function takeNext(control: Control): Promise<ExportRow | undefined> {
  const isFree = ({ state, leasedUntil: until, leasedBy: by }: ExportRow) =>
    state === 'waiting' || until === null || by === null || isAbandoned(control, { until, by })
  // Most of the time there is none, which needs no lock.
  if (!(await unfinishedExports(control.store.control)).some(isFree)) return undefined
  return control.store.changeControl(async (db) => {
    const free = (await unfinishedExports(db)).find(isFree)
    if (!free) return undefined
    const lease = { leasedBy: thisProcess, leasedUntil: leaseEnd(control), tries: free.tries + 1 }
    await takeExport(db, free.id, lease)
    return { ...free, ...lease, state: 'running' as const }
  })
}

const renewEveryMs = 8_000

interface Running extends RunnerOptions {
  signal: AbortSignal
}

async function runExport(
  control: Control,
  row: ExportRow,
  { requestSecret, onFault, signal }: Running,
): Promise<void> {
  let isLost = false
  const renew = async () => {
    isLost ||= !(await updateExport(control.store.control, row, { leasedUntil: leaseEnd(control) }))
  }
  const timer = setInterval(() => void renew().catch(() => undefined), renewEveryMs).unref()
  const check = () => {
    signal.throwIfAborted()
    if (isLost) throw exportLost()
  }
  try {
    if (row.tries > mostTries) throw exportLost()
    const bytes = await storeArchive(control, row, { requestSecret, check })
    await finish(control, row, { state: 'done', bytes })
  } catch (error) {
    // Another process of this installation continues it, or the next start does.
    if (signal.aborted) await giveBack(control, row)
    else {
      onFault(error, row.id)
      const text =
        error instanceof Refusal ? error.message : 'The export failed. The log of the server says why.'
      await finish(control, row, { state: 'failed', error: text })
    }
  } finally {
    clearInterval(timer)
  }
}

interface Storing {
  requestSecret: string
  /** Throws once the work is to be stopped. */
  check: () => void
}

/** Writes the archive to a file, and moves that into the storage. */
async function storeArchive(
  control: Control,
  row: ExportRow,
  { requestSecret, check }: Storing,
): Promise<number> {
  await using folder = await openWorkFolder(control.backends.dataDir)
  const path = join(folder.path, 'archive.tar')
  const { bytes } = await writeArchiveFile(path, (file) =>
    exportTenant(control, file, {
      id: row.tenantId,
      passphrase:
        row.sealedPassphrase === null
          ? undefined
          : control.keyRing.unseal(row.sealedPassphrase, passphraseOwner(row.id)),
      requestSecret,
      site: row.site,
      onStep: check,
    }),
  )
  await control.backends.own.storage.put([{ key: keyOfTry(row), path }])
  return bytes
}

/** If the export was deleted or taken by another process meanwhile, nothing will read what was stored for it. */
async function finish(
  control: Control,
  row: ExportRow,
  outcome: { state: 'done'; bytes: number } | { state: 'failed'; error: string },
): Promise<void> {
  const now = control.clock.now()
  const isOurs = await control.store.changeControl((db) =>
    updateExport(db, row, {
      ...outcome,
      sealedPassphrase: null,
      finishedAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + keptMs).toISOString(),
    }),
  )
  if (!isOurs) await control.backends.own.storage.remove([keyOfTry(row)])
}

async function giveBack(control: Control, row: ExportRow): Promise<void> {
  // If the database is away too, the lease ends by itself.
  await updateExport(control.store.control, row, {
    state: 'waiting',
    leasedBy: null,
    leasedUntil: null,
  }).catch(() => undefined)
}
