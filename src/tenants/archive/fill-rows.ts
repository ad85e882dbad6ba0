import {
  insertSiteRows,
  rowUpgradeFrom,
  type SiteDb,
  type SiteRow,
  type SiteTableName,
} from '../../db/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { sealText } from '../../lib/sealed-text.ts'
import { withSumOfBytes } from '../../media/index.ts'
import { areSigningKeys, type SiteKeyPurpose } from '../../site/index.ts'
import { archivedTables, nameOfKey, nameOfTable, secretsName } from './archive-format.ts'
import { brokenArchive } from './errors.ts'
import type { OpenedArchive } from './open-archive.ts'
import { linesOf } from './read-tar.ts'
import { type ColumnsOf, rowFault, storedBytesOfRow } from './row-rules.ts'
import { hasMark, sealedColumns, secretMark, updateSealed, withoutSecret } from './sealed-columns-table.ts'
import { type SecretLine, secretLines } from './secrets.ts'

interface Filling {
  archive: OpenedArchive
  columnsOf: ColumnsOf
  /** Undefined: the rows are filled without secrets. */
  passphrase: string | undefined
  keyFor: (purpose: SiteKeyPurpose) => Buffer
  /** Whether the bytes are those of the manifest: then rows get its sums. */
  isProven: boolean
  /** Gets every row before it is inserted; it may refuse it. */
  onRow?: (table: SiteTableName, row: SiteRow, refuse: (why: string) => Error) => void
}

const rowsAtOnce = 500

/** Fills the empty tables of a site with the rows of an archive. A row that does not fit is refused by its entry and line. */
export async function fillRows(db: SiteDb, filling: Filling): Promise<void> {
  for (const table of archivedTables) await fillTable(db, table, filling)
  if (filling.passphrase !== undefined) await fillSecrets(db, filling)
}

async function fillTable(db: SiteDb, table: SiteTableName, filling: Filling): Promise<void> {
  const { archive, columnsOf, passphrase, isProven, onRow } = filling
  const entry = archive.tables.get(nameOfTable(table))
  if (!entry) return
  const upgradeRow = rowUpgradeFrom(archive.tenant.steps)
  let line = 0
  let pending: SiteRow[] = []
  const flush = async () => {
    await orNamed(entry.name, line, () => insertSiteRows(db, table, pending))
    pending = []
  }
  for await (const copied of linesOf(archive.source, entry)) {
    line += 1
    const refuse = (why: string) => brokenArchive(entry.name, `in line ${line} ${why}`)
    const upgraded = upgradeRow({ table, row: copied as SiteRow })
    const fault =
      upgraded.table === table
        ? rowFault(columnsOf, table, upgraded.row, archive)
        : 'the table has another name'
    if (fault !== undefined) throw refuse(fault)
    checkMark(table, upgraded.row, refuse)
    const kept = passphrase === undefined ? withoutSecret(table, upgraded.row) : upgraded.row
    if (!kept) continue
    const row = hasBytes(table) ? { ...kept, storedBytes: storedBytesOfRow(kept) } : kept
    onRow?.(table, row, refuse)
    const [first] = pending
    // One statement inserts rows that have the same columns.
    if (pending.length >= rowsAtOnce || (first && !hasSameColumns(first, row))) await flush()
    pending.push(isProven && hasBytes(table) ? withSumOfBytes(row, (key) => sumOf(archive, key)) : row)
  }
  await flush()
}

const sumOf = ({ index }: OpenedArchive, key: string): string =>
  index.find(nameOfKey(key))?.sha256.toString('hex') ?? ''

const hasBytes = (table: SiteTableName) => table === 'file' || table === 'fileRevision'

const hasSameColumns = (one: SiteRow, two: SiteRow) =>
  Object.keys(one).length === Object.keys(two).length &&
  Object.keys(one).every((name) => Object.hasOwn(two, name))

function checkMark(table: SiteTableName, row: SiteRow, refuse: (why: string) => Error): void {
  const sealed = sealedColumns.find((each) => each.table === table)
  if (sealed && row[sealed.column] !== '' && row[sealed.column] !== secretMark)
    throw refuse(`"${sealed.column}" is not the mark of a secret`)
}

/** What the database refuses does not fit: a reference to no row, a key that is there, a number that is too large. */
const misfitCodes = /^(?:22|23|54|SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG|RANGE))/

async function orNamed<T>(name: string, line: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: string }
    if (error instanceof Refusal || typeof code !== 'string' || !misfitCodes.test(code)) throw error
    throw brokenArchive(name, `in or before line ${line} a row does not fit its table (${message})`)
  }
}

async function fillSecrets(db: SiteDb, { archive, passphrase = '', keyFor }: Filling): Promise<void> {
  const entry = archive.tables.get(secretsName)
  if (entry) {
    for await (const line of secretLines(archive.source, entry, passphrase)) {
      if (line.kind === 'tenant') continue
      const sealed = sealedColumns.find(({ table }) => table === line.kind)
      if (!sealed || typeof line.id !== 'string' || typeof line.secret !== 'string')
        throw brokenArchive(secretsName, 'a secret in it is of no kind that is known')
      const { id, secret } = line
      const isThere = await updateSealed(db, sealed, {
        id,
        sealed: sealText(keyFor(sealed.purpose), secret, sealed.ownerOf(id)),
      })
      if (!isThere) throw brokenArchive(secretsName, `a secret in it belongs to no row of ${sealed.table}`)
    }
  }
  for (const sealed of sealedColumns)
    if (await hasMark(db, sealed))
      throw brokenArchive(nameOfTable(sealed.table), 'the secret of a row is missing')
}

/** The tenant's own secrets; undefined if there are none, or without a passphrase. */
export async function readTenantSecrets(
  { source, tables }: OpenedArchive,
  passphrase: string | undefined,
): Promise<Extract<SecretLine, { kind: 'tenant' }> | undefined> {
  const entry = tables.get(secretsName)
  if (!entry || passphrase === undefined) return undefined
  for await (const line of secretLines(source, entry, passphrase)) {
    if (line.kind !== 'tenant') break
    const { env, signingKey, keyRotation } = line
    const isSound =
      typeof env === 'object' &&
      env !== null &&
      Object.values(env).every((value) => typeof value === 'string') &&
      areSigningKeys({ signingKey, keyRotation })
    if (isSound) return line
    break
  }
  throw brokenArchive(secretsName, 'it does not begin with the secrets of the tenant')
}
