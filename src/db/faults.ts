import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../lib/refusal.ts'

/** Translates a driver's error into a refusal. Errors that do not pass by themselves are returned unchanged: they are bugs. */
export function storeFault(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  if (fullCodes.has(code)) return diskFull(error)
  if (isBusyFault(error) || isSerializationFault(error)) return storeBusy(error)
  if (code === writeFenceCode) return siteMoving(error)
  if (brokenCodes.test(code)) return storeUnavailable(error)
  return error
}

/** Another process holds the lock of the file or row. */
export function isBusyFault(error: unknown): boolean {
  return /^(SQLITE_(BUSY|LOCKED)|55P03)/.test(codeOf(error) ?? '')
}

/** A concurrent transaction interfered, by a deadlock for example: nothing was changed, and a retry may succeed. */
export function isSerializationFault(error: unknown): boolean {
  const code = codeOf(error instanceof Refusal ? error.cause : error)
  return code === '40001' || code === '40P01'
}

const mostTries = 4
const mostPauseMs = 20

/** Repeats a statement or a whole transaction that others have interfered with. What fails each time is a refusal: 503. */
export async function retryInterfered<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work()
    } catch (error) {
      if (tried === mostTries || !isSerializationFault(error)) throw error
    }
    // Two that meet again and again at the same time would disturb each other each time.
    await sleep(randomInt(mostPauseMs * tried))
  }
}

/** The connection is lost, so that the outcome of the last statement is unknown. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof Refusal && lostCodes.test(codeOf(error.cause) ?? '')
}

/** The database is unreachable or busy; a retry may succeed. */
export function isStoreUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.kind === 'unavailable'
}

export const storeUnavailable = (cause: unknown) =>
  new Refusal('unavailable', 'store-unavailable', 'The database cannot be reached. Try again shortly.', {
    cause,
  })

export const storeBusy = (cause: unknown) =>
  new Refusal('unavailable', 'store-busy', 'The database is busy. Try again shortly.', { cause })

const writeFenceCode = 'TERRACE_WRITE_FENCE'

/** A move has raised the write fence: this generation may not write any more. */
export const writeFenceClosed = () =>
  Object.assign(new Error('The write fence has another generation.'), { code: writeFenceCode })

export const siteMoving = (cause: unknown) =>
  new Refusal('unavailable', 'site-moving', 'This site is being moved. Try again shortly.', { cause })

const diskFull = (cause: unknown) =>
  new Refusal('unavailable', 'disk-full', 'There is no space left to store this.', { cause })

const fullCodes = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT', '53100'])

/** I/O errors of SQLite; connection, shutdown and resource errors of PostgreSQL; network errors. */
const brokenCodes =
  /^(SQLITE_(IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB)|08|3D000|53|55000|57P|57014|25006|25P03|E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN|ROFS|IO|MFILE|NFILE|ACCES))/

const lostCodes = /^(08|57P|E(CONN|PIPE|HOST|NET|TIMEDOUT))/

function codeOf(error: unknown): string | undefined {
  if (error instanceof Refusal || !(error instanceof Error)) return undefined
  const { code } = error as Error & { code?: unknown }
  // Citus: the worker was lost during the commit, so that it is unknown whether it has committed.
  if (code === 'XX000' && lostCommit.test(error.message)) return 'ECONNLOST'
  if (typeof code === 'string') return code
  // pg reports its own time-outs and lost connections without a code.
  return poolTexts.test(error.message) ? 'ECONNLOST' : undefined
}

const lostCommit = /could not commit transaction/

const poolTexts =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/
