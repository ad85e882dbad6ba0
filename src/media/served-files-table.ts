import { prepare, type SiteDb, type SiteTables, stateOf } from '../db/index.ts'
import { LruMap } from '../lib/lru.ts'
import { isLive, type Versions } from './files-table.ts'
import type { StoredFile } from './stored-file.ts'

const columns = [
  'id',
  'folder',
  'name',
  'extension',
  'sizeBytes',
  'variants',
  'createdAt',
  'expiresAt',
] as const

/** As much of a file as it takes to send it: this is asked for with every request. */
export type ServedFile = Pick<StoredFile, (typeof columns)[number] | 'mime'>

type ServedRow = Pick<SiteTables['file'], (typeof columns)[number]>

const approvedByName = prepare<'folder' | 'nameKey' | 'now', ServedRow>((db, { folder, nameKey, now }) =>
  db
    .selectFrom('file')
    .select(columns)
    .where(isLive(now))
    .where('folder', '=', folder)
    .where('nameKey', '=', nameKey)
    .where('isApproved', '=', 1),
)

/** A name in a folder, whatever version of its file is asked for. */
interface Asked {
  site: number
  folder: string
  name: string
  now: Date
}

/** The file of that name that anybody may see. */
export async function findServedFile(db: SiteDb, asked: Asked): Promise<ServedFile | undefined> {
  const [row] = await approvedByName.rows(db, valuesOf(asked))
  return row && fileOfRow(row)
}

interface Known {
  /** Of the site's tables when the row was read. */
  state: object
  file: ServedFile
}

const known = new LruMap<string, Known>(5_000)

/**
 * The same without waiting; nothing too where rows cannot be had so. A row that was read stays true until somebody writes
 * to the site's tables, unless it has a time of its own.
 */
export function findServedFileAtOnce(db: SiteDb, asked: Asked): ServedFile | undefined {
  const state = stateOf(db)
  if (!state) return undefined
  const key = `${asked.site} ${asked.folder}/${asked.name}`
  const before = known.get(key)
  if (before?.state === state) return before.file
  const row = approvedByName.rowsAtOnce(db, valuesOf(asked))?.[0]
  const file = row && fileOfRow(row)
  if (file && !file.expiresAt) known.set(key, { state, file })
  return file
}

const valuesOf = ({ folder, name, now }: Asked) => ({
  folder,
  nameKey: name.toLowerCase(),
  now: now.toISOString(),
})

function fileOfRow({ variants: text, createdAt, expiresAt, ...same }: ServedRow): ServedFile {
  const { mime, variants } = JSON.parse(text) as Versions
  return {
    ...same,
    mime,
    variants,
    createdAt: new Date(createdAt),
    expiresAt: expiresAt === null ? undefined : new Date(expiresAt),
  }
}
