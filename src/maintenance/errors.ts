import { type Message, message } from '../lib/messages.ts'
import { Refusal, refusalInMessages } from '../lib/refusal.ts'

export const noInstallation = (location: string) =>
  new Refusal(
    'not-found',
    'no-installation',
    `There is no installation in ${location}. Create one: tenants init`,
  )

export const backupExists = (folder: string) =>
  new Refusal('conflict', 'backup-exists', `${folder} already exists. Name a new folder.`)

export const backupNotFound = (name: string) =>
  new Refusal('not-found', 'backup-not-found', `There is no backup "${name}" in the folder of this server.`)

export const backupsUnreadable = (folder: string, cause: NodeJS.ErrnoException) =>
  new Refusal(
    'unavailable',
    'backups-unreadable',
    `The folder of backups ${folder} cannot be read (${cause.code}). Check SERVICE_BACKUP_DIR and the permissions of the folder.`,
    { cause },
  )

export const workRuns = (code: string, message: string) => new Refusal('conflict', code, message)

export const noKeyFile = () =>
  new Refusal(
    'invalid',
    'no-key-file',
    '--with-keys: the keys come from SERVICE_ENCRYPTION_KEY, not from the data folder; back them up where you keep that setting.',
  )

interface BackupFaults {
  damaged: readonly string[]
  rescued: readonly string[]
  changed: readonly string[]
  brokenLogs: readonly Message[]
}

export const damagedFiles = (folder: string, { damaged, rescued, changed, brokenLogs }: BackupFaults) =>
  refusalInMessages('unavailable', 'files-damaged', message('backupLacksBytes', { folder }), [
    ...damaged.slice(0, maxNamed).map((key) => message('notInBackup', { key })),
    ...rescued.slice(0, maxNamed).map((key) => message('keptFromEarlier', { key })),
    ...changedTexts(changed),
    ...brokenLogs.slice(0, maxNamed).map((log) => message('logChanged', { log })),
  ])

const changedTexts = (changed: readonly string[]) =>
  changed.slice(0, maxNamed).map((key) => message('changedInEarlier', { key }))

export const auditChanged = (folder: string, logs: readonly Message[], changed: readonly string[]) =>
  refusalInMessages('unavailable', 'audit-changed', message('backupOfChangedLogs', { folder }), [
    ...logs.slice(0, maxNamed),
    ...changedTexts(changed),
  ])

const maxNamed = 100

export const earlierDamaged = (folder: string, earlier: string, keys: readonly string[]) =>
  refusalInMessages(
    'unavailable',
    'earlier-damaged',
    message('earlierBackupChanged', { folder, earlier }),
    keys.slice(0, maxNamed),
  )

export const noBackup = (folder: string, why: Message) =>
  refusalInMessages('invalid', 'no-backup', message('notRestorable', { folder, why }))

export const otherTables = (folder: string, isNewer: boolean) =>
  refusalInMessages(
    'invalid',
    'other-tables',
    message(isNewer ? 'backupOfNewer' : 'backupOfOlder', { folder }),
  )

export const backupDamaged = (folder: string, faults: readonly (Message | string)[]) =>
  refusalInMessages('invalid', 'backup-damaged', message('backupDamaged', { folder }), faults)

export const notInBackup = (folder: string, id: string) =>
  new Refusal('not-found', 'not-in-backup', `There is no tenant "${id}" in ${folder}.`)

export const keysMissing = (path: string, keyId: string) =>
  new Refusal(
    'invalid',
    'keys-missing',
    `The backup has values that are encrypted with the key "${keyId}", but not the key itself. Copy secrets/encryption-keys of the original installation to ${path}, or set SERVICE_ENCRYPTION_KEY.`,
  )

export const wrongKey = (owner: string, keyId: string) =>
  new Refusal(
    'invalid',
    'wrong-key',
    `The encrypted values of the ${owner} in the backup need the key "${keyId}", which this installation does not have. Add it after the key in use, in secrets/encryption-keys or in SERVICE_ENCRYPTION_KEY.`,
  )

export const notEmpty = (content: string) =>
  new Refusal(
    'conflict',
    'not-empty',
    `This installation is not empty: it has a ${content}. Restore into an empty one, or one tenant with --id.`,
  )

export const storageNotEmpty = (location: string, key: string) =>
  new Refusal(
    'conflict',
    'storage-not-empty',
    `${location} is not empty: it contains ${key}. A whole backup is restored only into an empty storage, so that it cannot overwrite another installation.`,
  )

export const otherRestore = () =>
  new Refusal(
    'conflict',
    'other-restore',
    'The restore of another backup was interrupted here. Repeat that restore, or use an empty installation.',
  )

export const restoreRuns = (dataDir: string) =>
  new Refusal(
    'conflict',
    'restore-runs',
    `Another restore is running in the data folder ${dataDir}. Wait until it has ended.`,
  )

export const inTheWay = (id: string, obstacle: 'id' | 'hostname' | 'kept', hostname: string) =>
  new Refusal('conflict', 'in-the-way', obstacleTexts[obstacle](id, hostname))

const obstacleTexts = {
  id: (id: string) => `There is already a tenant "${id}".`,
  hostname: (_id: string, hostname: string) => `The hostname "${hostname}" belongs to another tenant.`,
  kept: (id: string) =>
    `The data of an earlier tenant "${id}" is kept here. Drop it first: create the tenant, then run tenants delete --id ${id} --drop-tables`,
}
