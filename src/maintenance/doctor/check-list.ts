import { type CheckName, checkTexts } from '../../lib/messages.ts'
import type { InstallationCheck, PreflightCheck, SiteCheck } from './check.ts'
import { checkConsole } from './console-check.ts'
import { checkControlAudit } from './control-audit-check.ts'
import {
  checkControlRows,
  checkControlTables,
  checkDistribution,
  checkEncryption,
  checkJobs,
  checkPurges,
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

const check = (name: CheckName) => ({ name, about: checkTexts[name] })

/** All checks, in the order in which they run. The groups are `preflight-checks.ts`, `installation-checks.ts` and `site-checks.ts`. */
export const preflightChecks: readonly PreflightCheck[] = [
  { ...check('versions'), run: checkVersions },
  { ...check('data-folder'), run: checkDataFolder },
  { ...check('secrets'), run: checkSecretFiles },
  { ...check('ffmpeg'), run: checkFfmpeg },
  { ...check('decoders'), run: checkDecoders },
  { ...check('migrations'), run: checkMigrations },
]

export const installationChecks: readonly InstallationCheck[] = [
  { ...check('control-tables'), run: checkControlTables },
  { ...check('control-rows'), run: checkControlRows },
  { ...check('distribution'), run: checkDistribution },
  { ...check('control-audit'), run: checkControlAudit },
  { ...check('encryption'), run: checkEncryption },
  { ...check('storage'), run: checkStorage },
  { ...check('stray-sites'), run: checkStraySites },
  { ...check('temporaries'), run: checkTemporaries },
  { ...check('console'), run: checkConsole },
  { ...check('jobs'), run: checkJobs },
  { ...check('purges'), run: checkPurges },
]

export const siteChecks: readonly SiteCheck[] = [
  { ...check('totals'), run: checkTotals },
  { ...check('stats'), run: checkStatsInSync },
  { ...check('bytes'), run: checkStoredBytes },
  { ...check('contents'), isDeep: true, run: checkContents },
  { ...check('scrub'), run: checkScrub },
  { ...check('outbox'), run: checkOutbox },
  { ...check('expired'), run: checkExpired },
  { ...check('audit'), run: checkAudit },
  { ...check('places'), run: checkLocations },
]

/** Runs on each site before it is opened; a site with broken tables is not checked further. */
export const siteTables = check('site-tables')
