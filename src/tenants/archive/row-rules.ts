import type { SiteDb, SiteRow, SiteTableName } from '../../db/index.ts'
import { siteTables } from '../../db/index.ts'
import { parseAddressList } from '../../lib/net/addresses.ts'
import { isDay, isIsoTime } from '../../lib/times.ts'
import { isSoundPreset } from '../../media/index.ts'
import { type SettingName, settingTable, standingNames } from '../../site/index.ts'

interface Column {
  isText: boolean
  isNullable: boolean
  hasDefault: boolean
}

export type ColumnsOf = ReadonlyMap<string, ReadonlyMap<string, Column>>

/** The columns of a SQLite database, whose tables are the same as on PostgreSQL. */
export async function readColumns(db: SiteDb): Promise<ColumnsOf> {
  const tables = await db.introspection.getTables()
  return new Map(
    tables.map(({ name, columns }) => [
      name,
      new Map(
        columns.map((column) => [
          column.name,
          {
            isText: column.dataType.toLowerCase() === 'text',
            isNullable: column.isNullable,
            hasDefault: column.hasDefaultValue,
          },
        ]),
      ),
    ]),
  )
}

const longestText = 4_000_000
const longestName = 4_000
const namesForm = /(?:^id|Id|Key|Hash|[nN]ame|^email|Email|^title|^label|md5|Md5|sha256|[pP]osition)$/

type IsSound = (value: unknown) => boolean

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object'
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
const isScalars: IsSound = (value) => isObject(value) && Object.values(value).every(isScalar)
/** What is nested without end would exhaust the stack of code that walks through it. */
const isShallow = (value: unknown, depth = 10): boolean =>
  isScalar(value) || (depth > 0 && Object.values(value as object).every((each) => isShallow(each, depth - 1)))
const isShallowObject: IsSound = (value) => isObject(value) && isShallow(value)

const isAddressOrRange = (text: string): boolean => {
  try {
    return !parseAddressList(text).isEmpty
  } catch {
    return false
  }
}
const isAddresses: IsSound = (value) => isTexts(value) && value.every(isAddressOrRange)

/** What the code that reads these columns expects of them. */
const jsonColumns: Readonly<Partial<Record<SiteTableName, Readonly<Record<string, IsSound>>>>> = {
  user: { preferences: isScalars },
  userKey: { allowedOrigins: isTexts, allowedAddresses: isAddresses },
  file: { variants: isShallowObject, exif: isScalars },
  fileRevision: { variants: isShallowObject, exif: isScalars },
  passkey: { transports: isTexts },
  preset: { options: isScalars },
  audit: { before: isShallowObject, after: isShallowObject },
}

/** By how much a day has changed what is there. What was done on it is never below 0: it would make room in a quota. */
const signedTables: ReadonlySet<string> = new Set<SiteTableName>(['dayTotal', 'userDayTotal'])
const signedNames: ReadonlySet<unknown> = new Set(standingNames)

/** Why a row does not fit its table; undefined if it does. The database still checks references and uniqueness. */
export function rowFault(
  columnsOf: ColumnsOf,
  table: SiteTableName,
  row: Readonly<Record<string, unknown>>,
  { isOfToday }: { isOfToday: boolean },
): string | undefined {
  const columns = columnsOf.get(table)
  if (!columns) return 'there is no such table'
  const unknown = Object.keys(row).find((name) => !columns.has(name))
  if (unknown !== undefined) return `there is no column ${JSON.stringify(unknown.slice(0, 80))}`
  for (const [name, column] of columns) {
    const value = Object.hasOwn(row, name) ? row[name] : undefined
    // Rows of an earlier version lack the columns that were added since.
    if (value === undefined && !isOfToday && (column.isNullable || column.hasDefault)) continue
    const why = valueFault({ table, name }, column, value)
    if (why !== undefined) return `"${name}" ${why}`
  }
  return meaningFault(table, row as SiteRow)
}

function valueFault(
  { table, name }: { table: SiteTableName; name: string },
  { isText, isNullable }: Column,
  value: unknown,
): string | undefined {
  if (value === undefined) return 'is missing'
  if (value === null) return isNullable ? undefined : 'is null'
  if (!isText) {
    if (!Number.isSafeInteger(value)) return 'is not a whole number'
    return (value as number) < 0 && !signedTables.has(table) ? 'is below 0' : undefined
  }
  if (typeof value !== 'string') return 'is not a text'
  if (value.length > (namesForm.test(name) ? longestName : longestText)) return 'is too long'
  if (value.includes('\0') || !value.isWellFormed()) return 'has characters that no text has'
  if (/At$|^at$|^until$/.test(name) && !isIsoTime(value)) return 'is not a time'
  if (name === 'day' && !isDay(value)) return 'is not a day'
  const isSound = jsonColumns[table]?.[name]
  return !isSound || isSound(parsed(value)) ? undefined : 'is not the JSON that it should be'
}

/** Undefined, which no JSON is, if the text is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const idForm = /^[A-Za-z0-9]{1,64}$/
const extensionForm = /^[A-Za-z0-9]{1,16}$/
const folderForm = /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/

/** What other code believes of a row without looking. */
function meaningFault(table: SiteTableName, row: SiteRow): string | undefined {
  const { parent }: { key: readonly string[]; parent?: string } = siteTables[table]
  if (parent !== undefined && row[parent] === row.id) return `"${parent}" refers to its own row`
  const { passwordHash, mime = null, pictureMime = mime } = row
  if (typeof passwordHash === 'string' && passwordHash !== '' && !isCheapHash(passwordHash))
    return '"passwordHash" is not the hash of a password'
  if (pictureMime !== null && !pictureForm.test(String(pictureMime))) return 'the type of a picture is none'
  if (signedTables.has(table) && Number(row.value) < 0 && !signedNames.has(row.name))
    return '"value" is below 0'
  if (table === 'setting') return settingFault(row)
  if (table === 'preset')
    return isSoundPreset(String(row.name), parsed(String(row.options)) as object)
      ? undefined
      : 'it is not a preset'
  if (table === 'file' || table === 'fileRevision') return bytesFault(table, row)
  if (table !== 'brandPicture') return undefined
  return idForm.test(String(row.id)) && extensionForm.test(String(row.extension))
    ? undefined
    : '"id" or "extension" is not that of a picture'
}

const pictureForm = /^image\/(?:png|jpeg|webp|gif|avif|x-icon|vnd\.microsoft\.icon)$/
const mediaForm = /^(?:image|video)\/[a-z0-9.+-]{1,60}$/
const hashForm =
  /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$[A-Za-z0-9+/]{1,100}\$[A-Za-z0-9+/]{1,100}$/
/** Twenty times the work of our own hashes: a log-in must not take a minute of a server. */
const mostHashWork = 1_000_000

function isCheapHash(text: string): boolean {
  const [, memory, passes] = hashForm.exec(text) ?? []
  return memory !== undefined && Number(memory) * Number(passes) <= mostHashWork
}

/** A setting of a name that is not known has no effect. */
function settingFault({ name, value }: SiteRow): string | undefined {
  if (!Object.hasOwn(settingTable, String(name))) return undefined
  const broken = settingTable[name as SettingName].fault(String(value))
  return broken ? `the setting ${name} has a value that it cannot have` : undefined
}

function bytesFault(table: SiteTableName, row: SiteRow): string | undefined {
  if (!idForm.test(String(row[table === 'file' ? 'id' : 'fileId']))) return 'the id is not that of a file'
  if (!folderForm.test(String(row.folder))) return '"folder" is not a folder of a storage'
  if (!extensionForm.test(String(row.extension))) return '"extension" is not an extension'
  const { variants, mime, sha256 } = JSON.parse(String(row.variants)) ?? {}
  if (!isSumOrNone(sha256)) return '"variants" has no SHA-256'
  if (typeof mime !== 'string' || !mediaForm.test(mime)) return '"variants" has no type of a picture or video'
  if (!Array.isArray(variants) || variants.length > 3 || !variants.every(isVariant))
    return '"variants" does not list variants'
  return undefined
}

/** The sum of the bytes of a row, whatever it says itself: totals are counted from it. */
export function storedBytesOfRow(row: SiteRow): number {
  const { variants } = JSON.parse(String(row.variants)) as { variants: { sizeBytes: number }[] }
  return variants.reduce((total, { sizeBytes }) => total + sizeBytes, Number(row.sizeBytes))
}

function isVariant(variant: unknown): boolean {
  if (typeof variant !== 'object' || variant === null) return false
  const {
    variant: name,
    extension,
    mime,
    sizeBytes,
    sha256,
    width,
    height,
  } = variant as Record<string, unknown>
  return (
    ['thumb', 'medium', 'frame'].includes(String(name)) &&
    typeof extension === 'string' &&
    extensionForm.test(extension) &&
    typeof mime === 'string' &&
    mediaForm.test(mime) &&
    [sizeBytes, width, height].every((count) => Number.isSafeInteger(count) && Number(count) >= 0) &&
    isSumOrNone(sha256)
  )
}

const isSumOrNone = (sum: unknown): boolean =>
  sum === undefined || (typeof sum === 'string' && /^[0-9a-f]{64}$/.test(sum))
