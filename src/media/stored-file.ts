import type { Variant } from '../imaging/index.ts'

export type VariantName = 'thumb' | 'medium' | 'frame'

/** A version of a file that was made from it. */
export type StoredVariant = Omit<Variant, 'path'> & { variant: VariantName }

/** A file of a site, with all that is known about it. */
export interface StoredFile {
  id: string
  userId: string | undefined
  albumId: string | undefined
  categoryId: number | undefined
  kind: string
  type: 'image' | 'video'
  mime: string
  /** Where it stands on the site: `images/2026/11/15`. */
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
  exif: string | undefined
  isNsfw: boolean
  isAnimated: boolean
  isApproved: boolean
  is360: boolean
  views: number
  likes: number
  /** The day it is shown under: of the upload, or of the picture. */
  date: Date
  createdAt: Date
  expiresAt: Date | undefined
}

const marks: Record<VariantName, string> = { thumb: 'th', medium: 'md', frame: 'fr' }

/** The name at which the file, or a version of it, is found on the site. */
export function fileNameOf(file: Pick<StoredFile, 'name' | 'extension'>, variant?: StoredVariant): string {
  return variant
    ? `${file.name}.${marks[variant.variant]}.${variant.extension}`
    : `${file.name}.${file.extension}`
}

/** Where its bytes are kept: named by its id, which no other file ever has, so that nothing is ever overwritten. */
export function keyOf(
  file: Pick<StoredFile, 'folder' | 'id' | 'extension'>,
  variant?: StoredVariant,
): string {
  const ending = variant ? `${marks[variant.variant]}.${variant.extension}` : file.extension
  return `${file.folder}/${file.id}.${ending}`
}

export const keysOf = (file: Pick<StoredFile, 'folder' | 'id' | 'extension' | 'variants'>): string[] => [
  keyOf(file),
  ...file.variants.map((variant) => keyOf(file, variant)),
]

export const variantOf = (file: StoredFile, name: VariantName): StoredVariant | undefined =>
  file.variants.find(({ variant }) => variant === name)

export const storedBytesOf = (file: Pick<StoredFile, 'sizeBytes' | 'variants'>): number =>
  file.variants.reduce((sum, { sizeBytes }) => sum + sizeBytes, file.sizeBytes)
