import { type ExpressionBuilder, sql } from 'kysely'
import { requestSync, type SiteDb, type SiteTables } from '../db/index.ts'

export type SealedSigningKeys = SiteTables['signingKey']

/** Those of the last rotation; undefined if there was none since the rows were made, restored or imported. */
export const findSealedSigningKeys = (db: SiteDb): Promise<SealedSigningKeys | undefined> =>
  db
    .selectFrom('signingKey')
    .select(['number', 'sealedKeys'])
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()

/** As a column of a larger query: not null if another place has them not yet. */
export const unpublishedKeysOf = (eb: ExpressionBuilder<SiteTables, never>) =>
  eb
    .selectFrom('signingKey')
    .select('number')
    .where('sealedKeys', '!=', sql.lit(''))
    .limit(1)
    .as('unpublishedKeys')

/** In the transaction of a rotation; the sync after it publishes them. */
export async function replaceSealedSigningKeys(db: SiteDb, keys: SealedSigningKeys): Promise<void> {
  await db.deleteFrom('signingKey').execute()
  await db.insertInto('signingKey').values(keys).execute()
  requestSync(db)
}

/** Once another place has the keys. The number stays, so that none is given twice. */
export async function emptySealedSigningKeys(db: SiteDb, number: number): Promise<void> {
  await db.updateTable('signingKey').set({ sealedKeys: '' }).where('number', '=', number).execute()
}
