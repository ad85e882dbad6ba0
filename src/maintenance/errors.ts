import { Refusal } from '../lib/refusal.ts'

export const noInstallation = (location: string) =>
  new Refusal(
    'not-found',
    'no-installation',
    `There is no installation in ${location}. Make one: tenants init`,
  )

export const backupExists = (folder: string) =>
  new Refusal('conflict', 'backup-exists', `${folder} already exists. Name a new folder.`)

export const noKeyFile = () =>
  new Refusal(
    'invalid',
    'no-key-file',
    '--with-keys: the keys are given by SERVICE_ENCRYPTION_KEY and not in the data folder; back them up where you keep that setting.',
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
    `The backup ${folder} is made, but these bytes are missing or damaged in the storage (see terrace doctor):`,
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
    `The backup ${folder} is made and complete. These audit logs were changed outside of Terrace (see terrace doctor):`,
    { list: [...logs.slice(0, maxNamed), ...changedTexts(changed)] },
  )

const maxNamed = 100

export const earlierDamaged = (folder: string, earlier: string, keys: readonly string[]) =>
  new Refusal(
    'unavailable',
    'earlier-damaged',
    `The backup ${folder} is made and complete. In the earlier backup ${earlier} these files have changed since they were written; they were copied again (check the disk of the earlier backup):`,
    { list: keys.slice(0, maxNamed) },
  )

export const noBackup = (folder: string, why: string) =>
  new Refusal('invalid', 'no-backup', `${folder} is no backup that can be restored: ${why}.`)

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
    `The backup holds values that are encrypted with the key "${keyId}", and not the key itself. Put the secrets/encryption-keys of the installation that was backed up to ${path}, or set SERVICE_ENCRYPTION_KEY.`,
  )

export const wrongKey = (owner: string, keyId: string) =>
  new Refusal(
    'invalid',
    'wrong-key',
    `What is encrypted in the backup for the ${owner} needs the key "${keyId}", which is not among the keys here. Add it behind the key in use, in secrets/encryption-keys or in SERVICE_ENCRYPTION_KEY.`,
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
    `${location} is not empty: it holds ${key}. A whole backup is restored only into an empty one, so that it cannot overwrite another installation.`,
  )

export const otherRestore = () =>
  new Refusal(
    'conflict',
    'other-restore',
    'The restore of another backup was started here and is not finished. Repeat that restore, or use an empty installation.',
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
    `The data of an earlier tenant "${id}" are kept here. Drop them first: create it, then tenants delete --id ${id} --drop-tables`,
}
