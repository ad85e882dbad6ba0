import { prepare, type SiteDb, type SiteTables } from '../db/index.ts'

export type BrandSlot = SiteTables['brandPicture']['slot']

/** A picture that a site shows in place of our mark. */
export interface BrandPicture extends Omit<SiteTables['brandPicture'], 'createdAt'> {
  createdAt: Date
}

/** What its storage key follows from. The id is never reused, so nothing is overwritten. */
type KeyedPicture = Pick<SiteTables['brandPicture'], 'id' | 'extension'>

export const keyOfBrandPicture = ({ id, extension }: KeyedPicture): string => `brand/${id}.${extension}`

const keyForm = /^brand\/[A-Za-z0-9]{1,64}\.[a-z0-9]{1,8}$/

export const isBrandKey = (key: string): boolean => keyForm.test(key)

const everyPicture = prepare((db) => db.selectFrom('brandPicture').selectAll().orderBy('slot'))

/** One for each slot at most. */
export async function allBrandPictures(db: SiteDb): Promise<BrandPicture[]> {
  const rows = await everyPicture.rows(db, {})
  return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt) }))
}

export async function insertBrandPicture(db: SiteDb, { createdAt, ...picture }: BrandPicture): Promise<void> {
  await db
    .insertInto('brandPicture')
    .values({ ...picture, createdAt: createdAt.toISOString() })
    .execute()
}

export async function deleteBrandPicture(db: SiteDb, slot: BrandSlot): Promise<void> {
  await db.deleteFrom('brandPicture').where('slot', '=', slot).execute()
}
