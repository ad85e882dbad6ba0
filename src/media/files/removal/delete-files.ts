import { hash, timingSafeEqual } from 'node:crypto'
import { inTransaction, type SiteDb } from '../../../db/index.ts'
import { randomHex, randomId } from '../../../lib/ids.ts'
import {
  type AuditedSite,
  addToDayOfOwners,
  addToTotal,
  type ChangingSite,
  recordChanges,
  type Site,
} from '../../../site/index.ts'
import { fileNotFound } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { dropDerivedOfFiles } from '../../transforms/kept-pictures.ts'
import { findDeleteHashes, findFile, ownersOf } from '../files-table.ts'
import { deleteRevisions, type EarlierBytes, earlierBytesOf } from '../revisions/revisions-table.ts'
import { keysOf, type StoredFile } from '../stored-file.ts'
import { hasByteHold } from './byte-holds-table.ts'
import { deleteFileRows } from './deleted-files-table.ts'
import { deleteRemovals, insertRemovals, reserveNames } from './reserved-names-table.ts'

/** The file of a delete link. A wrong token and a missing file get the same refusal. */
export async function fileOfDeleteLink(site: Site, link: { id: string; token: string }): Promise<StoredFile> {
  const file = await findFile(site.db, link.id, site.clock.now())
  const hashes = await findDeleteHashes(site.db, link.id)
  if (!file || hashes === undefined || !isTokenOf(link.token, hashes)) throw fileNotFound()
  return file
}

/**
 * Replaces the row by removal records, then removes the bytes, then the records. Each step may be repeated. `change` is part of the
 * transaction.
 */
export async function removeFile(
  site: ChangingSite,
  { id }: Pick<StoredFile, 'id'>,
  change?: (db: SiteDb) => Promise<void>,
): Promise<void> {
  const remove = async (db: SiteDb) => {
    const deleted = await deleteFiles({ ...site, db }, [id])
    if (deleted.count === 0) throw fileNotFound()
    await change?.(db)
    return deleted.removals
  }
  const removals = await inTransaction(site.db, remove, async (db) => {
    await lockSite(db)
    return (await findDeleteHashes(db, id)) === undefined
  })
  await removeBytesNow(site, removals)
}

/** Removes the bytes of removal records, outside of the transaction that wrote them. */
export async function removeBytesNow(site: ChangingSite, removals: readonly Removal[]): Promise<void> {
  if (removals.length === 0) return
  try {
    // An export is copying them: the job `remove-bytes` removes them after it.
    if (await hasByteHold(site.db, site.clock.now())) return
    await site.storage.remove(removals.map(({ path }) => path))
    await deleteRemovals(
      site.db,
      removals.map(({ id }) => id),
    )
  } catch {
    // The file is deleted; the removal records stay, and the job `remove-bytes` removes the bytes.
  }
}

export interface Removal {
  id: string
  path: string
}

interface Deletion {
  verb?: 'file.removed' | 'file.rejected'
  reason?: string | undefined
}

/**
 * Replaces the rows of files and of their earlier revisions by removal records of their bytes. Ids without a row are left
 * out. Part of the caller's transaction.
 */
export async function deleteFiles(
  site: AuditedSite,
  ids: readonly string[],
  { verb = 'file.removed', reason }: Deletion = {},
): Promise<{ count: number; removals: Removal[] }> {
  const { db } = site
  const now = site.clock.now()
  if (ids.length === 0) return { count: 0, removals: [] }
  // Locks the totals before the rows, as uploads do: another order would deadlock.
  await lockSite(db)
  await dropDerivedOfFiles(site, ids)
  const earlier = await earlierBytesOf(db, ids)
  const deleted = await deleteFileRows(db, ids)
  if (deleted.length === 0) return { count: 0, removals: [] }
  const counted = deleted.filter(({ deletedAt }) => deletedAt === null).length
  await addToTotal(db, 'files', -counted)
  const owners = new Map(deleted.map(({ id, userId }) => [id, userId]))
  const freed = [...deleted, ...earlier.map((bytes) => ({ ...bytes, userId: owners.get(bytes.id) }))]
  await addToTotal(db, 'storageUsed', -sumOf(freed, 'storedBytes'))
  await addToDayOfOwners(site, freed, ({ storedBytes, ...file }) => ({
    files: 'deletedAt' in file && file.deletedAt === null ? -1 : 0,
    storageUsed: -storedBytes,
  }))
  await addToTotal(db, 'fileViews', -sumOf(deleted, 'views'))
  await addToTotal(db, 'fileLikes', -sumOf(deleted, 'likes'))
  await reserveNames(db, deleted, now)
  await recordChanges(
    site,
    deleted.map(({ id, originalName, userId }) => ({
      verb,
      target: id,
      before: { originalName, userId },
      ...(reason !== undefined && { after: { reason } }),
    })),
  )
  return { count: deleted.length, removals: await writeRemovals(db, [...deleted, ...earlier], now) }
}

/** Replaces earlier revisions by removal records of their bytes. Part of the caller's transaction. */
export async function deleteEarlierRevisions(
  site: AuditedSite,
  earlier: readonly EarlierBytes[],
): Promise<number> {
  if (earlier.length === 0) return 0
  const { db } = site
  const owners = await ownersOf(
    db,
    earlier.map(({ id }) => id),
  )
  await addToTotal(db, 'storageUsed', -sumOf(earlier, 'storedBytes'))
  await addToDayOfOwners(
    site,
    earlier.map(({ id, storedBytes }) => ({ storedBytes, userId: owners.get(id) })),
    ({ storedBytes }) => ({ storageUsed: -storedBytes }),
  )
  await deleteRevisions(
    db,
    earlier.map(({ id: fileId, revision }) => ({ fileId, revision })),
  )
  await writeRemovals(db, earlier, site.clock.now())
  return earlier.length
}

async function writeRemovals(
  db: SiteDb,
  bytes: readonly Parameters<typeof keysOf>[0][],
  now: Date,
): Promise<Removal[]> {
  const removals = bytes.flatMap((each) => keysOf(each).map((path) => ({ id: randomId(), path })))
  await insertRemovals(db, removals, now)
  return removals
}

const sumOf = <Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number =>
  rows.reduce((sum, row) => sum + row[name], 0)

/** 48 hexadecimal digits; only the hash is stored. */
export function newDeleteToken(): { token: string; tokenHash: string } {
  const token = randomHex(24)
  return { token, tokenHash: hash('sha256', token) }
}

const maxTokens = 10

/** A duplicate upload adds a token to its file; the oldest tokens are dropped. */
export const withToken = (tokenHashes: string, tokenHash: string): string =>
  [...tokenHashes.split(' '), tokenHash].slice(-maxTokens).join(' ')

function isTokenOf(token: string, tokenHashes: string): boolean {
  const given = hash('sha256', token, 'buffer')
  return tokenHashes.split(' ').some((each) => timingSafeEqual(given, Buffer.from(each, 'hex')))
}
