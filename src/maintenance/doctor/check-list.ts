import type { InstallationCheck, PreflightCheck, SiteCheck } from './check.ts'
import { checkConsole } from './console-check.ts'
import { checkControlAudit } from './control-audit-check.ts'
import {
  checkControlRows,
  checkControlTables,
  checkDistribution,
  checkEncryption,
  checkJobs,
  checkStorage,
  checkStraySites,
  checkTemporaries,
} from './installation-checks.ts'
import {
  checkDataFolder,
  checkDecoders,
  checkFfmpeg,
  checkMigrations,
  checkSecretFiles,
  checkVersions,
} from './preflight-checks.ts'
import {
  checkAudit,
  checkContents,
  checkExpired,
  checkLocations,
  checkOutbox,
  checkScrub,
  checkStatsInSync,
  checkStoredBytes,
} from './site-checks.ts'
import { checkTotals } from './totals-check.ts'

/** All checks, in the order in which they run. The groups are `preflight-checks.ts`, `installation-checks.ts` and `site-checks.ts`. */
export const preflightChecks: readonly PreflightCheck[] = [
  { name: 'versions', about: 'Node and the database are new enough', run: checkVersions },
  { name: 'data-folder', about: 'The data folder is writable and has free space', run: checkDataFolder },
  {
    name: 'secrets',
    about: 'The secret files exist, and only their owner can read them',
    run: checkSecretFiles,
  },
  { name: 'ffmpeg', about: 'FFmpeg can extract frames of videos', run: checkFfmpeg },
  { name: 'decoders', about: 'Decoders start in a complete sandbox', run: checkDecoders },
  { name: 'migrations', about: 'The control tables are up to date', run: checkMigrations },
]

export const installationChecks: readonly InstallationCheck[] = [
  { name: 'control-tables', about: 'The control tables are intact', run: checkControlTables },
  { name: 'control-rows', about: 'Every tenant has exactly one site', run: checkControlRows },
  {
    name: 'distribution',
    about: 'On Citus all tables of sites are distributed, or none',
    run: checkDistribution,
  },
  {
    name: 'control-audit',
    about: 'The audit log of the installation is unchanged',
    run: checkControlAudit,
  },
  { name: 'encryption', about: 'All encrypted values can be decrypted', run: checkEncryption },
  { name: 'storage', about: 'The storage answers', run: checkStorage },
  {
    name: 'stray-sites',
    about: 'No rows or bytes belong to an unknown site',
    run: checkStraySites,
  },
  { name: 'temporaries', about: 'No temporary files of stopped processes remain', run: checkTemporaries },
  { name: 'console', about: 'No tenant has the hostname of the console', run: checkConsole },
  { name: 'jobs', about: 'Jobs run without failures', run: checkJobs },
]

export const siteChecks: readonly SiteCheck[] = [
  { name: 'totals', about: "A site's totals agree with its rows", run: checkTotals },
  { name: 'stats', about: 'The stored stats of a site agree with its totals', run: checkStatsInSync },
  {
    name: 'bytes',
    about: 'Every file has its bytes, and there are no orphans',
    run: checkStoredBytes,
  },
  {
    name: 'contents',
    about: 'Every file has the bytes that were uploaded',
    isDeep: true,
    run: checkContents,
  },
  { name: 'scrub', about: 'The scrub job has found no damage', run: checkScrub },
  { name: 'outbox', about: 'The bytes of removed files are deleted', run: checkOutbox },
  { name: 'expired', about: 'Expired files are removed', run: checkExpired },
  { name: 'audit', about: 'The audit log is unchanged', run: checkAudit },
  { name: 'places', about: 'Every site is at the location that its settings name', run: checkLocations },
]

/** Runs on each site before it is opened; a site with broken tables is not checked further. */
export const siteTables = { name: 'site-tables', about: "Every site's tables are intact and up to date" }
