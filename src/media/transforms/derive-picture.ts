import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { quotaReached } from '../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../db/index.ts'
import type { Transformed, TransformOptions } from '../../imaging/index.ts'
import { randomId } from '../../lib/ids.ts'
import {
  addToDay,
  type ChangingSite,
  limitOf,
  markQuotaUse,
  quotaActionOf,
  readQuotaUse,
  type Site,
} from '../../site/index.ts'
import { fileNotFound } from '../errors.ts'
import { storedKeysOf } from '../files/file-keys-table.ts'
import type { ServedFile } from '../files/reading/served-files-table.ts'
import { keyOf, type StoredVariant } from '../files/stored-file.ts'
import { lockSite } from '../lock-site.ts'
import { copyOriginal } from './copy-original.ts'
import { type DerivedRow, findDerived, findServedRevision, keyOfDerived } from './derived-table.ts'
import { dropDerived, insertDerived, makeRoom, minuteOf } from './kept-pictures.ts'

export interface Deriving {
  file: ServedFile
  /** Of a video: what is derived from. */
  frame: StoredVariant | undefined
  options: TransformOptions
  key: string
  /** An existing folder of its own, on the disk of the decoders. */
  folder: string
  isUnhurried?: boolean
}

/** A picture that was made now, and its row if it is kept. */
export interface MadePicture {
  made: Transformed
  bytes: Buffer
  row: DerivedRow | undefined
}

/**
 * Derives a picture, counts it, and keeps it if the site has room for it. Refused after the transforms of the month are used up. The bytes
 * are stored before the row: a kill between the two leaves an orphan, and a power cut may leave a row without its bytes.
 */
export async function derivePicture(site: ChangingSite, deriving: Deriving): Promise<MadePicture> {
  const startedAt = performance.now()
  await checkTransformsLeft(site)
  const made = await transform(site, deriving)
  // Storing moves the file away.
  const bytes = await readFile(made.path)
  const row = rowOf(site, deriving, made)
  const room = limitOf(site.values, 'SERVICE_MAX_DERIVED') ?? Number.POSITIVE_INFINITY
  const isKept = made.sizeBytes <= room
  const key = keyOfDerived(row)
  if (isKept) await site.storage.put([{ key, path: made.path }], { isLossy: true })
  const removeBytes = () => site.storage.remove([key]).catch(() => undefined)
  const transformMs = Math.round(performance.now() - startedAt)
  let isCommitting = false
  const record = async (db: SiteDb): Promise<DerivedRow | undefined> => {
    isCommitting = false
    const kept = await recordPicture({ ...site, db }, { row, deriving, isKept, room, transformMs })
    isCommitting = true
    return kept
  }
  try {
    const kept = await inTransaction(site.db, record, async (db) => {
      await lockSite(db)
      return (await findDerived(db, row))?.id === row.id
    })
    if (isKept && kept?.id !== row.id) await removeBytes()
    return { made, bytes, row: kept?.id === row.id ? kept : undefined }
  } catch (error) {
    if (isKept && !isCommitting) await removeBytes()
    throw error
  }
}

interface Recording {
  row: DerivedRow
  deriving: Deriving
  isKept: boolean
  room: number
  transformMs: number
}

/** Undefined if the picture is not kept; the row of another server if that was faster. */
async function recordPicture(
  site: ChangingSite,
  { row, deriving, isKept, room, transformMs }: Recording,
): Promise<DerivedRow | undefined> {
  const { db } = site
  await lockSite(db)
  await checkTransformsLeft(site)
  await addToDay(site, { transforms: 1, transformMs })
  markQuotaUse(db, 'SERVICE_MAX_TRANSFORMS')
  await checkStillServed(site, deriving.file)
  const known = await findDerived(db, row)
  const kept = known ?? (isKept ? row : undefined)
  if (kept === row) await insertDerived(site, row)
  // Also if nothing is added: the room may have become smaller.
  await makeRoom(site, room, kept?.id)
  return kept
}

/** Bytes of a file that was removed or replaced meanwhile are nobody's. */
async function checkStillServed(
  { db, clock }: Pick<Site, 'db' | 'clock'>,
  { id, keyRevision }: ServedFile,
): Promise<void> {
  if ((await findServedRevision(db, id, clock.now())) !== keyRevision) throw fileNotFound()
}

/** Bytes that were found missing or damaged are made again by the next request. */
export const forgetDerived = (site: ChangingSite, id: string): Promise<void> =>
  inTransaction(site.db, async (db) => {
    await lockSite(db)
    await dropDerived({ ...site, db }, [id])
  })

async function checkTransformsLeft(site: ChangingSite): Promise<void> {
  if (quotaActionOf(site.values) === 'alert') return
  const limit = limitOf(site.values, 'SERVICE_MAX_TRANSFORMS')
  if (limit === undefined) return
  const { used } = await readQuotaUse(site, 'SERVICE_MAX_TRANSFORMS')
  if (used >= limit) throw quotaReached('SERVICE_MAX_TRANSFORMS', limit)
}

/** The decoder gets a copy, which it could change. */
async function transform(site: Site, deriving: Deriving): Promise<Transformed> {
  const { folder, options, isUnhurried = false } = deriving
  const path = join(folder, 'original')
  const key = keyOf(deriving.file, deriving.frame)
  const known = storedKeysOf(deriving.file).find((each) => each.key === key)
  if (!known) throw fileNotFound()
  await copyOriginal(site, known, path).catch(async (error) => {
    await checkStillServed(site, deriving.file)
    throw error
  })
  return site.imaging.transform(path, {
    tenantKey: String(site.number),
    outputFolder: folder,
    options,
    isUnhurried,
  })
}

function rowOf(site: Site, { file, key }: Deriving, made: Transformed): DerivedRow {
  const at = minuteOf(site.clock.now())
  return {
    id: randomId(),
    fileId: file.id,
    keyRevision: file.keyRevision,
    options: key,
    extension: made.path.slice(made.path.lastIndexOf('.') + 1),
    mime: made.mime,
    sizeBytes: made.sizeBytes,
    sha256: made.sha256,
    createdAt: site.clock.now().toISOString(),
    usedAt: at.toISOString(),
  }
}
