import { join } from 'node:path'
import type { App } from '../../app.ts'
import type { WorkOutcome, WorkRules } from '../../control/index.ts'
import { makeFolder } from '../../lib/files/durable.ts'
import { englishOf, message } from '../../lib/messages.ts'
import { Refusal } from '../../lib/refusal.ts'
import { dataOfSentences, type SentenceData } from '../../lib/sentences.ts'
import { backUp, endOfBackup } from '../backup/backup.ts'
import { type Manifest, readManifest } from '../backup-format/manifest.ts'
import { linesOf } from '../backup-format/part-file.ts'
import { type SiteCopy, sitesPath } from '../backup-format/site-copy.ts'
import { verifyBackup, verifyControl } from '../restore/verify-backup.ts'
import { folderOfBackup, hasBackup, newestBackup, removeDraftsOf } from './backup-folder.ts'

export interface BackupResult {
  /** What the backup lacks or has found, though it is complete. */
  notes: readonly string[]
  /** The notes as data, each at its place; backups of earlier versions have the English texts alone. */
  messages?: readonly (SentenceData | null)[]
}

export interface VerificationResult {
  files: number
  /** Each with its reason; empty if everything is as it was written. */
  damaged: readonly string[]
  /** As data, each at its place. */
  messages?: readonly (SentenceData | null)[]
}

/** Copies everything into the folder of this server. Files that the newest backup has are linked. */
export const backupRules = (app: App): WorkRules => ({
  kind: 'backup',
  async run(control, { target: name }, { signal, onStep }) {
    const { config } = app
    await makeFolder(config.backupDir)
    const to = join(config.backupDir, name)
    // A server that ended between the last step and the end of its work has made it.
    if (await hasBackup(config, name)) return finished(name, await readManifest(to), noNotes)
    await removeDraftsOf(config, name)
    try {
      const manifest = await backUp(
        { ...app, control },
        {
          to,
          since: await newestBackup(config),
          isAsked: true,
          onStep(done, total) {
            signal.throwIfAborted()
            onStep(done, total, 'bytes')
          },
        },
      )
      return finished(name, manifest, noNotes)
    } catch (error) {
      if (!(error instanceof Refusal && isComplete(error))) throw error
      return finished(name, await readManifest(to), {
        notes: [error.message, ...error.list],
        messages: dataOfSentences(error.messages),
      })
    }
  },
})

/** The backup is there, and these refusals say what is wrong with the installation or the backup before. */
const isComplete = ({ code }: Refusal) => ['files-damaged', 'audit-changed', 'earlier-damaged'].includes(code)

const noNotes: BackupResult = { notes: [] }

const finished = (name: string, manifest: Manifest, result: BackupResult): WorkOutcome => ({
  result,
  change: endOfBackup(name, manifest),
})

/** How long only a server that has the backup takes its verification; then any server says that it has not. */
const waitMs = 120_000

export const verifyRules = (app: App): WorkRules => ({
  kind: 'verify',
  isHere: async ({ target, createdAt }) =>
    (await hasBackup(app.config, target)) || app.control.clock.now().getTime() - createdAt.getTime() > waitMs,
  async run(_control, { target }, { signal, onStep }) {
    const folder = await folderOfBackup(app.config, target)
    const result = await examineBackup(folder, (done, total) => {
      signal.throwIfAborted()
      onStep(done, total, 'bytes')
    })
    return {
      result,
      change: {
        verb: 'backup.verified',
        target,
        after: { files: result.files, damaged: result.damaged.length },
      },
    }
  },
})

/** Reads everything as a restore does, and names the files that are not what was written. */
async function examineBackup(
  folder: string,
  onStep: (done: number, total: number) => void,
): Promise<VerificationResult> {
  let [files, bytes] = [0, 0]
  try {
    const manifest = await readManifest(folder)
    onStep(0, manifest.bytes)
    await verifyControl(folder, manifest)
    const sites = await Array.fromAsync(linesOf<SiteCopy>(folder, sitesPath))
    await verifyBackup(folder, manifest, sites, (sizeBytes) => {
      files += 1
      bytes += sizeBytes
      onStep(bytes, Math.max(bytes, manifest.bytes))
    })
    return { files, damaged: [] }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const [head, ...lines] = error.messages
    if (error.code === 'backup-damaged')
      return { files, damaged: error.list, messages: dataOfSentences(lines) }
    if (error.code !== 'no-backup' || typeof head !== 'object') throw error
    const refused = message('manifestRefused', { fault: head })
    return { files, damaged: [englishOf(refused)], messages: [refused] }
  }
}
