import { Refusal } from '../../lib/refusal.ts'

/** `subject` names the entry, or the place in the archive. */
export const brokenArchive = (subject: string, why: string) =>
  new Refusal('invalid', 'broken-archive', `Nothing was imported from the archive. ${subject}: ${why}.`, {
    params: { entry: subject },
  })

export const otherBytes = (name: string) => brokenArchive(name, 'these are not the bytes that its row names')

export const noArchive = (path: string, why: string) =>
  new Refusal('invalid', 'no-archive', `${path} cannot be read as an archive: ${why}.`)

export const archiveExists = (path: string) =>
  new Refusal('conflict', 'archive-exists', `${path} already exists. Name a new file.`)

export const archiveReplaced = (path: string) =>
  new Refusal(
    'conflict',
    'archive-replaced',
    `Another export to ${path} has begun meanwhile. This one was stopped.`,
  )

export const shortPassphrase = (least: number) =>
  new Refusal('invalid', 'short-passphrase', `The passphrase must have at least ${least} characters.`)

export const wrongPassphrase = () =>
  new Refusal(
    'invalid',
    'wrong-passphrase',
    'The passphrase does not open the secrets of the archive, tables/secrets.ndjson. Nothing was imported. Without a passphrase the archive is imported without them.',
  )

export const bytesDamaged = (key: string, fault: string) =>
  new Refusal(
    'unavailable',
    'bytes-damaged',
    `No archive was made: the stored file ${key} ${fault}. Repair it or delete the file, then repeat the export (see terrace doctor).`,
  )

export const secretUnreadable = (owner: string) =>
  new Refusal(
    'unavailable',
    'secret-unreadable',
    `No archive was made: the secret of ${owner} cannot be decrypted with the keys of this installation. Set it again, or export without a passphrase.`,
  )

export const notExportable = (id: string) =>
  new Refusal('conflict', 'not-installed', `The tenant "${id}" is not installed: it has nothing to export.`)

export const exportNotFound = () => new Refusal('not-found', 'export-not-found', 'Export not found')

export const exportNotReady = (state: string) =>
  new Refusal(
    'conflict',
    'export-not-ready',
    `The export is ${state}. Its archive is there when its state is "done".`,
  )

export const exportLost = () =>
  new Refusal('conflict', 'export-lost', 'The export was deleted, or the servers that worked on it ended.')

export const importLost = (id: string) =>
  new Refusal(
    'conflict',
    'import-lost',
    `Another import of "${id}" has begun meanwhile. This one was stopped.`,
  )
