import type { App } from '../app.ts'
import { backUp, type Manifest, restoreBackup } from '../care/index.ts'
import { encryptionKeysPath } from '../control/index.ts'
import { formatSize } from '../lib/sizes.ts'
import type { Session } from './session.ts'
import { withSteps } from './with-steps.ts'

interface BackupInput {
  to: string
  id?: string
  since?: string
  'with-keys'?: boolean
}

export async function backup(session: Session, input: BackupInput): Promise<void> {
  await using app = await session.openApp()
  const { 'with-keys': withKeys, ...order } = input
  const manifest = await withSteps(session, 'sites copied', (onStep) =>
    backUp(app, { ...order, withKeys, onStep }),
  )
  const { tenants, files, bytes } = manifest
  session.answer(
    { to: input.to, tenants, sites: manifest.sites, files, bytes, has_keys: manifest.hasKeys },
    () =>
      `Copied ${counted(tenants, 'tenant')} with ${counted(files, 'file')} (${formatSize(bytes)}) to ${input.to}.`,
  )
  session.note(keyNote(app, manifest))
}

function keyNote({ config }: App, { hasKeys, sealed }: Manifest): string {
  if (hasKeys)
    return 'The encryption keys are in it: whoever has this folder can read everything. Keep it safe.'
  const where = config.encryptionKeys ? 'SERVICE_ENCRYPTION_KEY' : encryptionKeysPath(config.dataDir)
  const what = sealed === 1 ? 'One value in it is' : `${sealed} values in it are`
  return `${what} encrypted, and the key is not in it. Keep ${where} as well, elsewhere.`
}

interface RestoreInput {
  from: string
  id?: string
}

export async function restore(session: Session, input: RestoreInput): Promise<void> {
  const config = await session.readConfig()
  const restored = await withSteps(session, 'files checked and copied', (onStep) =>
    restoreBackup(config, { ...input, onStep }),
  )
  const { tenants, files } = restored
  session.answer({ from: input.from, ...restored }, () => {
    return `Restored ${counted(tenants, 'tenant')} with ${counted(files, 'file')} from ${input.from}.`
  })
  session.note('Look whether all is in order: terrace doctor')
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
