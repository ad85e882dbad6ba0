import type { Variant } from '../../imaging/index.ts'

export type VariantName = 'thumb' | 'medium' | 'frame'

/** A variant of a file, made when the file was uploaded. */
export interface StoredVariant extends Omit<Variant, 'path' | 'sha256'> {
  variant: VariantName
  /** Missing in rows of earlier versions, until a scrub, a move or a backup has read the bytes. */
  sha256?: string | undefined
}

/** A file of a site, with all its columns. */
export interface StoredFile {
  id: string
  userId: string | undefined
  albumId: string | undefined
  categoryId: number | undefined
  kind: string
  type: 'image' | 'video'
  mime: string
  /** The folder of its URL: `images/2026/11/15`. */
  folder: string
  name: string
  extension: string
  originalName: string
  sizeBytes: number
  width: number
  height: number
  durationSeconds: number
  bits: number
  channels: number
  variants: readonly StoredVariant[]
  md5: string
  sourceMd5: string | undefined
  title: string | undefined
  description: string | undefined
  /** Who sent it by a request for files, as they say. */
  contributor: string | undefined
  exif: string | undefined
  isNsfw: boolean
  isAnimated: boolean
  isApproved: boolean
  /** Its page exists for its owner and administrators alone. */
  isPrivate: boolean
  is360: boolean
  views: number
  likes: number
  /** The date of the upload, or the date at which the picture was taken. */
  date: Date
  createdAt: Date
  expiresAt: Date | undefined
  /** Increases with every edit; views and likes are no edits. */
  version: number
  /** Increases when the bytes are replaced. */
  revision: number
  updatedAt: Date
  /** When the file was put into the trash. */
  deletedAt: Date | undefined
  /** Who put it there. What the staff removed is restored by the staff alone. */
  removedBy: 'owner' | 'staff' | undefined
  removalReason: string | undefined
  /** The order within an album. */
  position: string
  /** A thumbhash in Base64. */
  placeholder: string | undefined
  /** The revision in the storage key of the bytes: a revert takes up the bytes of an earlier one. */
  keyRevision: number
  /** The highest that was ever reserved. */
  lastKeyRevision: number
  /** When the bytes were last replaced. */
  replacedAt: Date | undefined
  /** Part of the signature of its addresses: raising it ends those that were given out. */
  addressVersion: number
}

const infixes: Record<VariantName, string> = { thumb: 'th', medium: 'md', frame: 'fr' }

/** The file name in the URL of the file, or of a variant. */
export function fileNameOf(file: Pick<StoredFile, 'name' | 'extension'>, variant?: StoredVariant): string {
  return variant
    ? `${file.name}.${infixes[variant.variant]}.${variant.extension}`
    : `${file.name}.${file.extension}`
}

/** What the storage keys of bytes follow from: of a file, or of an earlier revision of one. */
export type KeyedBytes = Pick<
  StoredFile,
  'id' | 'folder' | 'extension' | 'keyRevision' | 'sizeBytes' | 'variants' | 'md5'
> & { sha256?: string | undefined }

/**
 * The storage key of the file, or of a variant. It contains the id and the revision, which are never reused, so nothing is
 * overwritten.
 */
export function keyOf(
  { folder, id, keyRevision, extension }: Pick<KeyedBytes, 'folder' | 'id' | 'keyRevision' | 'extension'>,
  variant?: StoredVariant,
): string {
  const suffix = variant ? `${infixes[variant.variant]}.${variant.extension}` : extension
  return `${folder}/${id}${keyRevision > 1 ? `.r${keyRevision}` : ''}.${suffix}`
}

export const keysOf = (file: Omit<KeyedBytes, 'sizeBytes' | 'md5' | 'sha256'>): string[] => [
  keyOf(file),
  ...file.variants.map((variant) => keyOf(file, variant)),
]

export const variantOf = (file: StoredFile, name: VariantName): StoredVariant | undefined =>
  file.variants.find(({ variant }) => variant === name)

/** In the row of a file of which none can be made. It is null where none was tried, by the versions before. */
export const noPlaceholder = ''

/** The largest variant in the shape of the file, else the thumb: our own drawing, never bytes that were sent. */
export const drawingOf = (file: StoredFile): StoredVariant | undefined =>
  variantOf(file, 'medium') ?? variantOf(file, 'frame') ?? variantOf(file, 'thumb')

/** Nothing of a file that waits for approval, or is in the trash, is at a public address. */
export const isWithheld = ({
  isApproved,
  deletedAt,
}: Pick<StoredFile, 'isApproved' | 'deletedAt'>): boolean => !isApproved || deletedAt !== undefined

export const storedBytesOf = (file: Pick<StoredFile, 'sizeBytes' | 'variants'>): number =>
  file.variants.reduce((sum, { sizeBytes }) => sum + sizeBytes, file.sizeBytes)
