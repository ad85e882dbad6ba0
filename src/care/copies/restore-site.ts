import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../../app.ts'
import type { Control } from '../../control/index.ts'
import { insertSiteRows, type SiteRow, type SiteTableName } from '../../db/index.ts'
import { randomHex } from '../../lib/ids.ts'
import { noTotals, ownPlace, recountTotals, type Site, type Totals } from '../../site/index.ts'
import { openSite, publishTotals, readTenant } from '../../tenants/index.ts'
import { backupDamaged, inTheWay, restoreRuns } from '../errors.ts'
import {
  findObstacle,
  finishSite,
  hasPlan,
  insertTenantCopy,
  isUnfinished,
  raiseDueAt,
  takeUnfinishedSite,
} from './control-copies-table.ts'
import { linesOf } from './part-file.ts'
import { restoreBytes } from './restore-bytes.ts'
import { rowsPath, type SiteCopy } from './site-copy.ts'

interface Restoring {
  app: App
  folder: string
  copy: SiteCopy
  seal: (sealed: string | null, owner: string) => string | null
  onFile: () => void
}

/**
 * Rows, then bytes, then the tenant that makes them be served, in one step. Until then the site has nobody's id,
 * and whoever repeats this fills it anew. On a disk the rows must come first: they bring the folder of the site.
 */
export async function restoreSite({ app, folder, copy, seal, onFile }: Restoring): Promise<void> {
  const { control } = app
  const noStats = JSON.stringify(noTotals)
  const number = await control.store.changeControl((db) => takeUnfinishedSite(db, copy.idKey, noStats))
  const hostname = copy.tenant?.hostname ?? ''
  const address = { number, hostname, values: new Map<string, string>() }
  let totals: Totals = noTotals
  if (copy.installedAt !== null) {
    const draft = await control.store.draftCopy(number, async (db) => {
      totals = await fill(control.sites.over(db, address), folder, copy)
    })
    try {
      if (!(await isUnfinished(control.store.control, number))) throw restoreRuns(app.config.dataDir)
      await draft.place()
    } finally {
      await draft.discard()
    }
    await bringBytes(app, { folder, number: copy.number, onFile }, number)
  }
  await control.store.changeControl(async (db) => {
    const { idKey, state, installedAt, tenant } = copy
    const obstacle = await findObstacle(db, { idKey, hostname: tenant?.hostname })
    if (obstacle) throw inTheWay(tenant?.id ?? idKey, obstacle, hostname)
    await finishSite(db, number, { idKey, state, installedAt, stats: JSON.stringify(totals) })
    if (!tenant) return
    const planId = tenant.planId !== null && (await hasPlan(db, tenant.planId)) ? tenant.planId : null
    await insertTenantCopy(db, { ...tenant, planId, env: seal(tenant.env, `tenant ${tenant.id}`) }, number)
  })
  if (copy.tenant && copy.installedAt !== null) await tell(control, copy.tenant.id)
}

async function bringBytes(
  { config, control }: App,
  from: { folder: string; number: number; onFile: () => void },
  number: number,
): Promise<void> {
  const spool = join(config.dataDir, 'restoring', randomHex(6))
  await mkdir(spool, { recursive: true, mode: 0o700 })
  try {
    await restoreBytes({ ...from, storage: await control.places.bytes(number, ownPlace), spool })
  } finally {
    await rm(spool, { recursive: true, force: true })
  }
}

const atOnce = 500

async function fill(site: Site, folder: string, copy: SiteCopy): Promise<Totals> {
  const counts: Partial<Record<SiteTableName, number>> = {}
  let waiting: { table: SiteTableName; rows: SiteRow[] } | undefined
  const flush = async () => {
    if (!waiting) return
    await insertSiteRows(site.db, waiting.table, waiting.rows)
    counts[waiting.table] = (counts[waiting.table] ?? 0) + waiting.rows.length
    waiting = undefined
  }
  for await (const [table, row] of linesOf<[SiteTableName, SiteRow]>(folder, rowsPath(copy.number))) {
    if (waiting && (waiting.table !== table || waiting.rows.length >= atOnce)) await flush()
    waiting ??= { table, rows: [] }
    waiting.rows.push(row)
  }
  await flush()
  for (const [table, count] of Object.entries(copy.rows)) {
    if ((counts[table as SiteTableName] ?? 0) !== count)
      throw backupDamaged(folder, [`${rowsPath(copy.number)}: ${count} rows of ${table} were copied`])
  }
  // A file that was removed while it was copied is not in it, but was counted.
  return await recountTotals(site)
}

/** What is due on the site is told with its numbers. */
async function tell(control: Control, id: string): Promise<void> {
  await using site = await openSite(control, await readTenant(control, id))
  await publishTotals(control, site)
  await control.store.changeControl((db) => raiseDueAt(db, site.number, control.clock.now()))
}
