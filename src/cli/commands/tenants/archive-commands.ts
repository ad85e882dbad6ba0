import { resolve } from 'node:path'
import { writeTenant } from '../../../api/index.ts'
import type { App } from '../../../app.ts'
import { formatSize } from '../../../common/format.ts'
import {
  type ArchiveSink,
  exportTenant,
  importTenant,
  verifyArchive,
  writeArchiveFile,
} from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { withProgress } from '../../terminal/progress.ts'
import { counted } from '../../terminal/table.ts'
import { UsageFault } from '../../terminal/usage-fault.ts'

interface ExportInput {
  id: string
  to: string
  passphrase?: string
}

export async function exportArchive(session: Session, { id, to, passphrase }: ExportInput): Promise<void> {
  const { out, err } = session
  const isPipe = to === '-'
  if (isPipe && out.isTerminal)
    throw new UsageFault(['--to -: standard output is a terminal. Name a file, or use a pipe.'])
  await using app = await session.openApp()
  const options = { id, ...secretsOf(app, passphrase), isSummed: session.isJson }
  const write = (sink: ArchiveSink) =>
    withProgress(err, { label: 'written', isBytes: true }, (onStep) =>
      exportTenant(app.control, sink, { ...options, onStep }),
    )
  const exported = isPipe ? await write(out) : await writeArchiveFile(resolve(to), write)
  const { bytes, entries, sha256, hasSecrets } = exported
  const json = { id, to, bytes, entries, sha256, has_secrets: hasSecrets }
  const text = `Exported ${id} with ${counted(entries, 'entry', 'entries')} (${formatSize(bytes)}) to ${to}.`
  // The archive is on standard output, where nothing else may be.
  if (isPipe) err.print(session.isJson ? JSON.stringify(json, null, 2) : text)
  else session.answer(json, () => text)
  session.note(
    hasSecrets
      ? 'The secrets in the archive are encrypted with the passphrase, which is needed to import them.'
      : 'The archive has no secrets: no environment, no secrets of log-in providers, no second steps. Include them with --passphrase.',
  )
}

interface ImportInput {
  file: string
  id?: string
  hostname?: string
  verify?: boolean
  passphrase?: string
}

export async function importArchive(session: Session, input: ImportInput): Promise<void> {
  const { file, id, hostname, verify: isVerified } = input
  const from = resolve(file)
  const drawing = { label: 'read', isBytes: true }
  if (isVerified && id === undefined) {
    const { archivePassphrase } = await session.readConfig()
    const passphrase = input.passphrase ?? archivePassphrase
    const head = await withProgress(session.err, drawing, (onStep) =>
      verifyArchive({ from, passphrase, onStep }),
    )
    session.answer(
      { ...head, file },
      () => `${file} is whole: the tenant ${head.id} with ${counted(head.entries, 'entry', 'entries')}.`,
    )
    return
  }
  await using app = await session.openApp()
  const options = { from, id, hostname, isVerified, ...secretsOf(app, input.passphrase) }
  const tenant = await withProgress(session.err, drawing, (onStep) =>
    importTenant(app.control, { ...options, onStep }),
  )
  session.answer(writeTenant(tenant), () => {
    const { files, storageUsed } = tenant.stats
    return `Imported ${tenant.id} on ${tenant.hostname} with ${counted(files, 'file')} (${formatSize(storageUsed)}).`
  })
  session.note(`Check the result: terrace doctor --id ${tenant.id}`)
}

const secretsOf = ({ config, requestSecret }: App, passphrase: string | undefined) => ({
  requestSecret,
  passphrase: passphrase ?? config.archivePassphrase,
})
