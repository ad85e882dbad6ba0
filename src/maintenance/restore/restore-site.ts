import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../../app.ts'
import { type Control, recordControlChange } from '../../control/index.ts'
import {
  type ControlDb,
  insertSiteRows,
  type rowUpgradeFrom,
  type SiteRow,
  type SiteTableName,
} from '../../db/index.ts'
import { keepAlive } from '../../lib/files/live-entries.ts'
import { randomHex } from '../../lib/ids.ts'
import {
  changingSite,
  noTotals,
  ownLocation,
  recountTotals,
  type Site,
  signAnew,
  type Totals,
} from '../../site/index.ts'
import { keepSigningKeys, openSite, readTenant, syncStats } from '../../tenants/index.ts'
import {
  findObstacle,
  finishSite,
  hasPlan,
  insertTenantCopy,
  isUnfinished,
  raiseDueAt,
  type TenantCopy,
  takeUnfinishedSite,
} from '../backup-format/control-copies-table.ts'
import { linesOf } from '../backup-format/part-file.ts'
import { openedKeysOf, rowsPath, type SiteCopy } from '../backup-format/site-copy.ts'
import { backupDamaged, inTheWay, restoreRuns } from '../errors.ts'
import { restoreBytes } from './restore-bytes.ts'
import { resealRow, signingKeyFor } from './restore-secrets.ts'

/** Turns a row of the version that made the backup into one of today's tables. */
type UpgradeRow = ReturnType<typeof rowUpgradeFrom>

interface Restoring {
  app: App
  folder: string
  copy: SiteCopy
  seal: (sealed: string | null, owner: string) => string | null
  upgradeRow: UpgradeRow
  /** Of the installation that was backed up; undefined if it is not known. */
  secret: string | undefined
  /** Whether the sites get the numbers that they had. */
  isEmpty: boolean
  onFile: () => void
}

/**
 * Restores rows, then bytes, then the tenant, whose row makes the site served. Until then the site has an id that no
 * tenant can take, and a repeated restore fills it again. On a disk the rows must come first: they make the site's folder.
 */
export async function restoreSite(restoring: Restoring): Promise<void> {
  const { app, folder, copy, seal, isEmpty, onFile } = restoring
  const { control } = app
  const noStats = JSON.stringify(noTotals)
  const wanted = { idKey: copy.idKey, stats: noStats, number: isEmpty ? copy.number : undefined }
  const { kind } = control.store
  const number = await control.store.changeControl((db) => takeUnfinishedSite(db, wanted, kind))
  await restoreSigningKeys(restoring, number)
  const hostname = copy.tenant?.hostname ?? ''
  const address = { number, hostname, values: new Map<string, string>() }
  let totals: Totals = noTotals
  if (copy.installedAt !== null) {
    const draft = await control.store.draftCopy(number, async (db) => {
      totals = await insertRows(control.sites.over(db, address), restoring)
    })
    try {
      if (!(await isUnfinished(control.store.control, number))) throw restoreRuns(app.config.dataDir)
      await draft.publish()
    } finally {
      await draft.discard()
    }
    await restoreSiteBytes(app, { folder, number: copy.number, onFile }, number)
  }
  await control.store.changeControl(async (db) => {
    const { idKey, state, installedAt, tenant } = copy
    const obstacle = await findObstacle(db, { idKey, hostname: tenant?.hostname })
    if (obstacle) throw inTheWay(tenant?.id ?? idKey, obstacle, hostname)
    await finishSite(db, number, { idKey, state, installedAt, stats: JSON.stringify(totals) })
    if (!tenant) return
    const planId = tenant.planId !== null && (await hasPlan(db, tenant.planId)) ? tenant.planId : null
    await insertTenantCopy(db, { ...tenant, planId, env: seal(tenant.env, `tenant ${tenant.id}`) }, number)
    // A restored installation has its tenants in the restored log.
    if (!isEmpty) await recordRestored(control, db, { ...tenant, planId }, installedAt !== null)
  })
  if (copy.tenant && copy.installedAt !== null) await syncRestored(control, copy.tenant.id)
}

/** Addresses that the site gave out are signed by the keys that it had. */
async function restoreSigningKeys({ app, copy, seal, secret }: Restoring, number: number): Promise<void> {
  const { control, requestSecret } = app
  const keys = openedKeysOf(control.keyRing, copy, seal)
  if (keys) return keepSigningKeys(control, number, keys)
  const before = secret === undefined ? undefined : { secret, number: copy.number }
  const signingKey = before && signingKeyFor(before, { secret: requestSecret, number })
  if (signingKey !== undefined) await keepSigningKeys(control, number, { signingKey })
}

async function recordRestored(
  control: Control,
  db: ControlDb,
  { id: target, hostname, isEnabled, planId, limits }: TenantCopy,
  isInstalled: boolean,
): Promise<void> {
  const after = { hostname, isEnabled: isEnabled === 1, planId, limits: JSON.parse(limits) }
  await recordControlChange(control, db, { verb: 'tenant.created', target, after })
  if (isInstalled) await recordControlChange(control, db, { verb: 'tenant.installed', target, after: {} })
}

async function restoreSiteBytes(
  { config, control }: App,
  from: { folder: string; number: number; onFile: () => void },
  number: number,
): Promise<void> {
  const spool = join(config.dataDir, 'restoring', randomHex(6))
  using _kept = keepAlive(spool)
  await mkdir(spool, { recursive: true, mode: 0o700 })
  const rows = await control.store.openSite(number)
  try {
    const storage = await control.backends.bytes(number, ownLocation)
    await restoreBytes({ ...from, storage, db: rows.db, spool })
  } finally {
    await rows.close()
    await rm(spool, { recursive: true, force: true })
  }
}

const maxRowsPerInsert = 500

async function insertRows(site: Site, { app, folder, copy, upgradeRow, secret }: Restoring): Promise<Totals> {
  const now = { secret: app.requestSecret, number: site.number }
  const before = secret === undefined ? now : { secret, number: copy.number }
  const isElsewhere = before.secret !== now.secret || before.number !== now.number
  const counts: Record<string, number> = {}
  let pending: { table: SiteTableName; rows: SiteRow[] } | undefined
  const flush = async () => {
    if (!pending) return
    await insertSiteRows(site.db, pending.table, pending.rows)
    pending = undefined
  }
  for await (const [name, copied] of linesOf<[string, SiteRow]>(folder, rowsPath(copy.number))) {
    counts[name] = (counts[name] ?? 0) + 1
    const { table, row } = upgradeRow({ table: name, row: copied })
    if (pending && (pending.table !== table || pending.rows.length >= maxRowsPerInsert)) await flush()
    pending ??= { table: table as SiteTableName, rows: [] }
    pending.rows.push(isElsewhere ? resealRow(table, row, { before, now }) : row)
  }
  await flush()
  for (const [table, count] of Object.entries(copy.rows)) {
    if ((counts[table] ?? 0) !== count)
      throw backupDamaged(folder, [`${rowsPath(copy.number)}: ${count} rows of ${table} were copied`])
  }
  await site.auditLog.removeCopy()
  await signAnew(site)
  // The copied totals include files that were deleted during the backup and left out of it.
  return await recountTotals(changingSite(site))
}

/** Syncs the stats and the due time. */
async function syncRestored(control: Control, id: string): Promise<void> {
  await using site = await openSite(control, await readTenant(control, id))
  await syncStats(control, site)
  site.auditLog.copySoon(0)
  await control.store.changeControl((db) => raiseDueAt(db, site.number, control.clock.now()))
}
