import { unlink } from 'node:fs/promises'
import { diskFault, diskFull, rangeOutside, storageUnavailable } from '../errors.ts'
import { checkFolder, checkKey } from '../keys.ts'
import { openBucket } from '../s3.ts'
import type { NewFile, Storage } from '../storage.ts'
import { parseStorageUrl } from '../storage-url.ts'
import { BucketFault } from './bucket.ts'
import { openLine } from './line.ts'
import { abortUnfinished, absentAsUndefined, listNames, removeNames, removePrefix } from './names.ts'
import { type Ends, place, prepare, takeBack } from './place.ts'
import { placeLarge } from './place-large.ts'
import { type Tuning, usualTuning } from './tuning.ts'

interface Place {
  url: string
  prefix?: string | undefined
  tuning?: Partial<Tuning> | undefined
}

export function openBucketStorage({ url, prefix = '', tuning: changes }: Place): Storage {
  checkFolder(prefix)
  const bucketPlace = parseStorageUrl(url)
  const tuning = { ...usualTuning, ...changes }
  const ends: Ends = { bucket: openBucket(bucketPlace), line: openLine(tuning), tuning }
  const folders = [bucketPlace.folder, prefix].filter((folder) => folder !== '')
  return storageOf(ends, folders.map((folder) => `${folder}/`).join(''))
}

function storageOf(ends: Ends, base: string): Storage {
  const { bucket, line } = ends
  const nameOf = (key: string) => {
    checkKey(key)
    return base + key
  }
  const prefixOf = (folder: string) => (folder === '' ? base : `${nameOf(folder)}/`)

  return {
    kind: 's3',
    put: (batch) =>
      explained(async () => {
        const files = batch.map(({ key, path }) => ({ key: nameOf(key), path }))
        await putAll(ends, files)
      }),
    read: (key, range) =>
      explained(async () => {
        const name = nameOf(key)
        if (range && range.end < range.start) throw rangeOutside()
        return line.ask((signal) => bucket.get(name, range, signal)).catch(absentAsUndefined)
      }),
    stat: (key) =>
      explained(async () => {
        const name = nameOf(key)
        const head = await line.ask((signal) => bucket.head(name, signal)).catch(absentAsUndefined)
        return head && { sizeBytes: head.sizeBytes }
      }),
    remove: (keys) => explained(async () => removeNames(ends, keys.map(nameOf))),
    list: (folder, after, limit) =>
      explained(async () => {
        const last = after === undefined ? undefined : base + after
        const found = await listNames(ends, prefixOf(folder), last, limit)
        return found.map((entry) => ({ ...entry, key: entry.key.slice(base.length) }))
      }),
    removeAll: (folder) => explained(async () => removePrefix(ends, prefixOf(folder))),
    removeUnfinished: (before) => explained(() => abortUnfinished(ends, base, before)),
    check: () =>
      explained(async () => {
        await line.ask((signal) => bucket.list(base, undefined, 1, signal))
      }),
    async [Symbol.asyncDispose]() {
      bucket.close()
    },
  }
}

async function putAll(ends: Ends, files: readonly NewFile[]): Promise<void> {
  const shipments = await Promise.all(files.map(({ key, path }) => prepare(key, path)))
  const outcomes = await Promise.allSettled(
    shipments.map((shipment) => {
      const isLarge = shipment.piece.sizeBytes > ends.tuning.largeBytes
      return isLarge ? placeLarge(ends, shipment) : place(ends, shipment)
    }),
  )
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure === undefined) {
    // A temporary file that stays is swept with the others.
    for (const { path } of files) await unlink(path).catch(() => {})
    return
  }
  // Failed ones too: they may have arrived without an answer. An object that stays belongs to no row and is swept.
  await Promise.allSettled(shipments.map((shipment) => takeBack(ends, shipment)))
  throw failure.reason
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof BucketFault ? refusalOf(error) : diskFault(error)
  }
}

function refusalOf(fault: BucketFault): unknown {
  if (fault.status === 416) return rangeOutside()
  return fault.status === 507 || fullCodes.has(fault.code) ? diskFull(fault) : storageUnavailable(fault)
}

const fullCodes = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage'])
