import type { App } from '../../app.ts'
import { formatSize } from '../../common/format.ts'
import { encryptionKeysPath } from '../../control/index.ts'
import { backUp, type Manifest, restoreBackup } from '../../maintenance/index.ts'
import type { Session } from '../session.ts'
import { withProgress } from '../terminal/progress.ts'
import { counted } from '../terminal/table.ts'

interface BackupInput {
  to: string
  id?: string
  since?: string
  'with-keys'?: boolean
}

export async function backup(session: Session, input: BackupInput): Promise<void> {
  await using app = await session.openApp()
  const { 'with-keys': withKeys, ...rest } = input
  const manifest = await withProgress(session.err, { label: 'copied', isBytes: true }, (onStep) =>
    backUp(app, { ...rest, withKeys, onStep }),
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
    return 'The backup contains the encryption keys: anyone with this folder can read everything. Keep it safe.'
  const source = config.encryptionKeys ? 'SERVICE_ENCRYPTION_KEY' : encryptionKeysPath(config.dataDir)
  const values = sealed === 1 ? 'One value in the backup is' : `${sealed} values in the backup are`
  return `${values} encrypted, and the key is not in it. Keep a copy of ${source} elsewhere.`
}

interface RestoreInput {
  from: string
  id?: string
}

export async function restore(session: Session, input: RestoreInput): Promise<void> {
  const config = await session.readConfig()
  const restored = await withProgress(session.err, { label: 'files checked and copied' }, (onStep) =>
    restoreBackup(config, { ...input, onStep }),
  )
  const { tenants, files } = restored
  session.answer({ from: input.from, ...restored }, () => {
    return `Restored ${counted(tenants, 'tenant')} with ${counted(files, 'file')} from ${input.from}.`
  })
  session.note('Check the result: terrace doctor')
}
