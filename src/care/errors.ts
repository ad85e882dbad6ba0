import { Refusal } from '../lib/refusal.ts'

export const noInstallation = (place: string) =>
  new Refusal('not-found', 'no-installation', `There is no installation in ${place}. Make one: tenants init`)

export const backupExists = (folder: string) =>
  new Refusal('conflict', 'backup-exists', `${folder} is already there. Name a folder that is not.`)

export const noKeyFile = () =>
  new Refusal(
    'invalid',
    'no-key-file',
    '--with-keys: the keys are given by SERVICE_ENCRYPTION_KEY and not in the data folder; keep them where you keep that setting.',
  )

export const damagedFiles = (folder: string, keys: readonly string[]) =>
  new Refusal(
    'unavailable',
    'files-damaged',
    `The backup ${folder} is made, but these bytes are missing or cut short, and their files are not in it (see terrace doctor):`,
    { list: keys.slice(0, 100) },
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

export const otherRestore = () =>
  new Refusal(
    'conflict',
    'other-restore',
    'The restore of another backup was begun here and is not finished. Repeat that one, or take an empty installation.',
  )

export const restoreRuns = (dataDir: string) =>
  new Refusal(
    'conflict',
    'restore-runs',
    `Another restore runs on the data folder ${dataDir}. Wait for its end.`,
  )

export const inTheWay = (id: string, obstacle: 'id' | 'hostname' | 'kept', hostname: string) =>
  new Refusal('conflict', 'in-the-way', obstacleTexts[obstacle](id, hostname))

const obstacleTexts = {
  id: (id: string) => `There is already a tenant "${id}".`,
  hostname: (_id: string, hostname: string) => `The hostname "${hostname}" belongs to another tenant.`,
  kept: (id: string) =>
    `Data of an earlier tenant "${id}" are kept here. Drop them first: create it, then tenants delete --id ${id} --drop-tables`,
}
