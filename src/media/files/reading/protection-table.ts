import type { ExpressionBuilder } from 'kysely'
import type { SiteDb, SiteTables } from '../../../db/index.ts'

/** 1 if the bytes of a file need a signed address: by the setting `protect_bytes`, for private files and in albums that hide theirs. */
export const isProtectedColumn = (eb: ExpressionBuilder<SiteTables, 'file'>) =>
  eb
    .case()
    .when(
      eb.and([
        eb.or([
          eb('file.isPrivate', '=', 1),
          eb.exists(
            eb
              .selectFrom('album')
              .select('album.id')
              .whereRef('album.id', '=', 'file.albumId')
              .where('album.privacy', 'in', ['private', 'password']),
          ),
        ]),
        eb.exists(
          eb
            .selectFrom('setting')
            .select('setting.name')
            .where('setting.name', '=', 'protect_bytes')
            .where('setting.value', '=', '1'),
        ),
      ]),
    )
    .then(eb.lit(1))
    .else(eb.lit(0))
    .end()
    .as('isProtected')

/** 0 if caches must ask again after minutes, by the setting `immutable_bytes`. Read with the row, so that no lane knows an older value. */
export const isImmutableColumn = (eb: ExpressionBuilder<SiteTables, 'file'>) =>
  eb
    .case()
    .when(
      eb.exists(
        eb
          .selectFrom('setting')
          .select('setting.name')
          .where('setting.name', '=', 'immutable_bytes')
          .where('setting.value', '=', '0'),
      ),
    )
    .then(eb.lit(0))
    .else(eb.lit(1))
    .end()
    .as('isImmutable')

export async function findProtection(db: SiteDb, id: string): Promise<boolean> {
  const row = await db.selectFrom('file').select(isProtectedColumn).where('id', '=', id).executeTakeFirst()
  return row?.isProtected === 1
}
