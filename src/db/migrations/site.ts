import type { Migration } from './migration.ts'
import { firstTables } from './site-001.ts'
import { jobs } from './site-002.ts'
import { reservedNamesAndWrongPasswords } from './site-003.ts'
import { writeFence } from './site-004.ts'
import { privateFiles } from './site-005.ts'
import { damageAndRateLimit } from './site-006.ts'
import { keysAndSessions } from './site-007.ts'
import { filesInOrder } from './site-008.ts'
import { fileRevisions } from './site-009.ts'
import { albumsAndShares } from './site-010.ts'
import { searchWords } from './site-011.ts'
import { usersAndPages } from './site-012.ts'
import { accountPages } from './site-013.ts'
import { resumableUploads } from './site-014.ts'
import { albumTitles } from './site-016.ts'
import { brandPictures } from './site-017.ts'
import { loginProviders } from './site-018.ts'
import { dayTotals } from './site-019.ts'
import { auditLog } from './site-020.ts'
import { secondSteps } from './site-021.ts'
import { fileReports } from './site-022.ts'
import { trashAndReporters } from './site-023.ts'
import { pendingFiles } from './site-024.ts'
import { removalsAndTargets } from './site-025.ts'
import { fileRequests } from './site-026.ts'
import { confirmedAddresses } from './site-027.ts'
import { signedAuditHead } from './site-030.ts'
import { pieceSums } from './site-031.ts'
import { activeUploads } from './site-032.ts'
import { profiles } from './site-033.ts'
import { sharesOfFiles } from './site-034.ts'
import { userDayTotals } from './site-036.ts'
import { userTotals } from './site-037.ts'
import { quotaStates } from './site-038.ts'
import { adminAddresses } from './site-039.ts'
import { labelTotals } from './site-040.ts'
import { derivedPictures } from './site-041.ts'
import { presets } from './site-042.ts'
import { signingKeys } from './site-043.ts'
import { missingPlaceholders } from './site-044.ts'
import { purges } from './site-045.ts'
import { rowVersions } from './site-046.ts'

/**
 * The tables of a site, oldest step first. The outcome of a released step is never changed.
 * On PostgreSQL `site` leads every key, so that no key and no foreign key spans two sites.
 */
export const siteMigrations: readonly Migration[] = [
  firstTables,
  jobs,
  reservedNamesAndWrongPasswords,
  writeFence,
  privateFiles,
  damageAndRateLimit,
  keysAndSessions,
  filesInOrder,
  fileRevisions,
  albumsAndShares,
  searchWords,
  usersAndPages,
  accountPages,
  resumableUploads,
  albumTitles,
  brandPictures,
  loginProviders,
  dayTotals,
  auditLog,
  secondSteps,
  fileReports,
  trashAndReporters,
  pendingFiles,
  removalsAndTargets,
  confirmedAddresses,
  signedAuditHead,
  pieceSums,
  activeUploads,
  fileRequests,
  profiles,
  sharesOfFiles,
  userDayTotals,
  userTotals,
  quotaStates,
  adminAddresses,
  labelTotals,
  derivedPictures,
  presets,
  signingKeys,
  rowVersions,
  missingPlaceholders,
  purges,
]
