import { type App, openApp } from '../../app.ts'
import type { Config } from '../../config.ts'
import { actingAs, type Control, type ControlAuthor } from '../../control/index.ts'
import { inspectStore } from '../../db/index.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { readTenant } from '../../tenants/index.ts'
import { noInstallation } from '../errors.ts'
import { countSites, eachSite, findSiteRecord, type SiteRecord } from '../site-records-table.ts'
import { type Installation, type Preflight, runCheck } from './check.ts'
import { installationChecks, preflightChecks } from './check-list.ts'
import { type Findings, openFindings, type Verdict } from './finding.ts'
import { recordHealthRun } from './health-runs.ts'
import { inspectSite } from './inspect-site.ts'

export interface Examination {
  /** Only this tenant's site. */
  id?: string | undefined
  isDeep?: boolean | undefined
  isRepairing?: boolean | undefined
  /** Who has asked for it, if the audit log is to record it. */
  author?: ControlAuthor | undefined
  onStep?: ((done: number, total: number) => void) | undefined
}

/** Runs all checks. Changes nothing, unless it is asked to repair what can be repaired without risk. */
export async function examine(config: Config, options: Examination = {}, clock: Clock = systemClock) {
  const findings = openFindings({ isRepairing: options.isRepairing === true })
  await using inspector = await inspectStore(config)
  if (!inspector) throw noInstallation(config.databaseUrl === undefined ? config.dataDir : 'this database')
  await runPreflight({ config, inspector }, findings)
  // Opening the installation would create what is missing and migrate what is old.
  if (hasFaults(findings)) return findings.verdicts()
  await using app = await openApp(config, clock)
  await inspectInstallation({ config, inspector, app }, findings, options)
  if (options.author) await recordRun(actingAs(app.control, options.author), findings, options)
  return findings.verdicts()
}

/** Runs all checks on an installation that is already open. */
export async function examineApp(app: App, options: Examination = {}): Promise<Verdict[]> {
  const { config } = app
  const findings = openFindings({ isRepairing: options.isRepairing === true })
  await using inspector = await inspectStore(config)
  if (!inspector) throw noInstallation(config.dataDir)
  await runPreflight({ config, inspector, imaging: app.imaging }, findings)
  await inspectInstallation({ config, inspector, app }, findings, options)
  return findings.verdicts()
}

/** At the end, and by a finding if that fails: the doctor must be able to examine a database that takes no rows. */
async function recordRun(control: Control, findings: Findings, { id }: Examination): Promise<void> {
  try {
    await recordHealthRun(control, findings.verdicts(), id)
  } catch (error) {
    const says = `This run could not be recorded in the audit log: ${(error as Error).message}`
    const todo = 'Check that the database can be written, then run the doctor again.'
    await findings.begin({ name: 'control-tables', about: '' })({ isFault: true, says, todo })
  }
}

async function runPreflight(preflight: Preflight, findings: Findings): Promise<void> {
  for (const check of preflightChecks) {
    const detail = await check.run(preflight, findings.begin(check))
    if (detail) findings.explain(check.name, detail)
  }
}

const hasFaults = (findings: Findings) => findings.verdicts().some(({ faults }) => faults > 0)

async function inspectInstallation(
  installation: Installation,
  findings: Findings,
  options: Examination,
): Promise<void> {
  const { control } = installation.app
  const one = options.id === undefined ? undefined : await siteOf(installation.app, options.id)
  if (!one) {
    for (const check of installationChecks)
      await runCheck(findings.begin(check), {}, (report) => check.run(installation, report))
  }
  const total = one ? 1 : await countSites(control.store.control)
  let done = 0
  for await (const record of one ? [one] : eachSite(control)) {
    await inspectSite(installation, record, findings, options)
    done += 1
    options.onStep?.(done, total)
  }
}

async function siteOf({ control }: App, id: string): Promise<SiteRecord | undefined> {
  const { site } = await readTenant(control, id)
  return findSiteRecord(control.store.control, site)
}
