export const firstAt = Date.parse('2026-01-01T00:00:00.000Z')

/** The row of a picture without bytes. */
export function rowOf(number: number, userId: string) {
  const at = new Date(firstAt + number * 60_000).toISOString()
  const name = `img-${number}`
  const variant = { extension: 'jpg', mime: 'image/jpeg', width: 160, height: 160, sizeBytes: 5_000 }
  const variants = [{ ...variant, variant: 'thumb' }]
  return {
    id: `f${number}`,
    userId,
    albumId: null,
    categoryId: null,
    storageId: null,
    kind: 'jpeg',
    type: 'image',
    folder: 'images',
    name,
    nameKey: name,
    extension: 'jpg',
    originalName: name,
    sizeBytes: 10,
    storedBytes: 10,
    width: 800,
    height: 600,
    durationSeconds: 0,
    variants: JSON.stringify({ mime: 'image/jpeg', bits: 8, channels: 3, variants }),
    md5: name,
    sourceMd5: name,
    title: `Title ${number}`,
    description: null,
    exif: null,
    isNsfw: 0,
    isAnimated: 0,
    isApproved: 1,
    isPrivate: 0,
    is360: 0,
    views: 0,
    likes: 0,
    deleteHash: '',
    uploaderAddress: '',
    date: at,
    createdAt: at,
    expiresAt: null,
    version: 1,
    revision: 1,
    updatedAt: at,
    deletedAt: null,
    position: name,
    placeholder: null,
    titleSort: `title ${number}`,
    nameSort: name,
    textVersion: 1,
    addressVersion: 1,
    keyRevision: 1,
    lastKeyRevision: 1,
    replacedAt: null,
  }
}
