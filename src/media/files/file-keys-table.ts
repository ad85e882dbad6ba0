import type { SiteDb, SiteRow, SiteTables } from '../../db/index.ts'
import {
  allBrandPictures,
  type BrandPicture,
  isBrandKey,
  keyOfBrandPicture,
} from '../brand/brand-pictures-table.ts'
import {
  countPieces,
  isPieceKey,
  keyOfPiece,
  piecesAfter,
  piecesOfKeys,
  type UploadPiece,
} from '../resumable/pieces/upload-pieces-table.ts'
import { type EarlierBytes, earlierBytesOf } from './revisions/revisions-table.ts'
import { type KeyedBytes, keyOf, type StoredFile } from './stored-file.ts'

/** Every storage key of a file or of a revision, with its size. */
export const storedKeysOf = (bytes: KeyedBytes): { key: string; sizeBytes: number }[] => [
  { key: keyOf(bytes), sizeBytes: bytes.sizeBytes },
  ...bytes.variants.map((variant) => ({ key: keyOf(bytes, variant), sizeBytes: variant.sizeBytes })),
]

/** The storage keys of a raw row of `file`, without those of earlier revisions. */
export const storedKeysOfRow = (row: SiteRow): { key: string; sizeBytes: number }[] =>
  storedKeysOf(bytesOfRow(row as unknown as SiteTables['file']))

/** The storage key of a raw row of `brandPicture`, and the id that its bytes have in lists of keys. */
export function storedKeyOfBrandRow(row: SiteRow): { id: string; key: string; sizeBytes: number } {
  const picture = row as unknown as SiteTables['brandPicture']
  const key = keyOfBrandPicture(picture)
  return { id: brandMark + key, key, sizeBytes: picture.sizeBytes }
}

/**
 * Ids of logo and icon, and of pieces of open uploads, begin with these marks. So they come behind those of files, which are
 * letters and digits.
 */
const brandMark = '{'
const pieceMark = '~'

/** The id of the file, of the picture of the brand, or of the piece of an open upload, that a storage key belongs to. */
export function idOfKey(key: string): string {
  if (isPieceKey(key)) return pieceMark + key
  if (isBrandKey(key)) return brandMark + key
  return key.slice(key.lastIndexOf('/') + 1).split('.', 1)[0] ?? ''
}

/** The storage keys of a file, with those of its earlier revisions; or the key of a picture of the brand, or of a piece. */
export interface FileKeys {
  id: string
  /** Rises when a key is added. */
  revision: number
  keys: { key: string; sizeBytes: number }[]
}

const columns = ['id', 'folder', 'extension', 'sizeBytes', 'variants', 'keyRevision', 'revision'] as const

/**
 * A page of the storage keys of all files, then of the brand, then of all pieces, in the order of ids; other columns of a
 * row may be long.
 */
export async function fileKeysAfter(db: SiteDb, id: string, limit: number): Promise<FileKeys[]> {
  if (id.startsWith(pieceMark)) return (await piecesAfter(db, id.slice(1), limit)).map(keysOfPiece)
  if (id.startsWith(brandMark)) return keysBehindFiles(db, id, limit)
  const rows = await db
    .selectFrom('file')
    .select(columns)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.length > 0 ? withEarlierKeys(db, rows) : keysBehindFiles(db, id, limit)
}

async function keysBehindFiles(db: SiteDb, id: string, limit: number): Promise<FileKeys[]> {
  const pictures = (await brandKeys(db)).filter((picture) => picture.id > id).slice(0, limit)
  return pictures.length > 0 ? pictures : (await piecesAfter(db, undefined, limit)).map(keysOfPiece)
}

/** The storage keys of these files, expired or not, and of these pieces. */
export async function fileKeysOfIds(db: SiteDb, ids: readonly string[]): Promise<FileKeys[]> {
  const ofFiles = ids.filter((id) => !id.startsWith(pieceMark) && !id.startsWith(brandMark))
  const ofPieces = ids.filter((id) => id.startsWith(pieceMark)).map((id) => id.slice(1))
  const hasBrand = ids.some((id) => id.startsWith(brandMark))
  const pictures = hasBrand ? (await brandKeys(db)).filter(({ id }) => ids.includes(id)) : []
  const others = [...pictures, ...(await piecesOfKeys(db, ofPieces)).map(keysOfPiece)]
  if (ofFiles.length === 0) return others
  const rows = await db.selectFrom('file').select(columns).where('id', 'in', ofFiles).execute()
  return [...(await withEarlierKeys(db, rows)), ...others]
}

const brandKeys = async (db: SiteDb): Promise<FileKeys[]> =>
  (await allBrandPictures(db)).map(keysOfPicture).toSorted((one, two) => (one.id < two.id ? -1 : 1))

/** Another picture has another id, so it has one revision. */
function keysOfPicture(picture: BrandPicture): FileKeys {
  const key = keyOfBrandPicture(picture)
  return { id: brandMark + key, revision: 1, keys: [{ key, sizeBytes: picture.sizeBytes }] }
}

/** Bytes of a piece never change, so it has one revision. */
function keysOfPiece(piece: UploadPiece): FileKeys {
  const key = keyOfPiece(piece)
  return { id: pieceMark + key, revision: 1, keys: [{ key, sizeBytes: piece.sizeBytes }] }
}

/** Whether a row has its bytes under this key. */
export async function isKeyOwned(db: SiteDb, key: string): Promise<boolean> {
  const [file] = await fileKeysOfIds(db, [idOfKey(key)])
  return file?.keys.some((each) => each.key === key) ?? false
}

type KeyRow = Pick<SiteTables['file'], (typeof columns)[number]>

async function withEarlierKeys(db: SiteDb, rows: readonly KeyRow[]): Promise<FileKeys[]> {
  // Most files have but one revision.
  const replaced = rows.filter(({ revision }) => revision > 1).map(({ id }) => id)
  const earlier = Map.groupBy(await earlierBytesOf(db, replaced), ({ id }: EarlierBytes) => id)
  return rows.map((row) => ({
    ...{ id: row.id, revision: row.revision },
    keys: [bytesOfRow(row), ...(earlier.get(row.id) ?? [])].flatMap(storedKeysOf),
  }))
}

function bytesOfRow({ variants: text, ...row }: Omit<KeyRow, 'revision'>): KeyedBytes {
  const { variants } = JSON.parse(text) as Pick<StoredFile, 'variants'>
  return { ...row, variants }
}

/** The MD5 of the originals of a file and of its earlier revisions; those of variants are not stored. */
export interface FileSums {
  id: string
  sums: { key: string; md5: string }[]
}

/** A page of all files, expired or not, in the order of ids. */
export async function fileSumsAfter(db: SiteDb, id: string, limit: number): Promise<FileSums[]> {
  const rows = await db
    .selectFrom('file')
    .select([...columns, 'md5'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
  const replaced = rows.filter(({ revision }) => revision > 1).map((row) => row.id)
  const earlier = Map.groupBy(await earlierBytesOf(db, replaced), (bytes: EarlierBytes) => bytes.id)
  return rows.map((row) => ({
    id: row.id,
    sums: [{ ...bytesOfRow(row), md5: row.md5 }, ...(earlier.get(row.id) ?? [])].map((bytes) => ({
      ...{ key: keyOf(bytes), md5: bytes.md5 },
    })),
  }))
}

/** How many owners of storage keys there are: files, pictures of the brand, and pieces of open uploads. */
export async function countKeyOwners(db: SiteDb): Promise<number> {
  const row = await db
    .selectFrom('file')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count + (await allBrandPictures(db)).length + (await countPieces(db))
}
