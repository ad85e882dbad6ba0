import type { ExpressionBuilder } from 'kysely'
import type { CreatedPosition } from '../../accounts/index.ts'
import type { SiteDb, SiteTables } from '../../db/index.ts'
import { isLive } from '../files/files-table.ts'
import { type SharedThing, type ThingRow, thingOf } from './shared-thing.ts'

/** A link that opens an album, a file or several, whatever their privacy, and is worth what its maker may do now. */
export interface Share extends StoredShare {
  /** Of its maker. */
  username: string
  /** Who owns what it opens; an empty id is that of a guest. */
  ownerIds: readonly string[]
  /** The maker is banned, or may no longer share this: it opens nothing until the maker may again. */
  isSuspended: boolean
  /** What it opens; undefined if that is several files, and while it is suspended. */
  thing: SharedThing | undefined
}

export interface StoredShare {
  id: string
  /** Its maker. */
  userId: string
  /** One of the three is there. */
  albumId: string | undefined
  fileId: string | undefined
  /** In the order in which they are shown: those that it opens now. */
  fileIds?: readonly string[]
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
  /** What it says to those who are asked for files. */
  message: string
  /** It asks them for their names. */
  asksName: boolean
  createdAt: Date
  expiresAt: Date | undefined
  revokedAt: Date | undefined
}

export async function insertShare(db: SiteDb, share: StoredShare, tokenHash: string): Promise<void> {
  await db
    .insertInto('share')
    .values({
      id: share.id,
      userId: share.userId,
      tokenHash,
      sealedToken: share.sealedToken,
      albumId: share.albumId ?? null,
      fileId: share.fileId ?? null,
      views: 0,
      uploads: 0,
      createdAt: share.createdAt.toISOString(),
      revokedAt: null,
      ...columnsOfEdit(share),
    })
    .execute()
  const files = share.fileIds?.map((fileId, position) => ({ shareId: share.id, fileId, position }))
  if (files) await db.insertInto('shareFile').values(files).execute()
}

type ShareEdit = Pick<
  StoredShare,
  | ('name' | 'passwordHash' | 'allowsDownload' | 'allowsUpload')
  | ('maxViews' | 'maxUploads' | 'expiresAt' | 'message' | 'asksName')
>

export async function updateShare(db: SiteDb, id: string, edit: ShareEdit): Promise<void> {
  await db.updateTable('share').set(columnsOfEdit(edit)).where('id', '=', id).execute()
}

const columnsOfEdit = (edit: ShareEdit) => ({
  name: edit.name,
  passwordHash: edit.passwordHash ?? null,
  allowDownload: Number(edit.allowsDownload),
  allowUpload: Number(edit.allowsUpload),
  maxViews: edit.maxViews ?? null,
  maxUploads: edit.maxUploads ?? null,
  message: edit.message,
  asksName: Number(edit.asksName),
  expiresAt: edit.expiresAt?.toISOString() ?? null,
})

/** The row stays, so that its address is answered as one that has ended. */
export async function revokeShareRow(db: SiteDb, id: string, at: Date): Promise<void> {
  await db.updateTable('share').set({ revokedAt: at.toISOString() }).where('id', '=', id).execute()
}

/**
 * Every share is read by this query, with the rights of its maker: no server can hold an older answer. A maker who is deleted takes
 * the shares along, and so does the last file of a share.
 */
const selectShares = (db: SiteDb) =>
  db
    .selectFrom('share')
    .innerJoin('user', 'user.id', 'share.userId')
    .leftJoin('album', 'album.id', 'share.albumId')
    .leftJoin('file', 'file.id', 'share.fileId')
    .selectAll('share')
    .select(['user.username', 'user.role', 'user.isBanned'])
    .select([
      'album.title as albumTitle',
      'file.title as fileTitle',
      'file.type',
      'file.name as fileName',
      'file.extension',
    ])
    .select((eb) => eb.fn.coalesce('album.userId', 'file.userId').as('ownerId'))
    .where(isAboutSomething)

/** A share whose files are all deleted is no share any more. */
export const isAboutSomething = (eb: ExpressionBuilder<SiteTables, 'share'>) =>
  eb.or([
    eb('share.albumId', 'is not', null),
    eb('share.fileId', 'is not', null),
    eb.exists(filesOfShare(eb)),
  ])

const filesOfShare = (eb: ExpressionBuilder<SiteTables, 'share'>) =>
  eb.selectFrom('shareFile').select('shareFile.fileId').whereRef('shareFile.shareId', '=', 'share.id')

/** With `fileId`, a share of several files is read as one of that file, or not at all if it has none. */
export async function findShare(
  db: SiteDb,
  { id, fileId, now }: { id: string; fileId?: string; now: Date },
): Promise<Share | undefined> {
  const rows = await selectShares(db).where('share.id', '=', id).execute()
  return (await sharesOfRows(db, rows, { fileId, now }))[0]
}

export async function findShareByToken(db: SiteDb, tokenHash: string, now: Date): Promise<Share | undefined> {
  const rows = await selectShares(db).where('share.tokenHash', '=', tokenHash).execute()
  return (await sharesOfRows(db, rows, { now }))[0]
}

export interface ShareFilter {
  /** Shares that this user has made. */
  madeBy?: string | undefined
  /** Shares that this user has made, or that open what belongs to this user. */
  seenBy?: string | undefined
  albumId?: string | undefined
  fileId?: string | undefined
}

/** A page of shares that are not revoked, the youngest first. */
export async function sharesAfter(
  db: SiteDb,
  { madeBy, seenBy, albumId, fileId }: ShareFilter,
  { after, limit, now }: { after: CreatedPosition | undefined; limit: number; now: Date },
): Promise<Share[]> {
  let query = selectShares(db).where('share.revokedAt', 'is', null)
  if (madeBy !== undefined) query = query.where('share.userId', '=', madeBy)
  if (seenBy !== undefined)
    query = query.where((eb) =>
      eb.or([
        eb('share.userId', '=', seenBy),
        eb('album.userId', '=', seenBy),
        eb('file.userId', '=', seenBy),
        eb.exists(
          filesOfShare(eb)
            .innerJoin('file as shared', 'shared.id', 'shareFile.fileId')
            .where('shared.userId', '=', seenBy),
        ),
      ]),
    )
  if (albumId !== undefined) query = query.where('share.albumId', '=', albumId)
  if (fileId !== undefined)
    query = query.where((eb) =>
      eb.or([
        eb('share.fileId', '=', fileId),
        eb.exists(filesOfShare(eb).where('shareFile.fileId', '=', fileId)),
      ]),
    )
  if (after)
    query = query.where((eb) =>
      eb(eb.refTuple('share.createdAt', 'share.id'), '<', eb.tuple(after.createdAt, after.id)),
    )
  const rows = await query
    .orderBy('share.createdAt', 'desc')
    .orderBy('share.id', 'desc')
    .limit(limit)
    .execute()
  return sharesOfRows(db, rows, { now })
}

/** Reads the files of those that have several. */
async function sharesOfRows(
  db: SiteDb,
  rows: readonly ShareRow[],
  { fileId, now }: { fileId?: string | undefined; now: Date },
): Promise<Share[]> {
  const ids = rows.flatMap((row) => ((row.albumId ?? row.fileId) === null ? [row.id] : []))
  if (ids.length === 0) return rows.map((row) => shareOfRow(row))
  let query = db
    .selectFrom('shareFile')
    .innerJoin('file', 'file.id', 'shareFile.fileId')
    .select(['shareFile.shareId', 'file.id', 'file.userId', 'file.isApproved'])
    .select((eb) => eb.case().when(isLive(now.toISOString())(eb)).then(1).else(0).end().as('isLive'))
    .where('shareFile.shareId', 'in', ids)
    .orderBy('shareFile.position')
  if (fileId !== undefined) query = query.where('file.id', '=', fileId)
  const files = Map.groupBy(await query.execute(), ({ shareId }) => shareId)
  return rows.flatMap((row) => {
    const own = files.get(row.id)
    return own || !ids.includes(row.id) ? [shareOfRow(row, own)] : []
  })
}

const timeOf = (text: string | null) => (text === null ? undefined : new Date(text))

type ShareRow = SiteTables['share'] &
  Pick<SiteTables['user'], 'username' | 'role' | 'isBanned'> &
  ThingRow & { ownerId: string | null }

interface FileRow {
  id: string
  userId: string | null
  isApproved: number
  isLive: number
}

const ownersOf = ({ ownerId }: ShareRow, files: readonly FileRow[] | undefined) =>
  files ? files.map(({ userId }) => userId) : [ownerId]

/** Administrators and managers share everything, others what is theirs. */
const mayShare = ({ role, userId }: ShareRow, ownerId: string | null) => role !== 'user' || ownerId === userId

const isOpened = (row: ShareRow, file: FileRow) =>
  file.isLive === 1 && file.isApproved === 1 && mayShare(row, file.userId)

const isSuspended = (row: ShareRow, files: readonly FileRow[] | undefined) =>
  row.isBanned === 1 || !ownersOf(row, files).some((ownerId) => mayShare(row, ownerId))

const shareOfRow = (row: ShareRow, files?: readonly FileRow[]): Share => ({
  id: row.id,
  userId: row.userId,
  name: row.name,
  sealedToken: row.sealedToken,
  username: row.username,
  ownerIds: [...new Set(ownersOf(row, files).map((id) => id ?? ''))],
  isSuspended: isSuspended(row, files),
  thing: isSuspended(row, files) ? undefined : thingOf(row),
  albumId: row.albumId ?? undefined,
  fileId: row.fileId ?? undefined,
  ...(files && { fileIds: files.filter((file) => isOpened(row, file)).map(({ id }) => id) }),
  passwordHash: row.passwordHash ?? undefined,
  allowsDownload: row.allowDownload === 1,
  allowsUpload: row.allowUpload === 1,
  maxViews: row.maxViews ?? undefined,
  views: row.views,
  maxUploads: row.maxUploads ?? undefined,
  uploads: row.uploads,
  message: row.message,
  asksName: row.asksName === 1,
  createdAt: new Date(row.createdAt),
  expiresAt: timeOf(row.expiresAt),
  revokedAt: timeOf(row.revokedAt),
})
