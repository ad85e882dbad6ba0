import type { SiteDb } from '../../db/index.ts'

/** What a user shows to others. */
export interface Profile {
  about: string
  /** Names the picture in its address; undefined if there is none. */
  pictureHash: string | undefined
}

export async function findProfile(db: SiteDb, userId: string): Promise<Profile> {
  const row = await db
    .selectFrom('profile')
    .select(['about', 'pictureHash'])
    .where('userId', '=', userId)
    .executeTakeFirst()
  return { about: row?.about ?? '', pictureHash: row?.pictureHash ?? undefined }
}

export interface ProfilePicture {
  mime: string
  bytes: Buffer
}

/** The picture of a user who is not banned, if it still has this hash. */
export async function findProfilePicture(
  db: SiteDb,
  userId: string,
  hash: string,
): Promise<ProfilePicture | undefined> {
  const row = await db
    .selectFrom('profile')
    .innerJoin('user', 'user.id', 'profile.userId')
    .select(['profile.picture', 'profile.pictureMime'])
    .where('profile.userId', '=', userId)
    .where('profile.pictureHash', '=', hash)
    .where('user.isBanned', '=', 0)
    .executeTakeFirst()
  if (!row || row.picture === null || row.pictureMime === null) return undefined
  return { mime: row.pictureMime, bytes: Buffer.from(row.picture, 'base64') }
}

type Columns =
  | { about: string }
  | { picture: string | null; pictureMime: string | null; pictureHash: string | null }

export async function saveProfile(db: SiteDb, userId: string, columns: Columns): Promise<void> {
  const empty = { about: '', picture: null, pictureMime: null, pictureHash: null }
  await db
    .insertInto('profile')
    .values({ userId, ...empty, ...columns })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet(columns))
    .execute()
}
