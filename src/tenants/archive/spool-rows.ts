import { join } from 'node:path'
import type { Control } from '../../control/index.ts'
import { type SiteDb, type SiteRow, type SiteTableName, siteRowPages, tableSteps } from '../../db/index.ts'
import { openSealedText } from '../../lib/sealed-text.ts'
import { storedKeyOfBrandRow, storedKeysOfRevisionRow, storedKeysOfRow } from '../../media/index.ts'
import { deriveSiteKey } from '../../site/index.ts'
import { withOneSum } from '../../storage/index.ts'
import { locationOfTenant } from '../locations/site-locations.ts'
import { siteInstalledAt } from '../sites-table.ts'
import type { TenantWithStats } from '../tenants.ts'
import { archivedTables, nameOfTable, secretsName, type TenantLine, tenantName } from './archive-format.ts'
import { secretUnreadable } from './errors.ts'
import { sealedColumns, secretMark, withoutSecret } from './sealed-columns-table.ts'
import { openSecretWriter } from './secrets.ts'
import { openLines, type SpooledLines } from './spooled-lines.ts'

interface Spooling {
  tenant: TenantWithStats
  passphrase?: string | undefined
  requestSecret: string
  spool: string
}

interface SpooledRows {
  /** By the names of their entries, in order. */
  tables: Map<string, SpooledLines>
  /** The storage keys that the rows name, with what they know of the bytes. */
  keys: SpooledLines
}

type Lines = Awaited<ReturnType<typeof openLines>>
type SecretWriter = Awaited<ReturnType<typeof openSecretWriter>>

const pageSize = 500

/** Writes all rows of one moment to files, and closes the snapshot before the bytes are copied, which takes longer. */
export async function spoolRows(control: Control, spooling: Spooling): Promise<SpooledRows> {
  const { tenant, passphrase, spool } = spooling
  const { database, rowsGeneration } = locationOfTenant(control, tenant)
  const store = await control.backends.store(database)
  const snapshot = await store.snapshotSite(tenant.site, rowsGeneration)
  const tables = new Map<string, SpooledLines>()
  try {
    tables.set(tenantName, await spoolLine(control, spooling))
    await using keys = await openLines(join(spool, 'keys'))
    const secrets = passphrase === undefined ? undefined : await openSecretWriter(passphrase)
    await using secretsFile = secrets && (await openLines(join(spool, 'secrets')))
    await secretsFile?.write(secrets?.first)
    await secretsFile?.write(secrets?.seal(tenantSecrets(control, spooling)))
    const seal = secrets && secretsFile && sealerOf(spooling, secrets, secretsFile)
    for (const table of archivedTables)
      tables.set(nameOfTable(table), await spoolTable(snapshot.db, table, { spool, keys, seal }))
    if (secretsFile) tables.set(secretsName, await secretsFile.finish())
    return { tables, keys: await keys.finish() }
  } finally {
    await snapshot.close()
  }
}

async function spoolLine(control: Control, { tenant, spool }: Spooling): Promise<SpooledLines> {
  const installedAt = await siteInstalledAt(control.store.control, tenant.site)
  const line: TenantLine = {
    isEnabled: tenant.isEnabled,
    limits: { ...tenant.limits },
    createdAt: tenant.createdAt.toISOString(),
    installedAt: installedAt ?? tenant.createdAt.toISOString(),
    steps: tableSteps,
  }
  await using lines = await openLines(join(spool, 'tenant-line'))
  await lines.write(line)
  return await lines.finish()
}

function tenantSecrets(control: Control, { tenant, requestSecret }: Spooling) {
  const derived = deriveSiteKey(requestSecret, { number: tenant.site }, 'addresses').toString('base64')
  const { signingKey = derived, keyRotation } = locationOfTenant(control, tenant)
  return { kind: 'tenant' as const, env: { ...tenant.env }, signingKey, ...(keyRotation && { keyRotation }) }
}

type Seal = (table: SiteTableName, row: SiteRow) => Promise<SiteRow>

/** Puts a mark into the place of a row's secret, which goes to the others. */
function sealerOf({ tenant, requestSecret }: Spooling, secrets: SecretWriter, file: Lines): Seal {
  return async (table, row) => {
    const sealed = sealedColumns.find((each) => each.table === table)
    const stored = sealed && row[sealed.column]
    if (!sealed || stored === '') return row
    const id = String(row[sealed.key])
    const key = deriveSiteKey(requestSecret, { number: tenant.site }, sealed.purpose)
    const secret = openSealedText(key, String(stored), sealed.ownerOf(id))
    // Its link works, as its hash is in the row; only its address cannot be shown any more, as it cannot be here.
    if (secret === undefined && table === 'share') return { ...row, [sealed.column]: '' }
    if (secret === undefined) throw secretUnreadable(sealed.ownerOf(id))
    await file.write(secrets.seal({ kind: sealed.table, id, secret }))
    return { ...row, [sealed.column]: secretMark }
  }
}

interface Spool {
  spool: string
  keys: Lines
  /** Undefined: secrets are left out. */
  seal: Seal | undefined
}

async function spoolTable(
  db: SiteDb,
  table: SiteTableName,
  { spool, keys, seal }: Spool,
): Promise<SpooledLines> {
  await using lines = await openLines(join(spool, table))
  for await (const { rows } of siteRowPages(db, pageSize, [table])) {
    for (const row of rows) {
      for (const known of keysOfRow(table, row)) await keys.write(known)
      const kept = seal ? await seal(table, row) : withoutSecret(table, row)
      if (kept) await lines.write(inOrder(kept))
    }
  }
  return await lines.finish()
}

/** The two stores may return columns in different orders. */
const inOrder = (row: SiteRow): SiteRow =>
  Object.fromEntries(Object.entries(row).sort(([one], [two]) => (one < two ? -1 : 1)))

export function keysOfRow(table: SiteTableName, row: SiteRow) {
  if (table === 'file') return storedKeysOfRow(row).map(withOneSum)
  if (table === 'fileRevision') return storedKeysOfRevisionRow(row).map(withOneSum)
  if (table !== 'brandPicture') return []
  const { id: _, ...known } = storedKeyOfBrandRow(row)
  return [known]
}
