import type { ExpressionBuilder } from 'kysely'
import type { SiteTables } from '../../../db/index.ts'

type FileExpressions = ExpressionBuilder<SiteTables, 'file'>

/** Private, or in an album that hides its files. */
const isHidden = (eb: FileExpressions) =>
  eb.or([
    eb('file.isPrivate', '=', 1),
    eb.exists(
      eb
        .selectFrom('album')
        .select('album.id')
        .whereRef('album.id', '=', 'file.albumId')
        .where('album.privacy', 'in', ['private', 'password']),
    ),
  ])

export const isHiddenColumn = (eb: FileExpressions) =>
  eb.case().when(isHidden(eb)).then(eb.lit(1)).else(eb.lit(0)).end().as('isHidden')

/** 1 if the bytes of a file need a signed address: by the setting `protect_bytes`, for private files and in albums that hide theirs. */
export const isProtectedColumn = (eb: FileExpressions) =>
  eb
    .case()
    .when(
      eb.and([
        isHidden(eb),
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
