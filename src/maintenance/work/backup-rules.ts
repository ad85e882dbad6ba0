import { join } from 'node:path'
import type { App } from '../../app.ts'
import type { WorkOutcome, WorkRules } from '../../control/index.ts'
import { makeFolder } from '../../lib/files/durable.ts'
import { Refusal } from '../../lib/refusal.ts'
import { backUp, endOfBackup } from '../backup/backup.ts'
import { type Manifest, readManifest } from '../backup-format/manifest.ts'
import { linesOf } from '../backup-format/part-file.ts'
import { type SiteCopy, sitesPath } from '../backup-format/site-copy.ts'
import { verifyBackup, verifyControl } from '../restore/verify-backup.ts'
import { folderOfBackup, hasBackup, newestBackup, removeDraftsOf } from './backup-folder.ts'

export interface BackupResult {
  /** What the backup lacks or has found, though it is complete. */
  notes: readonly string[]
}

export interface VerificationResult {
  files: number
  /** Each with its reason; empty if everything is as it was written. */
  damaged: readonly string[]
}

/** Copies everything into the folder of this server. Files that the newest backup has are linked. */
export const backupRules = (app: App): WorkRules => ({
  kind: 'backup',
  async run(control, { target: name }, { signal, onStep }) {
    const { config } = app
    await makeFolder(config.backupDir)
    const to = join(config.backupDir, name)
    // A server that ended between the last step and the end of its work has made it.
    if (await hasBackup(config, name)) return finished(name, await readManifest(to), [])
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
      return finished(name, manifest, [])
    } catch (error) {
      if (!(error instanceof Refusal && isComplete(error))) throw error
      return finished(name, await readManifest(to), [error.message, ...error.list])
    }
  },
})

/** The backup is there, and these refusals say what is wrong with the installation or the backup before. */
const isComplete = ({ code }: Refusal) => ['files-damaged', 'audit-changed', 'earlier-damaged'].includes(code)

const finished = (name: string, manifest: Manifest, notes: readonly string[]): WorkOutcome => ({
  result: { notes } satisfies BackupResult,
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
    const { files, damaged } = await examineBackup(folder, (done, total) => {
      signal.throwIfAborted()
      onStep(done, total, 'bytes')
    })
    return {
      result: { files, damaged } satisfies VerificationResult,
      change: { verb: 'backup.verified', target, after: { files, damaged: damaged.length } },
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
    if (error.code === 'backup-damaged') return { files, damaged: error.list }
    if (error.code === 'no-backup') return { files, damaged: [`manifest.json: ${error.message}`] }
    throw error
  }
}
