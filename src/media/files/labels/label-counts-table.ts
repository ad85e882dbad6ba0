import type { ExpressionBuilder } from 'kysely'
import type { SiteDb, SiteTables } from '../../../db/index.ts'
import { labelTotalsOf } from '../../../site/index.ts'
import { isListedTo, type Visibility } from '../../visibility-table.ts'
import { isLive } from '../files-table.ts'

type FileExpressions = ExpressionBuilder<SiteTables, 'file'>

interface Labels {
  kind: 'tag' | 'category'
  labels: readonly string[]
  now: Date
}

/** How many files of each label the caller may list, by label. */
export async function listedCounts(
  db: SiteDb,
  visibility: Visibility,
  counted: Labels,
): Promise<Map<string, number>> {
  if (counted.labels.length === 0) return new Map()
  if (!isCountedByTotals(visibility)) return countFiles(db, visibility, { ...counted, state: 'live' })
  const expired = await countFiles(db, visibility, { ...counted, state: 'expired' })
  const { userId } = visibility
  const totals = await labelTotalsOf(db, counted.kind, { labels: counted.labels, userId })
  const counts = new Map<string, number>()
  for (const total of totals) {
    const { label } = total
    counts.set(label, (counts.get(label) ?? -(expired.get(label) ?? 0)) + partOf(total, visibility))
  }
  return counts
}

/** A key that is bound to an album, and a share, see a part of the files that no total counts. */
export const isCountedByTotals = ({ albumId, share }: Visibility): boolean =>
  albumId === undefined && share === undefined

/** What a total adds to the count of a caller who lists others' files too, or only the own ones. */
function partOf(
  { userId, files, listed }: { userId: string; files: number; listed: number },
  { seesAll, listsOthers }: Visibility,
): number {
  if (seesAll) return userId === '' ? files : 0
  if (!listsOthers) return userId === '' ? 0 : files
  return userId === '' ? listed : files - listed
}

/** Expired files are few: a job removes them within minutes, and until then the totals have them. */
async function countFiles(
  db: SiteDb,
  visibility: Visibility,
  { kind, labels, now, state }: Labels & { state: 'live' | 'expired' },
): Promise<Map<string, number>> {
  const isCounted = (eb: FileExpressions) =>
    eb.and([
      isListedTo(visibility)(eb),
      state === 'live' ? isLive(now.toISOString())(eb) : isExpired(now)(eb),
    ])
  const rows =
    kind === 'tag'
      ? await db
          .selectFrom('file')
          // In this order SQLite begins with the few files that have expired.
          .$call((files) =>
            state === 'live'
              ? files.innerJoin('fileTag', 'fileTag.fileId', 'file.id')
              : files.crossJoin('fileTag'),
          )
          .whereRef('fileTag.fileId', '=', 'file.id')
          .select((eb) => ['fileTag.tagName as label', eb.fn.countAll<number>().as('files')])
          .$if(state === 'live', (files) => files.where('fileTag.tagName', 'in', labels))
          .where((eb) => isCounted(eb as unknown as FileExpressions))
          .groupBy('fileTag.tagName')
          .execute()
      : await db
          .selectFrom('file')
          .select((eb) => ['file.categoryId as label', eb.fn.countAll<number>().as('files')])
          .where('file.categoryId', 'is not', null)
          .$if(state === 'live', (files) => files.where('file.categoryId', 'in', labels.map(Number)))
          .where(isCounted)
          .groupBy('file.categoryId')
          .execute()
  return new Map(rows.map(({ label, files }) => [String(label), Number(files)]))
}

const isExpired = (now: Date) => (eb: FileExpressions) =>
  eb.and([eb('file.deletedAt', 'is', null), eb('file.expiresAt', '<=', now.toISOString())])
