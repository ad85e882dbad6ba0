import type { SiteDb, SiteTables } from '../../db/index.ts'
import type { KnownBytes } from '../../storage/index.ts'

/** Stored bytes of an open upload. */
export type UploadPiece = SiteTables['uploadPiece']

/** The folder of all pieces in the storage of a site. */
const piecesFolder = 'partial'

export const folderOfPieces = (uploadId: string): string => `${piecesFolder}/${uploadId}`

/** With leading zeros, so that a listing has the pieces in the order of the file. */
const nameOfPiece = ({ offsetBytes, token }: Pick<UploadPiece, 'offsetBytes' | 'token'>): string =>
  `${String(offsetBytes).padStart(15, '0')}-${token}`

/** The token makes the key that of one request: no other one ever writes it. */
export const keyOfPiece = (piece: Pick<UploadPiece, 'uploadId' | 'offsetBytes' | 'token'>): string =>
  `${folderOfPieces(piece.uploadId)}/${nameOfPiece(piece)}`

/** What the row of a piece knows of its bytes. */
export const knownPiece = (piece: UploadPiece): KnownBytes => ({
  key: keyOfPiece(piece),
  sizeBytes: piece.sizeBytes,
  sha256: piece.sha256 ?? undefined,
})

const keyForm = /^partial\/([A-Za-z0-9]{1,64})\/(\d{15})-([A-Za-z0-9]{1,64})$/

export const isPieceKey = (key: string): boolean => keyForm.test(key)

/** Those of the keys that a piece of an open upload has. */
export async function piecesOfKeys(db: SiteDb, keys: readonly string[]): Promise<UploadPiece[]> {
  const wanted = new Set(keys)
  const ids = new Set(keys.flatMap((key) => keyForm.exec(key)?.[1] ?? []))
  if (ids.size === 0) return []
  const rows = await db
    .selectFrom('uploadPiece')
    .selectAll()
    .where('uploadId', 'in', [...ids])
    .execute()
  return rows.filter((piece) => wanted.has(keyOfPiece(piece)))
}

/** A page of the pieces of all uploads, in the order of their keys; `after` is the last key of the page before. */
export async function piecesAfter(
  db: SiteDb,
  after: string | undefined,
  limit: number,
): Promise<UploadPiece[]> {
  const [, uploadId = '', offset = '0'] = keyForm.exec(after ?? '') ?? []
  const page = db
    .selectFrom('uploadPiece')
    .selectAll()
    .orderBy('uploadId')
    .orderBy('offsetBytes')
    .limit(limit)
  if (uploadId === '') return page.execute()
  return page
    .where((piece) =>
      piece.or([
        piece('uploadId', '>', uploadId),
        piece.and([piece('uploadId', '=', uploadId), piece('offsetBytes', '>', Number(offset))]),
      ]),
    )
    .execute()
}

/** The pieces of an upload, in the order of the file. */
export function piecesOfUpload(db: SiteDb, uploadId: string): Promise<UploadPiece[]> {
  return db
    .selectFrom('uploadPiece')
    .selectAll()
    .where('uploadId', '=', uploadId)
    .orderBy('offsetBytes')
    .execute()
}

export async function insertPieces(db: SiteDb, pieces: readonly UploadPiece[]): Promise<void> {
  await db.insertInto('uploadPiece').values(pieces).execute()
}

/** For a piece of an earlier version, whose row has none. */
export async function updatePieceSum(db: SiteDb, key: string, sha256: string): Promise<void> {
  const [, uploadId = '', offset = '', token = ''] = keyForm.exec(key) ?? []
  await db
    .updateTable('uploadPiece')
    .set({ sha256 })
    .where('uploadId', '=', uploadId)
    .where('offsetBytes', '=', Number(offset))
    .where('token', '=', token)
    .execute()
}

export async function deletePieces(db: SiteDb, uploadId: string): Promise<void> {
  await db.deleteFrom('uploadPiece').where('uploadId', '=', uploadId).execute()
}

export async function countPieces(db: SiteDb): Promise<number> {
  const row = await db
    .selectFrom('uploadPiece')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}
