import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { prepare, type SiteDb, type SiteTables } from '../../../db/index.ts'
import { isOwn, isVisibleTo, type Sight } from '../../visibility-table.ts'
import { isUnexpired } from '../files-table.ts'
import { kindOfSight, preparedSight, type SightValue, valuesOfSight } from './prepared-conditions.ts'
import { type ShownFile, type ShownRow, shownFiles, shownOfRow } from './shown-columns-table.ts'

/** Files by id that the caller may see; in the trash, those that the caller may change. */
export async function findShownFiles(
  db: SiteDb,
  sight: Sight,
  { ids, hasExif = false }: { ids: readonly string[]; hasExif?: boolean },
  now: Date,
): Promise<ShownFile[]> {
  const [id] = ids
  if (id === undefined) return []
  const at = now.toISOString()
  const rows =
    ids.length === 1
      ? await shownById(sight, hasExif).rows(db, { id, now: at, ...valuesOfSight(sight) })
      : await shownFiles(db, sight, hasExif).where('file.id', 'in', ids).where(isShownTo(sight, at)).execute()
  return rows.map(shownOfRow)
}

type ShownById = ReturnType<typeof prepareShownById>
const shownByKind = new Map<string, ShownById>()

/** By far the most frequent: to build the statement each time would cost more than to run it. */
function shownById(sight: Sight, hasExif: boolean): ShownById {
  const kind = `${hasExif} ${kindOfSight(sight)}`
  const known = shownByKind.get(kind) ?? prepareShownById(sight, hasExif)
  shownByKind.set(kind, known)
  return known
}

const prepareShownById = (sight: Sight, hasExif: boolean) =>
  prepare<'id' | 'now' | SightValue, ShownRow>((db, values) =>
    shownFiles(db, { userId: values.sightUserId }, hasExif)
      .where('file.id', '=', values.id)
      .where(isShownTo(preparedSight(sight, values), values.now)),
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
  (sight: Sight, now: string) =>
  (eb: ExpressionBuilder<SiteTables, 'file'>): Expression<SqlBool> =>
    eb.and([
      isUnexpired(now)(eb),
      eb.or([eb.and([eb('file.deletedAt', 'is', null), isVisibleTo(sight)(eb)]), isOwn(sight)(eb)]),
    ])
