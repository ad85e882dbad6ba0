import { indexNewFile } from '../../src/media/search/indexing/index-file.ts'
import type { ChangingSite } from '../../src/site/index.ts'
import type { ModelFile } from './search-model.ts'

const firstAt = Date.parse('2026-01-01T00:00:00.000Z')

/** Files without bytes: `f0` is the oldest. The extension is a part of the name here. */
export async function insertModelFiles(site: ChangingSite, files: readonly ModelFile[]): Promise<void> {
  await site.db.transaction().execute(async (db) => {
    for (const [index, file] of files.entries()) {
      const id = `f${index}`
      const createdAt = new Date(firstAt + index * 1_000)
      await db.insertInto('file').values(rowOf(id, createdAt.toISOString())).execute()
      const { title, description, name } = file
      await indexNewFile(db, { id, createdAt, title, description, name, extension: '' }, file.tags)
    }
  })
}

const rowOf = (id: string, at: string) => ({
  id,
  userId: null,
  albumId: null,
  categoryId: null,
  storageId: null,
  kind: 'png',
  type: 'image' as const,
  folder: 'images',
  name: id,
  nameKey: id,
  extension: 'png',
  originalName: `${id}.png`,
  sizeBytes: 10,
  storedBytes: 10,
  width: 1,
  height: 1,
  durationSeconds: 0,
  variants: JSON.stringify({ mime: 'image/png', bits: 8, channels: 3, variants: [] }),
  md5: id,
  sourceMd5: id,
  title: null,
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
  position: id,
  placeholder: null,
  titleSort: '',
  nameSort: '',
  textVersion: 1,
  addressVersion: 1,
  keyRevision: 1,
  lastKeyRevision: 1,
  replacedAt: null,
})
