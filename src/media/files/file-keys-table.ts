import type { SiteDb, SiteRow, SiteTables } from '../../db/index.ts'
import type { KnownBytes } from '../../storage/index.ts'
import {
  allBrandPictures,
  type BrandPicture,
  isBrandKey,
  keyOfBrandPicture,
} from '../brand-pictures-table.ts'
import {
  countPieces,
  isPieceKey,
  keyOfPiece,
  knownPiece,
  piecesAfter,
  piecesOfKeys,
  type UploadPiece,
  updatePieceSum,
} from '../resumable/upload-pieces-table.ts'
import { derivedIdOf, derivedOfIds, keyOfDerived } from '../transforms/derived-table.ts'
import type { VariantsColumn } from './files-table.ts'
import { type EarlierBytes, earlierBytesOf } from './revisions/revisions-table.ts'
import { type KeyedBytes, keyOf, type StoredVariant } from './stored-file.ts'

/** Every storage key of a file or of a revision, with what its row knows of the bytes. */
export const storedKeysOf = (bytes: KeyedBytes): KnownBytes[] => [
  { key: keyOf(bytes), sizeBytes: bytes.sizeBytes, md5: bytes.md5, sha256: bytes.sha256 },
  ...bytes.variants.map((variant) => {
    const { sizeBytes, sha256 } = variant
    return { key: keyOf(bytes, variant), sizeBytes, sha256 }
  }),
]

/** The storage keys of a raw row of `file`, without those of earlier revisions. */
export const storedKeysOfRow = (row: SiteRow): KnownBytes[] =>
  storedKeysOf(bytesOfRow(row as unknown as SiteTables['file']))

/** Those of a raw row of `fileRevision`. */
export const storedKeysOfRevisionRow = ({ fileId, ...row }: SiteRow): KnownBytes[] =>
  storedKeysOfRow({ ...row, id: fileId ?? null })

/** A raw row of `file` or `fileRevision` with the SHA-256 of its bytes, if it has none yet. */
export function withSumOfBytes(row: SiteRow, sumOf: (key: string) => string): SiteRow {
  const raw = row as unknown as SiteTables['file'] & { fileId?: string }
  const named = { ...raw, id: raw.fileId ?? raw.id }
  const key = keyOf(named)
  return { ...row, variants: withSum(named, key, sumOf(key)) ?? raw.variants }
}

/** The storage key of a raw row of `brandPicture`, and the id that its bytes have in lists of keys. */
export function storedKeyOfBrandRow(row: SiteRow): KnownBytes & { id: string } {
  const picture = row as unknown as SiteTables['brandPicture']
  const key = keyOfBrandPicture(picture)
  return { id: brandMark + key, key, sizeBytes: picture.sizeBytes, sha256: picture.sha256 }
}

/**
 * Ids of logo and icon, of derived pictures, and of pieces of open uploads, begin with these marks. So they come behind those of files, which are
 * letters and digits.
 */
const brandMark = '{'
const derivedMark = '|'
const pieceMark = '~'

/** The id of the file, of the picture of the brand, of the derived picture, or of the piece of an open upload, that a storage key belongs to. */
export function idOfKey(key: string): string {
  if (isPieceKey(key)) return pieceMark + key
  if (isBrandKey(key)) return brandMark + key
  const derivedId = derivedIdOf(key)
  if (derivedId !== undefined) return derivedMark + derivedId
  return key.slice(key.lastIndexOf('/') + 1).split('.', 1)[0] ?? ''
}

/** The storage keys of a file, with those of its earlier revisions; or the key of a picture of the brand, or of a piece. */
export interface FileKeys {
  id: string
  /** Rises when a key is added. */
  revision: number
  keys: KnownBytes[]
}

const columns = [
  'id',
  'folder',
  'extension',
  'sizeBytes',
  'variants',
  'md5',
  'keyRevision',
  'revision',
] as const

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
  const marks = [brandMark, derivedMark, pieceMark]
  const ofFiles = ids.filter((id) => !marks.some((mark) => id.startsWith(mark)))
  const ofPieces = ids.filter((id) => id.startsWith(pieceMark)).map((id) => id.slice(1))
  const hasBrand = ids.some((id) => id.startsWith(brandMark))
  const pictures = hasBrand ? (await brandKeys(db)).filter(({ id }) => ids.includes(id)) : []
  const ofDerived = ids.filter((id) => id.startsWith(derivedMark)).map((id) => id.slice(1))
  const derived = (await derivedOfIds(db, ofDerived)).map((row) => {
    const { sizeBytes, sha256 } = row
    return { id: derivedMark + row.id, revision: 1, keys: [{ key: keyOfDerived(row), sizeBytes, sha256 }] }
  })
  const others = [...pictures, ...derived, ...(await piecesOfKeys(db, ofPieces)).map(keysOfPiece)]
  if (ofFiles.length === 0) return others
  const rows = await db.selectFrom('file').select(columns).where('id', 'in', ofFiles).execute()
  return [...(await withEarlierKeys(db, rows)), ...others]
}

const brandKeys = async (db: SiteDb): Promise<FileKeys[]> =>
  (await allBrandPictures(db)).map(keysOfPicture).toSorted((one, two) => (one.id < two.id ? -1 : 1))

/** Another picture has another id, so it has one revision. */
function keysOfPicture(picture: BrandPicture): FileKeys {
  const key = keyOfBrandPicture(picture)
  const { sizeBytes, sha256 } = picture
  return { id: brandMark + key, revision: 1, keys: [{ key, sizeBytes, sha256 }] }
}

/** Bytes of a piece never change, so it has one revision. */
function keysOfPiece(piece: UploadPiece): FileKeys {
  const key = keyOfPiece(piece)
  return { id: pieceMark + key, revision: 1, keys: [knownPiece(piece)] }
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
    id: row.id,
    revision: row.revision,
    keys: [bytesOfRow(row), ...(earlier.get(row.id) ?? [])].flatMap(storedKeysOf),
  }))
}

function bytesOfRow({ variants: text, ...row }: Omit<KeyRow, 'revision'>): KeyedBytes {
  const { variants, sha256 } = JSON.parse(text) as VariantsColumn
  return { ...row, variants, sha256 }
}

/**
 * Records the SHA-256 of a file, or of a variant or a piece whose row has none because an earlier version stored it. The row is
 * left as it is if its bytes were replaced meanwhile.
 */
export async function recordSum(db: SiteDb, key: string, sha256: string): Promise<void> {
  if (isPieceKey(key)) return updatePieceSum(db, key, sha256)
  const id = idOfKey(key)
  const columnsOfKey = ['variants', 'folder', 'extension', 'keyRevision'] as const
  const file = await db.selectFrom('file').select(columnsOfKey).where('id', '=', id).executeTakeFirst()
  if (file) {
    const changed = withSum({ ...file, id }, key, sha256)
    const update = db.updateTable('file').set({ variants: changed })
    if (changed !== undefined)
      await update.where('id', '=', id).where('variants', '=', file.variants).execute()
  }
  const revisions = await db
    .selectFrom('fileRevision')
    .select([...columnsOfKey, 'revision'])
    .where('fileId', '=', id)
    .execute()
  for (const { revision, ...row } of revisions) {
    const changed = withSum({ ...row, id }, key, sha256)
    const update = db.updateTable('fileRevision').set({ variants: changed })
    if (changed !== undefined)
      await update.where('fileId', '=', id).where('revision', '=', revision).execute()
  }
}

type RowOfKey = Pick<KeyRow, 'id' | 'folder' | 'extension' | 'keyRevision' | 'variants'>

function withSum(row: RowOfKey, key: string, sha256: string): string | undefined {
  const column = JSON.parse(row.variants) as VariantsColumn
  if (keyOf(row) === key)
    return column.sha256 === undefined ? JSON.stringify({ ...column, sha256 }) : undefined
  const isMeant = (variant: StoredVariant) => keyOf(row, variant) === key && variant.sha256 === undefined
  if (!column.variants.some(isMeant)) return undefined
  const variants = column.variants.map((variant) => (isMeant(variant) ? { ...variant, sha256 } : variant))
  return JSON.stringify({ ...column, variants })
}

/** How many owners of storage keys there are: files, pictures of the brand, and pieces of open uploads. */
export async function countKeyOwners(db: SiteDb): Promise<number> {
  const row = await db
    .selectFrom('file')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count + (await allBrandPictures(db)).length + (await countPieces(db))
}
