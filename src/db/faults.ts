import { Refusal } from '../lib/refusal.ts'

/** What a store's own error means to a caller. What is not a passing trouble stays what it is: a bug. */
export function storeFault(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  if (fullCodes.has(code)) return diskFull(error)
  if (isBusyFault(error)) return storeBusy(error)
  if (code === gateCode) return siteMoving(error)
  if (brokenCodes.test(code)) return storeUnavailable(error)
  return error
}

/** Another process has the file or the row to itself, for now. */
export function isBusyFault(error: unknown): boolean {
  return /^(SQLITE_(BUSY|LOCKED)|55P03)/.test(codeOf(error) ?? '')
}

/** Worth trying again at once: another transaction came between. */
export function isSerializationFault(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** Nobody is left at the other end who could say what became of the last statement. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof Refusal && lostCodes.test(codeOf(error.cause) ?? '')
}

/** What passes by itself: the store is away or busy. */
export function isTrouble(error: unknown): boolean {
  return error instanceof Refusal && error.kind === 'unavailable'
}

export const storeUnavailable = (cause: unknown) =>
  new Refusal('unavailable', 'store-unavailable', 'The database cannot be reached. Try again shortly.', {
    cause,
  })

export const storeBusy = (cause: unknown) =>
  new Refusal('unavailable', 'store-busy', 'The database is busy. Try again shortly.', { cause })

const gateCode = 'TERRACE_GATE'

/** The rows are not to be written any more by who knows no more of them than this. */
export const gateClosed = () => Object.assign(new Error('The gate is closed.'), { code: gateCode })

export const siteMoving = (cause: unknown) =>
  new Refusal('unavailable', 'site-moving', 'This site is being moved. Try again shortly.', { cause })

const diskFull = (cause: unknown) =>
  new Refusal('unavailable', 'disk-full', 'There is no space left to store this.', { cause })

const fullCodes = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT', '53100'])

/** SQLite's I/O troubles, PostgreSQL's connection, shutdown and resource classes, and the network's own. */
const brokenCodes =
  /^(SQLITE_(IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB)|08|3D000|53|55000|57P|57014|25006|25P03|E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN|ROFS|IO|MFILE|NFILE|ACCES))/

const lostCodes = /^(08|57P|E(CONN|PIPE|HOST|NET|TIMEDOUT))/

function codeOf(error: unknown): string | undefined {
  if (error instanceof Refusal || !(error instanceof Error)) return undefined
  const { code } = error as Error & { code?: unknown }
  if (typeof code === 'string') return code
  // The pool tells its own time-outs and lost connections in words only.
  return poolTexts.test(error.message) ? 'ECONNLOST' : undefined
}

const poolTexts =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/
