import { Refusal } from '../lib/refusal.ts'

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

export const workRuns = (code: string, message: string) => new Refusal('conflict', code, message)

export const noKeyFile = () =>
  new Refusal(
    'invalid',
    'no-key-file',
    '--with-keys: the keys come from SERVICE_ENCRYPTION_KEY, not from the data folder; back them up where you keep that setting.',
  )

export const damagedFiles = (
  folder: string,
  {
    damaged,
    rescued,
    changed,
    brokenLogs,
  }: Record<'damaged' | 'rescued' | 'changed' | 'brokenLogs', readonly string[]>,
) =>
  new Refusal(
    'unavailable',
    'files-damaged',
    `The backup ${folder} is complete except for these bytes, which are missing or damaged in the storage (see terrace doctor):`,
    {
      list: [
        ...damaged.slice(0, maxNamed).map((key) => `${key} (its file is not in the backup)`),
        ...rescued.slice(0, maxNamed).map((key) => `${key} (kept from the earlier backup)`),
        ...changedTexts(changed),
        ...brokenLogs
          .slice(0, maxNamed)
          .map((log) => `${log} (the audit log was changed outside of Terrace)`),
      ],
    },
  )

const changedTexts = (changed: readonly string[]) =>
  changed.slice(0, maxNamed).map((key) => `${key}: has changed in the earlier backup`)

export const auditChanged = (folder: string, logs: readonly string[], changed: readonly string[]) =>
  new Refusal(
    'unavailable',
    'audit-changed',
    `The backup ${folder} is complete. These audit logs were changed outside of Terrace (see terrace doctor):`,
    { list: [...logs.slice(0, maxNamed), ...changedTexts(changed)] },
  )

const maxNamed = 100

export const earlierDamaged = (folder: string, earlier: string, keys: readonly string[]) =>
  new Refusal(
    'unavailable',
    'earlier-damaged',
    `The backup ${folder} is complete. These files of the earlier backup ${earlier} have changed since they were written and were copied again (check the disk of the earlier backup):`,
    { list: keys.slice(0, maxNamed) },
  )

export const noBackup = (folder: string, why: string) =>
  new Refusal('invalid', 'no-backup', `${folder} cannot be restored: ${why}.`)

export const otherTables = (folder: string, isNewer: boolean) =>
  new Refusal(
    'invalid',
    'other-tables',
    `${folder} was made by ${isNewer ? 'a newer' : 'an older'} version of Terrace. Restore it with that version${isNewer ? '' : ', then upgrade'}.`,
  )

export const backupDamaged = (folder: string, faults: readonly string[]) =>
  new Refusal('invalid', 'backup-damaged', `The backup ${folder} is damaged; nothing was restored from it:`, {
    list: faults,
  })

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
