import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { prepare, type SiteDb, type SiteTables } from '../../../db/index.ts'
import { isOwn, isVisibleTo, type Visibility } from '../../visibility-table.ts'
import { isUnexpired } from '../files-table.ts'
import {
  kindOfVisibility,
  preparedVisibility,
  type VisibilityValue,
  valuesOfVisibility,
} from './conditions-table.ts'
import { type ShownFile, type ShownRow, shownFiles, shownOfRow } from './shown-columns-table.ts'

/** Files by id that the caller may see; in the trash, those that the caller may change. */
export async function findShownFiles(
  db: SiteDb,
  visibility: Visibility,
  { ids, hasExif = false }: { ids: readonly string[]; hasExif?: boolean },
  now: Date,
): Promise<ShownFile[]> {
  const [id] = ids
  if (id === undefined) return []
  const at = now.toISOString()
  const rows =
    ids.length === 1
      ? await shownById(visibility, hasExif).rows(db, { id, now: at, ...valuesOfVisibility(visibility) })
      : await shownFiles(db, visibility, hasExif)
          .where('file.id', 'in', ids)
          .where(isShownTo(visibility, at))
          .execute()
  return rows.map(shownOfRow)
}

type ShownById = ReturnType<typeof prepareShownById>
const shownByKind = new Map<string, ShownById>()

/** By far the most frequent: to build the statement each time would cost more than to run it. */
function shownById(visibility: Visibility, hasExif: boolean): ShownById {
  const kind = `${hasExif} ${kindOfVisibility(visibility)}`
  const known = shownByKind.get(kind) ?? prepareShownById(visibility, hasExif)
  shownByKind.set(kind, known)
  return known
}

const prepareShownById = (visibility: Visibility, hasExif: boolean) =>
  prepare<'id' | 'now' | VisibilityValue, ShownRow>((db, values) =>
    shownFiles(db, { userId: values.visibilityUserId }, hasExif)
      .where('file.id', '=', values.id)
      .where(isShownTo(preparedVisibility(visibility, values), values.now)),
  )

/** A file by id, whatever its privacy. */
export async function findShownFile(
  db: SiteDb,
  { id, userId }: { id: string; userId: string },
): Promise<ShownFile | undefined> {
  const [row] = await anyById.rows(db, { id, userId })
  return row && shownOfRow(row)
}

const anyById = prepare<'id' | 'userId', ShownRow>((db, values) =>
  shownFiles(db, { userId: values.userId }, false).where('file.id', '=', values.id),
)

/** Files by id that a caller may see, in the trash or not. */
const isShownTo =
  (visibility: Visibility, now: string) =>
  (eb: ExpressionBuilder<SiteTables, 'file'>): Expression<SqlBool> =>
    eb.and([
      isUnexpired(now)(eb),
      eb.or([eb.and([eb('file.deletedAt', 'is', null), isVisibleTo(visibility)(eb)]), isOwn(visibility)(eb)]),
    ])
