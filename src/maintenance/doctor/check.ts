import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Inspector } from '../../db/index.ts'
import type { Imaging } from '../../imaging/index.ts'
import { type Message, message } from '../../lib/messages.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Site } from '../../site/index.ts'
import type { SiteRecord } from '../site-records-table.ts'
import { type NewFinding, type ReportFinding, sentences } from './finding.ts'

interface Check {
  name: string
  /** What is true if it finds nothing. */
  about: string
}

/** For checks that run before the installation is opened, since opening it creates and migrates what is missing. */
export interface Preflight {
  config: Config
  inspector: Inspector
  /** The decoders of an installation that is open already. */
  imaging?: Imaging
}

export interface PreflightCheck extends Check {
  /** May return a detail to show if nothing is wrong. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most checks return nothing.
  run(preflight: Preflight, report: ReportFinding): Promise<Message | undefined | void>
}

export interface Installation extends Preflight {
  app: App
}

export interface InstallationCheck extends Check {
  run(installation: Installation, report: ReportFinding): Promise<void>
}

/** A site under inspection. */
export interface InspectedSite extends Installation {
  record: SiteRecord
  /** Over a snapshot of its rows. */
  site: Site
  /** As it is now, to check a finding again and to repair it. */
  live: Site
}

export interface SiteCheck extends Check {
  /** Reads every byte: runs only on request, and on the live rows. */
  isDeep?: boolean
  run(site: InspectedSite, report: ReportFinding): Promise<void>
}

export const dayMs = 86_400_000

/** If a check cannot run, that is a finding too, and the other checks still run. */
export async function runCheck(
  report: ReportFinding,
  about: Pick<NewFinding, 'tenant' | 'key'>,
  check: (report: ReportFinding) => Promise<void>,
): Promise<void> {
  try {
    await check(report)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await report({ ...about, isFault: true, ...sentences(error, message('checkReach')) })
  }
}
