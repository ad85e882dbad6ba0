import type { ExpressionBuilder } from 'kysely'
import { lastTokenOf, prepare, type SiteDb, type SiteTables } from '../../../db/index.ts'
import { LruMap } from '../../../lib/lru.ts'
import { isLive, type VariantsColumn } from '../files-table.ts'
import type { StoredFile } from '../stored-file.ts'
import { isProtectedColumn } from './protection-table.ts'

const columns = [
  'id',
  'folder',
  'name',
  'extension',
  'sizeBytes',
  'variants',
  'md5',
  'createdAt',
  'expiresAt',
  'keyRevision',
  'revision',
  'replacedAt',
  'albumId',
  'addressVersion',
  'userId',
  'type',
  'kind',
  'width',
  'height',
  'isAnimated',
] as const

/** The columns that are needed to send a file: this query runs with every request. */
export type ServedFile = Pick<StoredFile, (typeof columns)[number] | 'mime' | 'channels'> & {
  /** Its bytes need a signed address. */
  isProtected: boolean
  /** Caches may keep its bytes for a year without asking again. */
  isImmutable: boolean
  /** The stored options of the preset that the request names; undefined without a name, or such a preset. */
  presetOptions?: string | undefined
}

type ServedRow = Pick<SiteTables['file'], (typeof columns)[number]> & {
  isProtected: number
  isImmutable: number
}

type NameOfRow = Readonly<Record<'folder' | 'nameKey' | 'now', never>>

const servedQuery = (db: SiteDb, { folder, nameKey, now }: NameOfRow) =>
  db
    .selectFrom('file')
    .select(columns)
    .select(isProtectedColumn)
    .select(isImmutableColumn)
    .where(isLive(now))
    .where('folder', '=', folder)
    .where('nameKey', '=', nameKey)
    .where('isApproved', '=', 1)

const approvedByName = prepare<'folder' | 'nameKey' | 'now', ServedRow>(servedQuery)

/** One statement for both: a request with a preset waits for the database once, and never sees older options. */
const approvedWithPreset = prepare<
  'folder' | 'nameKey' | 'now' | 'preset',
  ServedRow & { presetOptions: string | null }
>((db, values) =>
  servedQuery(db, values).select((eb) =>
    eb
      .selectFrom('preset')
      .select('preset.options')
      .where('preset.name', '=', values.preset)
      .as('presetOptions'),
  ),
)

/** A file name without variant and extension, in a folder of a site. */
interface ServedName {
  site: number
  folder: string
  name: string
  now: Date
}

/** The approved file with that name, and the options of a preset. */
export async function findServedFile(
  db: SiteDb,
  { preset, ...name }: ServedName & { preset?: string | undefined },
): Promise<ServedFile | undefined> {
  // Before the row is read: a change meanwhile then makes the cached row invalid.
  const changeToken = lastTokenOf(db)
  if (preset === undefined) {
    const [row] = await approvedByName.rows(db, valuesOf(name))
    return row && cachedFile(name, changeToken, fileOfRow(row))
  }
  const [row] = await approvedWithPreset.rows(db, { ...valuesOf(name), preset })
  if (!row) return undefined
  const { presetOptions, ...file } = row
  return cachedFile(name, changeToken, { ...fileOfRow(file), presetOptions: presetOptions ?? undefined })
}

interface CachedFile {
  /** The change token of the site's tables before the row was read. */
  changeToken: object
  file: ServedFile
}

const cache = new LruMap<string, CachedFile>(5_000)

const cacheKey = ({ site, folder, name }: ServedName) => `${site} ${folder}/${name}`

/** Rows that expire are not cached. */
function cachedFile(name: ServedName, changeToken: object | undefined, file: ServedFile): ServedFile {
  if (changeToken && !file.expiresAt) cache.set(cacheKey(name), { changeToken, file })
  return file
}

/**
 * Synchronous variant: undefined when the row cannot be read without waiting. A cached row is valid until the site's
 * tables change: on PostgreSQL, as far as `confirmToken` agrees to the token.
 */
export function findServedFileSync(
  db: SiteDb,
  name: ServedName,
  changeToken: object,
): ServedFile | undefined {
  const cached = cache.get(cacheKey(name))
  if (cached?.changeToken === changeToken) return cached.file
  const row = approvedByName.rowsSync(db, valuesOf(name))?.[0]
  return row && cachedFile(name, changeToken, fileOfRow(row))
}

const valuesOf = ({ folder, name, now }: ServedName) => ({
  folder,
  nameKey: name.toLowerCase(),
  now: now.toISOString(),
})

function fileOfRow({
  variants: text,
  createdAt,
  expiresAt,
  replacedAt,
  albumId,
  userId,
  isProtected,
  isImmutable,
  isAnimated,
  ...others
}: ServedRow): ServedFile {
  const { mime, variants, channels } = JSON.parse(text) as VariantsColumn
  return {
    ...others,
    mime,
    variants,
    channels,
    isAnimated: isAnimated === 1,
    albumId: albumId ?? undefined,
    userId: userId ?? undefined,
    isProtected: isProtected === 1,
    isImmutable: isImmutable === 1,
    createdAt: new Date(createdAt),
    expiresAt: expiresAt === null ? undefined : new Date(expiresAt),
    replacedAt: replacedAt === null ? undefined : new Date(replacedAt),
  }
}

/** 0 if caches must ask again after minutes, by the setting `immutable_bytes`. Read with the row, so that neither path knows an older value. */
const isImmutableColumn = (eb: ExpressionBuilder<SiteTables, 'file'>) =>
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
