import { type CreatedPosition, isCreatedBefore } from '../../accounts/index.ts'
import { requestSync, type SiteDb, type SiteTables } from '../../db/index.ts'
import { isOpenUpload, markQuotaUse } from '../../site/index.ts'

/** An upload that is received in several requests. */
export interface ResumableUpload {
  id: string
  /** Undefined for a guest, and for a visitor of a share. */
  userId: string | undefined
  shareId: string | undefined
  /** Who will own its bytes; undefined for a guest. */
  ownerId: string | undefined
  albumId: string | undefined
  /** The network of the caller that created it. */
  address: string
  lengthBytes: number
  offsetBytes: number
  reservedBytes: number
  metadata: string
  rateLimitHitId: string | undefined
  state: SiteTables['resumableUpload']['state']
  token: string
  leasedUntil: Date | undefined
  /** Of its creation, or of the last request that sent bytes. */
  activeAt: Date
  fileId: string | undefined
  answer: string | undefined
  createdAt: Date
  expiresAt: Date
}

export async function insertUpload(db: SiteDb, upload: ResumableUpload): Promise<void> {
  await db
    .insertInto('resumableUpload')
    .values({
      ...upload,
      userId: upload.userId ?? null,
      shareId: upload.shareId ?? null,
      ownerId: upload.ownerId ?? null,
      albumId: upload.albumId ?? null,
      rateLimitHitId: upload.rateLimitHitId ?? null,
      fileId: null,
      answer: null,
      leasedUntil: upload.leasedUntil?.toISOString() ?? null,
      activeAt: upload.activeAt.toISOString(),
      createdAt: upload.createdAt.toISOString(),
      expiresAt: upload.expiresAt.toISOString(),
    })
    .execute()
  markQuotaUse(db, 'SERVICE_MAX_STORAGE')
  requestSync(db)
}

export async function findUpload(db: SiteDb, id: string): Promise<ResumableUpload | undefined> {
  const row = await db.selectFrom('resumableUpload').selectAll().where('id', '=', id).executeTakeFirst()
  return row && uploadOfRow(row)
}

function uploadOfRow(row: SiteTables['resumableUpload']): ResumableUpload {
  return {
    ...row,
    userId: row.userId ?? undefined,
    shareId: row.shareId ?? undefined,
    ownerId: row.ownerId ?? undefined,
    albumId: row.albumId ?? undefined,
    rateLimitHitId: row.rateLimitHitId ?? undefined,
    fileId: row.fileId ?? undefined,
    answer: row.answer ?? undefined,
    leasedUntil: row.leasedUntil === null ? undefined : new Date(row.leasedUntil),
    activeAt: new Date(row.activeAt === '' ? row.createdAt : row.activeAt),
    createdAt: new Date(row.createdAt),
    expiresAt: new Date(row.expiresAt),
  }
}

/** Uploads that are not over: one whose file is being made stays so, whatever its time. */
export const openUploads = (db: SiteDb, now: Date) =>
  db.selectFrom('resumableUpload').where(isOpenUpload(now.toISOString()))

/** A user, or the guests of an address. */
export type UploadOwner = { userId: string } | { address: string }

const openUploadsOf = (db: SiteDb, owner: UploadOwner, now: Date) =>
  'userId' in owner
    ? openUploads(db, now).where('userId', '=', owner.userId)
    : openUploads(db, now).where('userId', 'is', null).where('address', '=', owner.address)

export async function countOpenUploads(db: SiteDb, owner: UploadOwner, now: Date): Promise<number> {
  const counted = openUploadsOf(db, owner, now).select((eb) => eb.fn.countAll<number>().as('count'))
  return (await counted.executeTakeFirstOrThrow()).count
}

/** Open uploads that no server is receiving or finishing, the one idle longest first. */
export async function idleUploads(db: SiteDb, owner: UploadOwner, now: Date): Promise<ResumableUpload[]> {
  const rows = await openUploadsOf(db, owner, now)
    .selectAll()
    .where((row) => row.or([row('leasedUntil', 'is', null), row('leasedUntil', '<=', now.toISOString())]))
    .orderBy('activeAt')
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(uploadOfRow)
}

interface OpenUploads {
  userId: string
  /** Only uploads into this album. */
  albumId: string | undefined
  now: Date
}

/** A page of the uploads of a user that are not over, the youngest first. */
export async function openUploadsAfter(
  db: SiteDb,
  { userId, albumId, now }: OpenUploads,
  { after, limit }: { after: CreatedPosition | undefined; limit: number },
): Promise<ResumableUpload[]> {
  let query = openUploads(db, now).selectAll().where('userId', '=', userId)
  if (albumId !== undefined) query = query.where('albumId', '=', albumId)
  if (after) query = query.where(isCreatedBefore(after))
  const rows = await query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(uploadOfRow)
}

interface TakeOver {
  id: string
  offsetBytes: number
  token: string
  now: Date
  leasedUntil: Date
  /** The end of a lease whose server has not renewed it for too long. */
  deadLease: Date | undefined
}

/** Gives an upload to another request, if the offset is the one that it expects and no server is making the file. */
export async function updateToken(
  db: SiteDb,
  { id, offsetBytes, token, now, leasedUntil, deadLease }: TakeOver,
): Promise<boolean> {
  const at = now.toISOString()
  const { numUpdatedRows } = await db
    .updateTable('resumableUpload')
    .set({ token, state: 'open', leasedUntil: leasedUntil.toISOString(), activeAt: at })
    .where('id', '=', id)
    .where('offsetBytes', '=', offsetBytes)
    .where('expiresAt', '>', at)
    .where((row) =>
      row.or([
        row('state', '=', 'open'),
        row.and([
          row('state', '=', 'finishing'),
          row.or([row('leasedUntil', '<=', at), row('leasedUntil', '=', deadLease?.toISOString() ?? at)]),
        ]),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Which request may change the row. */
export interface HeldUpload {
  id: string
  token: string
}

const heldOpen = (db: SiteDb, { id, token }: HeldUpload) =>
  db
    .updateTable('resumableUpload')
    .where('id', '=', id)
    .where('token', '=', token)
    .where('state', '=', 'open')

/** False if another request has taken the upload over, or it has ended. */
export async function raiseOffset(
  db: SiteDb,
  held: HeldUpload,
  { from, to, expiresAt }: { from: number; to: number; expiresAt: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await heldOpen(db, held)
    .set({ offsetBytes: to, expiresAt: expiresAt.toISOString() })
    .where('offsetBytes', '=', from)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Whether a request is sending bytes: undefined if it has ended. */
export async function updateReceiving(
  db: SiteDb,
  held: HeldUpload,
  { now, leasedUntil }: { now: Date; leasedUntil: Date | undefined },
): Promise<void> {
  await heldOpen(db, held)
    .set({ leasedUntil: leasedUntil?.toISOString() ?? null, activeAt: now.toISOString() })
    .execute()
}

/** Begins to make the file; from then on no other request gets the upload until the lease ends. */
export async function updateToFinishing(
  db: SiteDb,
  held: HeldUpload,
  { offsetBytes, leasedUntil }: { offsetBytes: number; leasedUntil: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await heldOpen(db, held)
    .set({ state: 'finishing', leasedUntil: leasedUntil.toISOString() })
    .where('offsetBytes', '=', offsetBytes)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

const heldFinishing = (db: SiteDb, { id, token }: HeldUpload) =>
  db
    .updateTable('resumableUpload')
    .where('id', '=', id)
    .where('token', '=', token)
    .where('state', '=', 'finishing')

export async function updateLease(db: SiteDb, held: HeldUpload, leasedUntil: Date): Promise<void> {
  await heldFinishing(db, held).set({ leasedUntil: leasedUntil.toISOString() }).execute()
}

/** The file could not be made now: the last piece can be sent again. */
export async function updateToOpen(db: SiteDb, held: HeldUpload): Promise<void> {
  await heldFinishing(db, held).set({ state: 'open', leasedUntil: null }).execute()
}

/** The file is there. False if another server has taken the upload over meanwhile. */
export async function updateToDone(
  db: SiteDb,
  held: HeldUpload,
  { fileId, answer, expiresAt }: { fileId: string; answer: string; expiresAt: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await heldFinishing(db, held)
    .set((row) => ({
      state: 'done',
      leasedUntil: null,
      fileId,
      answer,
      expiresAt: expiresAt.toISOString(),
      offsetBytes: row.ref('lengthBytes'),
    }))
    .executeTakeFirst()
  markQuotaUse(db, 'SERVICE_MAX_STORAGE')
  requestSync(db)
  return numUpdatedRows === 1n
}

/** Ends an upload, whatever its state. The new token fences off requests that still send. */
export async function updateToEnded(db: SiteDb, { id, token }: HeldUpload, expiresAt: Date): Promise<void> {
  await endingOf(db, token, expiresAt).where('id', '=', id).execute()
}

/** Ends an upload that no request has taken over since it was read; false otherwise. */
export async function updateIdleToEnded(
  db: SiteDb,
  idle: HeldUpload,
  { token, expiresAt }: { token: string; expiresAt: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await endingOf(db, token, expiresAt)
    .where('id', '=', idle.id)
    .where('token', '=', idle.token)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

function endingOf(db: SiteDb, token: string, expiresAt: Date) {
  markQuotaUse(db, 'SERVICE_MAX_STORAGE')
  requestSync(db)
  return db
    .updateTable('resumableUpload')
    .set({ state: 'ended', token, leasedUntil: null, answer: null, expiresAt: expiresAt.toISOString() })
}

/** Uploads whose time is over, the longest first; but none whose file is being made. */
export async function expiredUploads(db: SiteDb, now: Date, limit: number): Promise<ResumableUpload[]> {
  const at = now.toISOString()
  const rows = await db
    .selectFrom('resumableUpload')
    .selectAll()
    .where('expiresAt', '<=', at)
    .where((row) => row.or([row('state', '<>', 'finishing'), row('leasedUntil', '<=', at)]))
    .orderBy('expiresAt')
    .limit(limit)
    .execute()
  return rows.map(uploadOfRow)
}

export async function deleteUpload(db: SiteDb, id: string): Promise<void> {
  await db.deleteFrom('resumableUpload').where('id', '=', id).execute()
}
