import { limitReached } from '../accounts/index.ts'
import { inTransaction, type SiteDb } from '../db/index.ts'
import { Refusal } from '../lib/refusal.ts'
import { addToTotal, type LimitName, limitOf, type Site, type TotalName } from '../site/index.ts'
import { newDeleteToken } from './delete-token.ts'
import { type Asked, findExisting } from './duplicates.ts'
import { withSuffix } from './file-name.ts'
import { findDeleteHashes, insertFile } from './files-table.ts'
import { isNameKept } from './freed-names.ts'
import { waitInLine } from './line.ts'
import { checkStillPossible } from './recheck.ts'
import { keyOf, type StoredFile, storedBytesOf, type VariantName, variantOf } from './stored-file.ts'
import { insertFileTags, insertTag, knownTags } from './tags-table.ts'
import type { Uploaded } from './upload.ts'

interface Storing extends Asked {
  file: StoredFile
  paths: { file: string } & Record<VariantName, string | undefined>
}

/**
 * Bytes first, then the row: what a cut leaves between is a file without a row, which nobody was told of.
 * Row, counts and limits are one transaction.
 */
export async function storeFile(site: Site, storing: Storing): Promise<Uploaded> {
  const { file, paths } = storing
  const placed = [
    { key: keyOf(file), path: paths.file },
    ...(['thumb', 'medium', 'frame'] as const).flatMap((name) => {
      const [variant, path] = [variantOf(file, name), paths[name]]
      return variant && path ? [{ key: keyOf(file, variant), path }] : []
    }),
  ]
  await site.storage.put(placed)
  // What cannot be taken back now is an orphan, and the sweeper's.
  const takeBack = () => site.storage.remove(placed.map(({ key }) => key)).catch(() => undefined)
  let isCommitting = false
  try {
    const insert = async (db: SiteDb) => {
      isCommitting = false
      const inserted = await insertAll({ ...site, db }, storing)
      isCommitting = true
      return inserted
    }
    const uploaded = await inTransaction(site.db, insert, async (db) => {
      isCommitting = await isInserted(db, file)
      return isCommitting
    })
    if (uploaded.file.id !== file.id) await takeBack()
    return uploaded
  } catch (error) {
    // A commit that failed may come true yet, when its answer was lost or the log is read again after a crash:
    // then its row must find its bytes. If it does not, they are an orphan.
    if (!isCommitting || isFull(error)) await takeBack()
    throw error
  }
}

/** What found no room was not written. */
const isFull = (error: unknown) => error instanceof Refusal && error.code === 'disk-full'

async function insertAll(site: Site, { file, ...asked }: Storing): Promise<Uploaded> {
  const { db } = site
  const { request, address } = asked.upload
  await waitInLine(db)
  await checkStillPossible(site, asked.actor, request)
  // The same bytes may have been stored while these were looked at.
  const existing = await findExisting(site, asked)
  if (existing) return existing

  await count(site, 'files', 1, 'SERVICE_MAX_FILES')
  await count(site, 'storageUsed', storedBytesOf(file), 'SERVICE_MAX_STORAGE')
  const { token, tokenHash } = newDeleteToken()
  const secrets = { deleteHash: tokenHash, uploaderAddress: address }
  const named = await insertNamed(db, file, secrets)
  const tags = await tagFile(site, file, request.tags)
  return { file: named, tags, deleteToken: token }
}

/** Told for good: a transaction that has not ended yet holds its place in the line. */
async function isInserted(db: SiteDb, file: StoredFile): Promise<boolean> {
  await waitInLine(db)
  return (await findDeleteHashes(db, file.id)) !== undefined
}

async function count(site: Site, total: TotalName, by: number, name: LimitName): Promise<void> {
  const limit = limitOf(site.values, name)
  if (!(await addToTotal(site.db, total, by, limit))) throw limitReached(name, limit ?? 0)
}

/** Of several that want a name one gets it, and the others get endings; so does who wants the name of a removed file. */
async function insertNamed(
  db: SiteDb,
  file: StoredFile,
  secrets: Parameters<typeof insertFile>[2],
): Promise<StoredFile> {
  for (let named = file; ; named = { ...file, name: withSuffix(file.name) }) {
    if (!(await isNameKept(db, named, file.createdAt)) && (await insertFile(db, named, secrets))) return named
  }
}

/** New tags are made while the site may have more; those over the limit are left out. */
async function tagFile(site: Site, file: StoredFile, names: readonly string[]): Promise<string[]> {
  const { db } = site
  const known = await knownTags(db, names)
  const limit = limitOf(site.values, 'SERVICE_MAX_TAGS')
  const taken: string[] = []
  for (const name of names) {
    const isThere =
      known.has(name) ||
      ((await addToTotal(db, 'tags', 1, limit)) && (await makeTag(db, name, file.createdAt)))
    if (isThere) taken.push(name)
  }
  await insertFileTags(db, file.id, taken)
  return taken
}

/** Another upload may have made it meanwhile; then it was counted there. */
async function makeTag(db: SiteDb, name: string, at: Date): Promise<true> {
  if (!(await insertTag(db, name, at))) await addToTotal(db, 'tags', -1)
  return true
}
