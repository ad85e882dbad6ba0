import { prepare, type SiteDb } from '../db/index.ts'

/** What a user owns: files without those in the trash, and the bytes of all files, with variants and earlier revisions. */
export interface UserTotals {
  files: number
  storageUsed: number
}

/** Adds to what a user owns. The caller's transaction has locked the totals of the site. The user must exist. */
export const addToUserTotals = (
  db: SiteDb,
  userId: string,
  { files = 0, storageUsed = 0 }: Partial<UserTotals>,
): Promise<void> => addition.later(db, { userId, files, storageUsed })

const addition = prepare((db, { userId, files, storageUsed }: Record<'userId' | keyof UserTotals, never>) =>
  db
    .insertInto('userTotal')
    .values({ userId, files, storageUsed })
    .onConflict((conflict) =>
      conflict.column('userId').doUpdateSet((row) => ({
        files: row('userTotal.files', '+', row.ref('excluded.files')),
        storageUsed: row('userTotal.storageUsed', '+', row.ref('excluded.storageUsed')),
      })),
    ),
)

const ofUser = prepare((db, { userId }: Record<'userId', never>) =>
  db.selectFrom('userTotal').select(['files', 'storageUsed']).where('userId', '=', userId),
)

export async function totalsOfUser(db: SiteDb, userId: string): Promise<UserTotals> {
  const [row] = await ofUser.rows(db, { userId })
  return row ?? { files: 0, storageUsed: 0 }
}

/** The most that one user owns, of each. */
export async function largestUserTotals(db: SiteDb): Promise<UserTotals> {
  const row = await db
    .selectFrom('userTotal')
    .select((eb) => [
      eb.fn.max<number | null>('files').as('files'),
      eb.fn.max<number | null>('storageUsed').as('storageUsed'),
    ])
    .executeTakeFirst()
  return { files: Number(row?.files ?? 0), storageUsed: Number(row?.storageUsed ?? 0) }
}

/** As they are stored, by user. */
export async function allUserTotals(db: SiteDb): Promise<Map<string, UserTotals>> {
  const rows = await db.selectFrom('userTotal').select(['userId', 'files', 'storageUsed']).execute()
  return new Map(rows.map(({ userId, ...totals }) => [userId, totals]))
}

export async function updateUserTotals(db: SiteDb, userId: string, totals: UserTotals): Promise<void> {
  await db
    .insertInto('userTotal')
    .values({ userId, ...totals })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet({ ...totals }))
    .execute()
}
