import type { InstallationCheck, PreflightCheck, SiteCheck } from './check.ts'
import { checkControlRows } from './checks/installation/control-rows.ts'
import { checkControlTables } from './checks/installation/control-tables.ts'
import { checkDistribution } from './checks/installation/distribution.ts'
import { checkEncryption } from './installation-checks.ts'
import { checkJobs } from './checks/installation/jobs.ts'
import { checkStorage } from './checks/installation/storage.ts'
import { checkStraySites } from './checks/installation/stray-sites.ts'
import { checkTemporaries } from './checks/installation/temporaries.ts'
import { checkDataFolder } from './preflight-checks.ts'
import { checkDecoders } from './checks/preflight/decoders.ts'
import { checkFfmpeg } from './checks/preflight/ffmpeg.ts'
import { checkMigrations } from './checks/preflight/migrations.ts'
import { checkSecretFiles } from './checks/preflight/secret-files.ts'
import { checkVersions } from './checks/preflight/versions.ts'
import { checkAudit } from './checks/site/audit.ts'
import { checkContents } from './checks/site/contents.ts'
import { checkExpired } from './checks/site/expired.ts'
import { checkLocations } from './checks/site/locations.ts'
import { checkOutbox } from './checks/site/outbox.ts'
import { checkScrub } from './checks/site/scrub.ts'
import { checkStatsInSync } from './checks/site/stats-in-sync.ts'
import { checkStoredBytes } from './site-checks.ts'
import { checkTotals } from './checks/site/totals.ts'

/** All checks, in the order in which they run. Each is a file in `checks/`. */
export const preflightChecks: readonly PreflightCheck[] = [
  { name: 'versions', about: 'Node and the database are new enough', run: checkVersions },
  { name: 'data-folder', about: 'The data folder can be written and has room', run: checkDataFolder },
  { name: 'secrets', about: 'The secret files are there, for their owner alone', run: checkSecretFiles },
  { name: 'ffmpeg', about: 'Videos get a frame', run: checkFfmpeg },
  { name: 'decoders', about: 'Decoders start, with every sandbox layer', run: checkDecoders },
  { name: 'migrations', about: 'The control tables are up to date', run: checkMigrations },
]

export const installationChecks: readonly InstallationCheck[] = [
  { name: 'control-tables', about: 'The control tables are intact', run: checkControlTables },
  { name: 'control-rows', about: 'Every tenant has exactly its own site', run: checkControlRows },
  {
    name: 'distribution',
    about: 'On Citus the tables of sites are distributed, all or none',
    run: checkDistribution,
  },
  { name: 'encryption', about: 'Everything that is stored encrypted can be decrypted', run: checkEncryption },
  { name: 'storage', about: 'The storage answers', run: checkStorage },
  {
    name: 'stray-sites',
    about: 'No rows or bytes belong to an unknown site',
    run: checkStraySites,
  },
  { name: 'temporaries', about: 'No temporary files of stopped processes are left', run: checkTemporaries },
  { name: 'jobs', about: 'Jobs run, and none fails', run: checkJobs },
]

export const siteChecks: readonly SiteCheck[] = [
  { name: 'totals', about: "A site's totals agree with its rows", run: checkTotals },
  { name: 'stats', about: 'The stored stats of a site agree with its totals', run: checkStatsInSync },
  {
    name: 'bytes',
    about: 'Every file has its bytes, and all bytes have a file',
    run: checkStoredBytes,
  },
  {
    name: 'contents',
    about: 'The bytes of every file are those that were uploaded',
    isDeep: true,
    run: checkContents,
  },
  { name: 'scrub', about: 'The scrub job has found no damage', run: checkScrub },
  { name: 'outbox', about: 'The bytes of removed files are gone', run: checkOutbox },
  { name: 'expired', about: 'Expired files are removed', run: checkExpired },
  { name: 'audit', about: 'The audit log is as it was written', run: checkAudit },
  { name: 'places', about: 'Every site is at the location that its settings name', run: checkLocations },
]

/** Runs on each site before it is opened; a site with broken tables is not checked further. */
export const siteTables = { name: 'site-tables', about: "Every site's tables are intact and up to date" }
