import { constants } from 'node:os'
import { Refusal } from '../lib/refusal.ts'

export const badKey = () => new Refusal('invalid', 'bad-key', 'This name cannot be used for a stored file.')

export const keyTaken = () =>
  new Refusal('conflict', 'key-taken', 'Another file is stored under this name already.')

export const rangeOutside = () =>
  new Refusal('invalid', 'range-outside', 'The range begins behind the end of the file.')

export const diskFull = (cause: unknown) =>
  new Refusal('unavailable', 'disk-full', 'There is no space left to store this.', { cause })

export const storageBroken = (cause: unknown) =>
  new Refusal('unavailable', 'storage-broken', 'The storage has lost bytes and takes no more files.', {
    cause,
  })

export const storageUnavailable = (cause: unknown) =>
  new Refusal('unavailable', 'storage-unavailable', 'The storage cannot be reached. Try again shortly.', {
    cause,
  })

/** What an error of the file system means to a caller. What is no trouble of the disk stays what it is: a bug. */
export function diskFault(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  if (fullCodes.has(code)) return diskFull(error)
  return troubleCodes.has(code) ? storageUnavailable(error) : error
}

export function codeOf(error: unknown): string | undefined {
  if (error instanceof Refusal || !(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  // Node has no name for some numbers, EDQUOT and ESTALE among them.
  const number = /^Unknown system error -(\d+)$/.exec(code ?? '')?.[1]
  return (number && nameOfNumber.get(Number(number))) ?? code
}

const nameOfNumber = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]))

const fullCodes = new Set(['ENOSPC', 'EDQUOT'])

/** The disk is gone, locked, broken or overloaded, or something stands in its tree that we did not put there. */
const troubleCodes = new Set(
  `EIO EROFS EACCES EPERM ENOENT ENOTDIR ELOOP ENODEV ENXIO ESTALE ENOTCONN ETIMEDOUT
  EMFILE ENFILE ENOMEM EAGAIN EBUSY EMLINK ENOTEMPTY`.split(/\s+/),
)
