import type { GroundCheck, InstallationCheck, SiteCheck } from './check.ts'
import { checkContents } from './checks/contents.ts'
import { checkControlRows } from './checks/control-rows.ts'
import { checkControlTables } from './checks/control-tables.ts'
import { checkDataFolder } from './checks/data-folder.ts'
import { checkEncryption } from './checks/encryption.ts'
import { checkExpired } from './checks/expired.ts'
import { checkFfmpeg } from './checks/ffmpeg.ts'
import { checkJobs } from './checks/jobs.ts'
import { checkOutbox } from './checks/outbox.ts'
import { checkPending } from './checks/pending.ts'
import { checkPlaces } from './checks/places.ts'
import { checkScrub } from './checks/scrub.ts'
import { checkSecretFiles } from './checks/secret-files.ts'
import { checkStorage } from './checks/storage.ts'
import { checkStoredBytes } from './checks/stored-bytes.ts'
import { checkStraySites } from './checks/stray-sites.ts'
import { checkTemporaries } from './checks/temporaries.ts'
import { checkToldTotals } from './checks/told-totals.ts'
import { checkTotals } from './checks/totals.ts'
import { checkVersions } from './checks/versions.ts'

/** Everything that is looked at, in this order. Each is a file in `checks/`. */
export const groundChecks: readonly GroundCheck[] = [
  { name: 'versions', about: 'Node and the database are new enough', look: checkVersions },
  { name: 'data-folder', about: 'The data folder can be written and has room', look: checkDataFolder },
  { name: 'secrets', about: 'The secret files are there, for their owner alone', look: checkSecretFiles },
  { name: 'ffmpeg', about: 'Videos get their pictures', look: checkFfmpeg },
  { name: 'migrations', about: 'The control tables are up to date', look: checkPending },
]

export const installationChecks: readonly InstallationCheck[] = [
  { name: 'control-tables', about: 'The control tables are whole', look: checkControlTables },
  { name: 'control-rows', about: 'Every tenant has its site, and no other', look: checkControlRows },
  { name: 'encryption', about: 'Everything that is kept encrypted can be decrypted', look: checkEncryption },
  { name: 'storage', about: 'The storage answers', look: checkStorage },
  {
    name: 'stray-sites',
    about: 'No rows or bytes belong to a site that is not there',
    look: checkStraySites,
  },
  { name: 'temporaries', about: 'Nothing is left of what was stopped half-way', look: checkTemporaries },
  { name: 'jobs', about: 'Jobs run, and none fails', look: checkJobs },
]

export const siteChecks: readonly SiteCheck[] = [
  { name: 'totals', about: 'What a site counts is what it has', look: checkTotals },
  { name: 'stats', about: 'What the installation tells of a site is what it counts', look: checkToldTotals },
  {
    name: 'bytes',
    about: 'Every file has its bytes, and no bytes are without a file',
    look: checkStoredBytes,
  },
  {
    name: 'contents',
    about: 'The bytes of every file are those it came with',
    isDeep: true,
    look: checkContents,
  },
  { name: 'scrub', about: 'Jobs that read the bytes found no damage', look: checkScrub },
  { name: 'outbox', about: 'The bytes of removed files are gone', look: checkOutbox },
  { name: 'expired', about: 'Expired files are removed', look: checkExpired },
  { name: 'places', about: 'Every site is where its values say', look: checkPlaces },
]

/** Made of each site before it is opened: one that is broken can be looked at no further. */
export const siteTables = { name: 'site-tables', about: "Every site's tables are whole and up to date" }
