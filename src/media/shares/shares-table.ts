import { type CreatedPosition, isCreatedBefore } from '../../accounts/index.ts'
import type { SiteDb, SiteTables } from '../../db/index.ts'

/** A link that opens an album or a file, whatever its privacy. */
export interface Share {
  id: string
  userId: string
  /** One of the two is there. */
  albumId: string | undefined
  fileId: string | undefined
  name: string
  passwordHash: string | undefined
  /** The token, encrypted, to show its address again. */
  sealedToken: string
  allowsDownload: boolean
  allowsUpload: boolean
  maxViews: number | undefined
  views: number
  maxUploads: number | undefined
  uploads: number
  createdAt: Date
  expiresAt: Date | undefined
  revokedAt: Date | undefined
}

export async function insertShare(db: SiteDb, share: Share, tokenHash: string): Promise<void> {
  await db
    .insertInto('share')
    .values({
      ...{ id: share.id, userId: share.userId, tokenHash, sealedToken: share.sealedToken },
      ...{ albumId: share.albumId ?? null, fileId: share.fileId ?? null, views: 0, uploads: 0 },
      ...{ createdAt: share.createdAt.toISOString(), revokedAt: null, ...columnsOfEdit(share) },
    })
    .execute()
}

type ShareEdit = Pick<
  Share,
  ('name' | 'passwordHash' | 'allowsDownload' | 'allowsUpload') | ('maxViews' | 'maxUploads' | 'expiresAt')
>

export async function updateShare(db: SiteDb, id: string, edit: ShareEdit): Promise<void> {
  await db.updateTable('share').set(columnsOfEdit(edit)).where('id', '=', id).execute()
}

const columnsOfEdit = (edit: ShareEdit) => ({
  ...{ name: edit.name, passwordHash: edit.passwordHash ?? null },
  ...{ allowDownload: Number(edit.allowsDownload), allowUpload: Number(edit.allowsUpload) },
  ...{ maxViews: edit.maxViews ?? null, maxUploads: edit.maxUploads ?? null },
  expiresAt: edit.expiresAt?.toISOString() ?? null,
})

/** The row stays, so that its address is answered as one that has ended. */
export async function revokeShareRow(db: SiteDb, id: string, at: Date): Promise<void> {
  await db.updateTable('share').set({ revokedAt: at.toISOString() }).where('id', '=', id).execute()
}

export const findShare = async (db: SiteDb, id: string): Promise<Share | undefined> =>
  firstShare(db.selectFrom('share').selectAll().where('id', '=', id))

export const findShareByToken = async (db: SiteDb, tokenHash: string): Promise<Share | undefined> =>
  firstShare(db.selectFrom('share').selectAll().where('tokenHash', '=', tokenHash))

async function firstShare(query: {
  executeTakeFirst(): Promise<SiteTables['share'] | undefined>
}): Promise<Share | undefined> {
  const row = await query.executeTakeFirst()
  return row && shareOfRow(row)
}

export interface ShareFilter {
  /** Undefined: of all users. */
  userId: string | undefined
  albumId: string | undefined
  fileId: string | undefined
}

/** A page of shares that are not revoked, the youngest first. */
export async function sharesAfter(
  db: SiteDb,
  { userId, albumId, fileId }: ShareFilter,
  { after, limit }: { after: CreatedPosition | undefined; limit: number },
): Promise<Share[]> {
  let query = db.selectFrom('share').selectAll().where('revokedAt', 'is', null)
  if (userId !== undefined) query = query.where('userId', '=', userId)
  if (albumId !== undefined) query = query.where('albumId', '=', albumId)
  if (fileId !== undefined) query = query.where('fileId', '=', fileId)
  if (after) query = query.where(isCreatedBefore(after))
  const rows = await query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(shareOfRow)
}

/** Counts a view by one statement, so that visitors who come at once cannot exceed the limit. False if none is left. */
export async function updateViews(db: SiteDb, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set((row) => ({ views: row('views', '+', 1) }))
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now.toISOString())]))
    .where((eb) => eb.or([eb('maxViews', 'is', null), eb('views', '<', eb.ref('maxViews'))]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Counts an upload in the same way. */
export async function updateUploads(db: SiteDb, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set((row) => ({ uploads: row('uploads', '+', 1) }))
    .where('id', '=', id)
    .where((eb) => eb.or([eb('maxUploads', 'is', null), eb('uploads', '<', eb.ref('maxUploads'))]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

const timeOf = (text: string | null) => (text === null ? undefined : new Date(text))

const shareOfRow = (row: SiteTables['share']): Share => ({
  ...{ id: row.id, userId: row.userId, name: row.name, sealedToken: row.sealedToken },
  ...{ albumId: row.albumId ?? undefined, fileId: row.fileId ?? undefined },
  passwordHash: row.passwordHash ?? undefined,
  allowsDownload: row.allowDownload === 1,
  allowsUpload: row.allowUpload === 1,
  ...{ maxViews: row.maxViews ?? undefined, views: row.views },
  ...{ maxUploads: row.maxUploads ?? undefined, uploads: row.uploads },
  createdAt: new Date(row.createdAt),
  expiresAt: timeOf(row.expiresAt),
  revokedAt: timeOf(row.revokedAt),
})
