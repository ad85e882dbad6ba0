import { createHash, randomBytes } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { diskFault, diskFull, rangeOutside, storageUnavailable } from '../errors.ts'
import { checkFolder, checkKey } from '../keys.ts'
import { openBucket } from '../s3.ts'
import type { NewFile, Storage } from '../storage.ts'
import { parseStorageUrl } from '../storage-url.ts'
import { BucketFault } from './bucket.ts'
import { createBucketClient } from './client.ts'
import { abortUnfinished, absentAsUndefined, listNames, removeNames, removePrefix } from './names.ts'
import { type BucketAccess, prepareObject, putObject, removeOwnObject } from './put.ts'
import { putLarge } from './put-large.ts'
import { type Tuning, usualTuning } from './tuning.ts'

interface S3Options {
  url: string
  prefix?: string | undefined
  tuning?: Partial<Tuning> | undefined
}

export function openBucketStorage({ url, prefix = '', tuning: changes }: S3Options): Storage {
  checkFolder(prefix)
  const bucketAddress = parseStorageUrl(url)
  const tuning = { ...usualTuning, ...changes }
  const access: BucketAccess = {
    bucket: openBucket(bucketAddress),
    client: createBucketClient(tuning),
    tuning,
    sending: new Set(),
  }
  const folders = [bucketAddress.folder, prefix].filter((folder) => folder !== '')
  const { endpoint, bucket, accessKey } = bucketAddress
  const readers = { name: `${endpoint} ${bucket} ${accessKey}`, most: mostLongReaders }
  return storageOf(access, { readers, base: folders.map((folder) => `${folder}/`).join('') })
}

/** Fewer than the connections for reading: short files, jobs and backups need some too. */
const mostLongReaders = 192

function storageOf(
  access: BucketAccess,
  { readers, base }: { readers: NonNullable<Storage['readers']>; base: string },
): Storage {
  const { bucket, client } = access
  const nameOf = (key: string) => {
    checkKey(key)
    return base + key
  }
  const prefixOf = (folder: string) => (folder === '' ? base : `${nameOf(folder)}/`)

  return {
    kind: 's3',
    readers,
    put: (batch) =>
      asRefusal(async () => {
        const files = batch.map(({ key, path }) => ({ key: nameOf(key), path }))
        await putAll(access, files)
      }),
    read: (key, range) =>
      asRefusal(async () => {
        const name = nameOf(key)
        if (range && range.end < range.start) throw rangeOutside()
        return client.request((signal) => bucket.get(name, range, signal)).catch(absentAsUndefined)
      }),
    stat: (key) =>
      asRefusal(async () => {
        const name = nameOf(key)
        const head = await client.request((signal) => bucket.head(name, signal)).catch(absentAsUndefined)
        return head && { sizeBytes: head.sizeBytes, modifiedAt: head.modifiedAt }
      }),
    remove: (keys) => asRefusal(async () => removeNames(access, keys.map(nameOf))),
    list: (folder, after, limit) =>
      asRefusal(async () => {
        const last = after === undefined ? undefined : base + after
        const found = await listNames(access, prefixOf(folder), last, limit)
        return found.map((entry) => ({ ...entry, key: entry.key.slice(base.length) }))
      }),
    removeAll: (folder) => asRefusal(async () => removePrefix(access, prefixOf(folder))),
    removeUnfinished: (folder, silentSince) =>
      asRefusal(async () => abortUnfinished(access, prefixOf(folder), silentSince)),
    check: () => asRefusal(() => probe(access, `${base}${probeName}`)),
    async [Symbol.asyncDispose]() {
      bucket.close()
    },
  }
}

/** All servers write it, again and again. A name that begins with a dot is never the key of a file. */
const probeName = '.probe'
const mostProbes = 3

/** Stores random bytes and reads them back. Another server may overwrite them between the two, so a difference is tried again. */
async function probe({ bucket, client }: BucketAccess, name: string): Promise<void> {
  for (let probes = 1; ; probes += 1) {
    const bytes = randomBytes(32)
    const sha256 = createHash('sha256').update(bytes).digest()
    const piece = { path: '', bytes, start: 0, sizeBytes: bytes.length, sha256 }
    await client.request((signal) => bucket.put(name, piece, {}, { signal, overwrites: true }))
    const read = await client.request(async (signal) =>
      buffer((await bucket.get(name, undefined, signal)).content),
    )
    if (read.equals(bytes)) return
    if (probes === mostProbes) throw new BucketFault('probe', 'OtherBytes', 502)
  }
}

async function putAll(access: BucketAccess, files: readonly NewFile[]): Promise<void> {
  const objects = await Promise.all(files.map(({ key, path }) => prepareObject(key, path)))
  const outcomes = await Promise.allSettled(
    objects.map((object) => {
      const isLarge = object.piece.sizeBytes > access.tuning.largeBytes
      return isLarge ? putLarge(access, object) : putObject(access, object)
    }),
  )
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure === undefined) {
    // If this fails, the sweep removes the temporary file.
    for (const { path } of files) await unlink(path).catch(() => {})
    return
  }
  // Failed puts too: their objects may be stored although the response was lost. An object that stays is an orphan, which a job removes.
  await Promise.allSettled(objects.map((object) => removeOwnObject(access, object)))
  throw failure.reason
}

async function asRefusal<T>(work: () => Promise<T>): Promise<T> {
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
