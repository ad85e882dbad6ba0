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
  new Refusal('unavailable', 'storage-broken', 'The storage has lost bytes and accepts no more files.', {
    cause,
  })

export const storageClaimed = (key: string, owner: string) =>
  new Refusal(
    'unavailable',
    'storage-claimed',
    `SERVICE_STORAGE_URL: the bucket belongs to another installation, "${owner}", as the object ${key} in it says. Give each installation a bucket of its own, or a folder by path=. If that installation is gone for good, remove the object.`,
  )

export const storageUnavailable = (cause: unknown) =>
  new Refusal('unavailable', 'storage-unavailable', 'The storage cannot be reached. Try again shortly.', {
    cause,
  })

/** Translates an error of the file system into a refusal. Other errors are returned unchanged: they are bugs. */
export function diskFault(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  if (fullCodes.has(code)) return diskFull(error)
  return troubleCodes.has(code) ? storageUnavailable(error) : error
}

export function codeOf(error: unknown): string | undefined {
  if (error instanceof Refusal || !(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  // Node has no names for some error numbers, such as EDQUOT and ESTALE.
  const number = /^Unknown system error -(\d+)$/.exec(code ?? '')?.[1]
  return (number && nameOfNumber.get(Number(number))) ?? code
}

const nameOfNumber = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]))

const fullCodes = new Set(['ENOSPC', 'EDQUOT'])

/** The disk is missing, locked, broken or overloaded, or its tree contains entries that are not ours. */
const troubleCodes = new Set(
  `EIO EROFS EACCES EPERM ENOENT ENOTDIR ELOOP ENODEV ENXIO ESTALE ENOTCONN ETIMEDOUT
  EMFILE ENFILE ENOMEM EAGAIN EBUSY EMLINK ENOTEMPTY`.split(/\s+/),
)
