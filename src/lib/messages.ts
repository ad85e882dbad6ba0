/**
 * What the doctor and backups tell operators, as data. The tool and logs write it in English, as here; pages of the console
 * write it in the language of their reader (`console-findings.ts` of each language in `words`). A new sentence is one line here
 * and one in each language: the compiler asks for them. Those that begin with a small letter are parts of others.
 */
export const messageTexts = {
  nodeTooOld: ({ version }: { version: string }) => `Node ${version} is too old.`,
  useNewerNode: ({ oldest }: { oldest: number }) =>
    `Use bin/terrace, which installs its own Node, or Node ${oldest} or later.`,
  postgresOld: ({ version }: { version: string }) =>
    `The server is PostgreSQL ${version}, older than the tested versions.`,
  useNewerPostgres: ({ oldest }: { oldest: number }) => `Use PostgreSQL ${oldest} or later.`,
  folderNotWritable: () => 'This account cannot write to the data folder.',
  ownFolder: () => 'Make the account of the server its owner, with mode 0750.',
  folderOpen: () => 'Every account of this machine can read the data folder.',
  closeFolder: () => 'Set its mode to 0750.',
  diskAlmostFull: ({ size }: { bytes: number; size: string }) => `The disk has only ${size} of free space.`,
  freeSpace: () => 'Free some space: on a full disk every change is refused.',
  secretMissing: () => 'The secret is missing.',
  restoreSecret: () => 'Restore the file, or set the secret in the environment.',
  secretOpen: ({ mode }: { mode: string }) => `The mode is ${mode}: other accounts can read the file.`,
  ffmpegOfPackage: ({ version, name }: { version: string; name: string }) =>
    `FFmpeg ${version} of the package ${name}`,
  ffmpegAt: (p: { version: string; path: string; source: string }) =>
    `FFmpeg ${p.version} at ${p.path} (${p.source})`,
  ffmpegMissing: () => 'FFmpeg is missing: videos get no frame, thumb or medium.',
  installFfmpeg: ({ name }: { name: string }) => `Install the package ${name} or ffmpeg, or set FFMPEG_PATH.`,
  decoderUnconfined: ({ detail }: { layer: string; detail: string }) =>
    `A decoder ${detail}, because this machine refuses the sandbox layer.`,
  readAboutSandbox: () => 'See "Sandbox of decoders" in docs/operations.md.',
  decodersFail: ({ fault }: { fault: string }) => `Decoders do not start: ${fault}`,
  mendDecoders: () => 'Fix the cause: uploads are refused until a decoder starts.',
  migrationMissing: () => 'The control tables lack this migration.',

  runCommand: ({ command }: { command: string }) => `Run: ${command}`,
  startOrRun: ({ command }: { command: string }) => `Start the server, or run: ${command}`,
  restartOrRun: ({ command }: { command: string }) => `Restart the server, or run: ${command}`,
  checkReach: () => 'Check that the database and the storage can be reached, then run the doctor again.',
  restoreTenant: () => 'Restore this tenant from a backup.',
  restoreInstallation: () => 'Restore the installation from a backup.',

  rowsWithoutParent: ({ count, table, parent }: { count: number; table: string; parent: string }) =>
    `${count} rows of ${table} refer to a ${parent} that is not there`,
  tableNotDistributed: ({ table }: { table: string }) =>
    `The table "${table}" is not distributed, although others are`,
  tableNotColocated: ({ table, anchor }: { table: string; anchor: string }) =>
    `The table "${table}" is not colocated with "${anchor}"`,
  tablesPending: ({ names }: { names: string }) =>
    `The tables need ${names}; they are migrated when the site is next opened.`,
  restoreInterrupted: () => 'A restore was interrupted.',
  restoreOfInterrupted: ({ id }: { id: string }) => `The restore of "${id}" was interrupted.`,
  repeatRestore: () => 'Repeat it with terrace restore.',
  siteDropping: () => 'The site was deleted, but its data is not removed yet.',
  siteWithoutTenant: () => 'The site is live, but has no tenant.',
  siteNotLive: ({ state }: { state: string }) => `The site of the tenant is ${state}.`,
  siteOfOther: ({ id }: { id: string }) => `The tenant has the site of "${id}".`,
  tenantEnvSealed: ({ id }: { id: string }) =>
    `The environment of the tenant "${id}" cannot be decrypted with the keys of this installation.`,
  planEnvSealed: ({ id }: { id: string }) =>
    `The environment of the plan "${id}" cannot be decrypted with the keys of this installation.`,
  addKeyOrSetEnv: () => 'Add the key that encrypted it after the key in use, or set the environment again.',
  locationSealed: () => 'The location of the data cannot be decrypted.',
  addKey: () => 'Add the key that encrypted it after the key in use.',
  operatorSealed: ({ name }: { name: string }) =>
    `The second step of the operator "${name}" cannot be decrypted: no code is right.`,
  addKeyOrRun: ({ command }: { command: string }) =>
    `Add the key that encrypted it after the key in use, or run: ${command}`,
  checkStorage: () =>
    'Check that the disk is mounted, or that the bucket of SERVICE_STORAGE_URL can be reached.',
  strayTables: () => 'There are tables of an unknown site.',
  strayBytes: () => 'There are bytes of an unknown site.',
  checkSharing: () =>
    'Check whether another installation shares this database or storage. If none does, remove them by hand.',
  temporaryLeft: () => 'A stopped process left this behind.',
  consoleLocal: ({ url }: { url: string }) =>
    `The console has the hostname of this tenant: ${url} answers only on this machine.`,
  consoleClosed: ({ url }: { url: string }) =>
    `The console has the hostname of this tenant: ${url} is closed.`,
  setConsoleHostname: () => 'Set SERVICE_CONSOLE_HOSTNAME to a hostname that no tenant has.',
  jobsLate: ({ at }: { at: string }) => `Jobs were due at ${at} and did not run.`,
  jobsFailed: ({ count, fault }: { count: number; fault: string }) => `Jobs failed ${count} times: ${fault}`,
  noReasonStored: () => 'no reason is stored',
  leaseAbandoned: ({ at }: { at: string }) =>
    `A worker leased the site until ${at} and did not release it; no other worker has leased it since.`,
  runJobs: ({ command }: { command: string }) => `Run the jobs: ${command}`,
  purgeFailing: ({ at, count, fault }: { at: string; count: number; fault: string }) =>
    `The purge of files removed or hidden at ${at} did not reach the caches. Failed attempts: ${count}. Last reason: ${fault}.`,
  checkPurgeUrl: () => 'Check the receiver at SERVICE_PURGE_URL. Requests are repeated for a day.',

  totalWrong: ({ name, stored, counted }: { name: string; stored: number; counted: number }) =>
    `The total ${name} is ${stored}, but the rows add up to ${counted}.`,
  userTotalWrong: (p: { id: string; files: number; used: number; filesNow: number; usedNow: number }) =>
    `The user ${p.id} is counted with ${p.files} files and ${p.used} bytes, but the rows add up to ${p.filesNow} files and ${p.usedNow} bytes.`,
  labelTotalWrong: ({ kind, label, files, listed }: LabelTotal) =>
    `The ${kind} ${label} is counted with ${files} files more than the rows add up to, ${listed} of them in lists.`,
  labelTotalOfUserWrong: ({ kind, label, id, files, listed }: LabelTotal & { id: string }) =>
    `The ${kind} ${label} is counted with ${files} files of the user ${id} more than the rows add up to, ${listed} of them in lists.`,
  statsDiffer: ({ names }: { names: string }) => `The stored stats differ from the site's totals: ${names}.`,
  sizeWrong: ({ found, expected }: { found: number; expected: number }) =>
    `It has ${found} bytes instead of ${expected}.`,
  bytesMissing: () => 'Its bytes are missing.',
  restoreBytes: () => 'Restore the bytes from a backup, or delete the file.',
  orphan: () =>
    'These bytes belong to no file. They are the remains of an interrupted upload, or were put here by hand.',
  awaitSweep: () => 'Wait for the job sweep-orphans, or run: terrace doctor --repair',
  fileDamaged: ({ fault }: { fault: string }) => `The file ${fault}.`,
  readsDiffer: () => 'is read differently each time',
  onlyListed: () => 'is listed, but cannot be read',
  readBreaks: () => 'cannot be read to its end',
  sizeDiffers: ({ found, expected }: { found: number; expected: number }) =>
    `has ${found} bytes, not ${expected}`,
  bytesDiffer: () => 'has other bytes than were stored',
  checksumDiffers: () => 'has another checksum',
  scrubFound: ({ fault }: { fault: string }) => `The scrub found that ${fault}.`,
  restoreScrubbed: () =>
    'Restore the bytes from a backup, or delete the file. The next scrub then removes this record.',
  bytesNotRemoved: ({ at }: { at: string }) => `The file was removed at ${at}, but its bytes still exist.`,
  runJobsOrRepair: ({ command }: { command: string }) => `Run: ${command}, or: terrace doctor --repair`,
  fileExpired: ({ at }: { at: string }) => `The file expired at ${at} and is not removed yet.`,
  checkJobs: ({ command }: { command: string }) => `Check that jobs run, or run: ${command}`,
  rowsElsewhere: () => "The rows are not at the location that the tenant's settings name.",
  bytesElsewhere: () => "The bytes are not at the location that the tenant's settings name.",
  moveOrSet: ({ command }: { command: string }) => `Run: ${command}, or change the settings.`,

  auditChanged: ({ fault }: { fault: string }) => `The audit log was changed outside of Terrace: ${fault}.`,
  controlAuditChanged: ({ fault }: { fault: string }) =>
    `The audit log of the installation was changed outside of Terrace: ${fault}.`,
  compareAudit: ({ command }: { command: string }) =>
    `Compare it with a backup, and find out who can write to the database. If you put the database back yourself, accept the log: ${command}`,
  auditRowChanged: ({ row }: { row: number }) => `the row ${row} is not what was written`,
  auditRowDetached: ({ row }: { row: number }) =>
    `the row ${row} does not belong to the end that was written`,
  auditRowsUnsigned: ({ last }: { last: number }) => `the rows up to ${last} are not those that were signed`,
  auditRowsMissing: (rows: Rows) => `${rowsText(rows)} missing`,
  auditRowsReverted: (rows: Rows) =>
    `${rowsText(rows)} missing, the database was put back to an earlier state`,
  auditRowsReturned: (rows: Rows) =>
    `${rowsText(rows)} back that the retention had deleted, the database was put back to an earlier state`,
  auditHeadForged: ({ path }: { path: string }) => `its signed head in ${path} is not what was written`,
  auditUnsigned: () => 'its signature was removed',

  backupLacksBytes: ({ folder }: { folder: string }) =>
    `The backup ${folder} is complete except for these bytes, which are missing or damaged in the storage (see terrace doctor):`,
  backupOfChangedLogs: ({ folder }: { folder: string }) =>
    `The backup ${folder} is complete. These audit logs were changed outside of Terrace (see terrace doctor):`,
  earlierBackupChanged: ({ folder, earlier }: { folder: string; earlier: string }) =>
    `The backup ${folder} is complete. These files of the earlier backup ${earlier} have changed since they were written and were copied again (check the disk of the earlier backup):`,
  notInBackup: ({ key }: { key: string }) => `${key} (its file is not in the backup)`,
  keptFromEarlier: ({ key }: { key: string }) => `${key} (kept from the earlier backup)`,
  changedInEarlier: ({ key }: { key: string }) => `${key}: has changed in the earlier backup`,
  logOfSite: (p: { id: string; row: number; fault: string }) => `${p.id}: audit ${p.row}: ${p.fault}`,
  logOfInstallation: ({ row, fault }: { row: number; fault: string }) =>
    `the installation: audit ${row}: ${fault}`,
  logChanged: ({ log }: { log: string }) => `${log} (the audit log was changed outside of Terrace)`,
  backupDamaged: ({ folder }: { folder: string }) =>
    `The backup ${folder} is damaged; nothing was restored from it:`,
  partChanged: ({ path }: { path: string }) => `${path}: it has changed since it was written`,
  partUnnamed: ({ path }: { path: string }) => `${path}: the manifest does not name it`,
  copyDiffers: ({ path }: { path: string }) => `${path}: these are not the bytes that were copied`,
  rowCountDiffers: (p: { path: string; found: number; table: string; copied: number }) =>
    `${p.path}: ${p.found} rows of ${p.table}, and ${p.copied} were copied`,
  notRestorable: ({ folder, why }: { folder: string; why: string }) =>
    `${folder} cannot be restored: ${why}.`,
  noManifest: () => 'it has no manifest.json',
  manifestOfOther: () => 'its manifest.json has another format',
  manifestChanged: () => 'its manifest.json has changed since it was written',
  manifestRefused: ({ fault }: { fault: string }) => `manifest.json: ${fault}`,
  backupOfNewer: ({ folder }: { folder: string }) =>
    `${folder} was made by a newer version of Terrace. Restore it with that version.`,
  backupOfOlder: ({ folder }: { folder: string }) =>
    `${folder} was made by an older version of Terrace. Restore it with that version, then upgrade.`,
}

/** What is true if a check of the doctor finds nothing, by the name of the check. */
export const checkTexts = {
  versions: 'Node and the database are new enough',
  'data-folder': 'The data folder is writable and has free space',
  secrets: 'The secret files exist, and only their owner can read them',
  ffmpeg: 'FFmpeg can extract frames of videos',
  decoders: 'Decoders start in a complete sandbox',
  migrations: 'The control tables are up to date',
  'control-tables': 'The control tables are intact',
  'control-rows': 'Every tenant has exactly one site',
  distribution: 'On Citus all tables of sites are distributed, or none',
  'control-audit': 'The audit log of the installation is unchanged',
  encryption: 'All encrypted values can be decrypted',
  storage: 'The storage answers',
  'stray-sites': 'No rows or bytes belong to an unknown site',
  temporaries: 'No temporary files of stopped processes remain',
  console: 'No tenant has the hostname of the console',
  jobs: 'Jobs run without failures',
  purges: 'Caches know which files were removed',
  totals: "A site's totals agree with its rows",
  stats: 'The stored stats of a site agree with its totals',
  bytes: 'Every file has its bytes, and there are no orphans',
  contents: 'Every file has the bytes that were uploaded',
  scrub: 'The scrub job has found no damage',
  outbox: 'The bytes of removed files are deleted',
  expired: 'Expired files are removed',
  audit: 'The audit log is unchanged',
  places: 'Every site is at the location that its settings name',
  'site-tables': "Every site's tables are intact and up to date",
}

export type CheckName = keyof typeof checkTexts

interface LabelTotal {
  kind: 'tag' | 'category'
  label: string
  files: number
  listed: number
}

interface Rows {
  from: number
  to: number
}

const rowsText = ({ from, to }: Rows): string =>
  from === to ? `the row ${from} is` : `the rows ${from} to ${to} are`

type Texts = typeof messageTexts

export type MessageCode = keyof Texts

type ParamsOf<Code extends MessageCode> = NonNullable<Parameters<Texts[Code]>[0]>

/** A text for every message, in one language. */
export type MessageTexts = { readonly [Code in MessageCode]: (params: ParamsOf<Code>) => string }

/** A sentence, with the numbers and names that it needs; a parameter may be a part that is a message itself. */
export interface Message {
  readonly code: MessageCode
  readonly params: Readonly<Record<string, string | number | Message>>
}

type Given<Code extends MessageCode> =
  Parameters<Texts[Code]> extends [infer Params]
    ? [params: { [Name in keyof Params]: Params[Name] | (string extends Params[Name] ? Message : never) }]
    : []

export const message = <Code extends MessageCode>(code: Code, ...[params]: Given<Code>): Message => ({
  code,
  params: params ?? {},
})

/** In English, as the tool and logs write it. */
export const englishOf = (message: Message): string => writeMessage(messageTexts, message)

/** In the language of these texts. */
export function writeMessage(texts: MessageTexts, { code, params }: Message): string {
  const written = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'object' ? writeMessage(texts, value) : value,
  ])
  return (texts[code] as (params: object) => string)(Object.fromEntries(written))
}

/** Whether all of it has texts: a row of the database may be from a later version, which knows more. */
export const isKnownMessage = ({ code, params }: Message): boolean =>
  Object.hasOwn(messageTexts, code) &&
  Object.values(params).every((value) => typeof value !== 'object' || isKnownMessage(value))

/** Every message there is; a test writes each of them in each language. */
export const messageCodes = Object.keys(messageTexts) as readonly MessageCode[]
