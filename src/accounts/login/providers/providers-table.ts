import type { SiteDb, SiteTables } from '../../../db/index.ts'

type Row = SiteTables['loginProvider']

export type NewUserRole = Row['newUserRole']

/** Where users log in by OpenID Connect. */
export interface Provider {
  /** Part of its addresses, and never changed. */
  name: string
  title: string
  issuer: string
  clientId: string
  sealedSecret: string
  scopes: string
  isEnabled: boolean
  isSignUpOpen: boolean
  newUserRole: NewUserRole
  sortOrder: number
  createdAt: Date
  updatedAt: Date
  version: number
}

/** False if the name is taken. */
export async function insertProvider(db: SiteDb, provider: Provider): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('loginProvider')
    .values(rowOfProvider(provider))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** All in their order; a site has few. */
export async function allProviders(db: SiteDb): Promise<Provider[]> {
  const rows = await db.selectFrom('loginProvider').selectAll().orderBy('sortOrder').orderBy('name').execute()
  return rows.map(providerOfRow)
}

export async function findProvider(db: SiteDb, name: string): Promise<Provider | undefined> {
  const row = await db.selectFrom('loginProvider').selectAll().where('name', '=', name).executeTakeFirst()
  return row && providerOfRow(row)
}

export async function updateProvider(db: SiteDb, provider: Provider): Promise<void> {
  const { name, ...row } = rowOfProvider(provider)
  await db.updateTable('loginProvider').set(row).where('name', '=', name).execute()
}

/** The foreign key deletes its identities. */
export async function deleteProvider(db: SiteDb, name: string): Promise<void> {
  await db.deleteFrom('loginProvider').where('name', '=', name).execute()
}

const rowOfProvider = ({ isEnabled, isSignUpOpen, createdAt, updatedAt, ...provider }: Provider): Row => ({
  ...provider,
  isEnabled: Number(isEnabled),
  isSignUpOpen: Number(isSignUpOpen),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

const providerOfRow = (row: Row): Provider => ({
  name: row.name,
  title: row.title,
  issuer: row.issuer,
  clientId: row.clientId,
  scopes: row.scopes,
  sealedSecret: row.sealedSecret,
  newUserRole: row.newUserRole,
  sortOrder: row.sortOrder,
  isEnabled: row.isEnabled === 1,
  isSignUpOpen: row.isSignUpOpen === 1,
  version: row.version,
  createdAt: new Date(row.createdAt),
  updatedAt: new Date(row.updatedAt),
})
