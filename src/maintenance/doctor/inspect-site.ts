import type { Control } from '../../control/index.ts'
import { inspectLocation } from '../../db/index.ts'
import { message } from '../../lib/messages.ts'
import type { Site } from '../../site/index.ts'
import { readLocation } from '../../tenants/index.ts'
import { openSnapshot } from '../open-snapshot.ts'
import { findSiteRecord, nameOfSite, type SiteRecord } from '../site-records-table.ts'
import { type Installation, runCheck, type SiteCheck } from './check.ts'
import { siteChecks, siteTables } from './check-list.ts'
import { type Findings, type ReportFinding, sentences } from './finding.ts'

/** Runs every check of one site. A site that cannot be opened is a finding, and the other sites are still checked. */
export async function inspectSite(
  installation: Installation,
  record: SiteRecord,
  findings: Findings,
  { isDeep = false }: { isDeep?: boolean | undefined },
): Promise<void> {
  const { control } = installation.app
  const about = { tenant: nameOfSite(record), key: `site ${record.number}` }
  const begin = reportWhileUnchanged(control, record, findings)
  let areTablesIntact = false
  await runCheck(begin(siteTables), about, async (report) => {
    if (record.installedAt === null || record.state === 'dropping') return
    areTablesIntact = await checkTables(installation, record, report)
  })
  if (!areTablesIntact) return
  await runCheck(begin(siteTables), about, async () => {
    await using opened = await openSnapshot(control, record)
    const { live } = opened
    const run = (check: SiteCheck, site: Site) =>
      runCheck(begin(check), about, (report) => check.run({ ...installation, record, live, site }, report))
    for (const check of siteChecks) if (!check.isDeep) await run(check, opened.site)
    if (!isDeep) return
    await opened.closeSnapshot()
    for (const check of siteChecks) if (check.isDeep) await run(check, live)
  })
}

/** If a site is deleted or moved during its inspection, its findings mean nothing and are dropped. */
function reportWhileUnchanged(control: Control, record: SiteRecord, findings: Findings) {
  const isUnchanged = async () => {
    const now = await findSiteRecord(control.store.control, record.number)
    return now?.state === record.state && now.place === record.place
  }
  return (check: { name: string; about: string }): ReportFinding => {
    const report = findings.begin(check)
    return async (finding) => {
      if (await isUnchanged()) await report(finding)
    }
  }
}

async function checkTables(
  installation: Installation,
  record: SiteRecord,
  report: ReportFinding,
): Promise<boolean> {
  const { app, config } = installation
  const about = { tenant: nameOfSite(record), key: `site ${record.number}` }
  const { database, rowsGeneration } = await readLocation(app.control, record.number)
  // A site in another database needs an inspector of that database.
  await using remote = database === undefined ? undefined : await inspectLocation(config.dataDir, database)
  const inspector = remote ?? installation.inspector
  const faults = await inspector.faultsOfSite(record.number, rowsGeneration)
  for (const says of faults)
    await report({ ...about, isFault: true, ...sentences(says, message('restoreTenant')) })
  if (faults.length > 0) return false
  const pending = await inspector.pendingSite(record.number, rowsGeneration)
  if (pending.length === 0) return true
  const repair = async () => {
    const store = await app.control.backends.store(database)
    await store.migrateSite(record.number, rowsGeneration)
    return 'migrated'
  }
  const says = message('tablesPending', { names: pending.join(', ') })
  const todo = message('runCommand', { command: 'tenants database:migrate' })
  await report({ ...about, isFault: false, ...sentences(says, todo), repair })
  return false
}
