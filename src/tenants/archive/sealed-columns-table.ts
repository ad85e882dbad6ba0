import type { Kysely } from 'kysely'
import { secretOwner, totpOwner } from '../../accounts/index.ts'
import type { SiteDb, SiteRow, SiteTableName } from '../../db/index.ts'
import { tokenOwner } from '../../media/index.ts'
import type { SiteKeyPurpose } from '../../site/index.ts'
import type { SecretLine } from './secrets.ts'

/** A column that is encrypted with a key of the site, which another site has not. */
export interface SealedColumn {
  table: Exclude<SecretLine['kind'], 'tenant'>
  key: string
  column: string
  purpose: SiteKeyPurpose
  ownerOf: (id: string) => string
}

export const sealedColumns: readonly SealedColumn[] = [
  { table: 'loginProvider', key: 'name', column: 'sealedSecret', purpose: 'log-ins', ownerOf: secretOwner },
  { table: 'totp', key: 'userId', column: 'sealedSecret', purpose: 'log-ins', ownerOf: totpOwner },
  { table: 'share', key: 'id', column: 'sealedToken', purpose: 'share tokens', ownerOf: tokenOwner },
]

/** In the place of a secret that is among those of the archive. */
export const secretMark = '*'

/** Rows that make no sense without their secret: second steps are set up anew. */
const secondSteps: ReadonlySet<SiteTableName> = new Set<SiteTableName>(['totp', 'recoveryCode'])

/** The row as it is without secrets; undefined if it is left out. */
export function withoutSecret(table: SiteTableName, row: SiteRow): SiteRow | undefined {
  if (secondSteps.has(table)) return undefined
  const sealed = sealedColumns.find((each) => each.table === table)
  if (!sealed || row[sealed.column] === '') return row
  // A provider without its secret would fail at each log-in.
  return { ...row, [sealed.column]: '', ...(table === 'loginProvider' ? { isEnabled: 0 } : {}) }
}

/** Puts a secret in the place of its mark; false if there is none. */
export async function updateSealed(
  db: SiteDb,
  { table, key, column }: SealedColumn,
  { id, sealed }: { id: string; sealed: string },
): Promise<boolean> {
  const { numUpdatedRows } = await looselyTyped(db)
    .updateTable(table)
    .set({ [column]: sealed })
    .where(key, '=', id)
    .where(column, '=', secretMark)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Whether a row still has a mark. */
export async function hasMark(db: SiteDb, { table, column }: SealedColumn): Promise<boolean> {
  const row = await looselyTyped(db)
    .selectFrom(table)
    .select(column)
    .where(column, '=', secretMark)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

const looselyTyped = (db: SiteDb) => db as unknown as Kysely<Record<SealedColumn['table'], SiteRow>>
