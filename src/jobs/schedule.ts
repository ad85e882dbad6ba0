import { join } from 'node:path'
import type { App } from '../app.ts'
import { pruneNonces } from '../control/index.ts'
import { mailQuotas } from '../http/mails/quota-mail.ts'
import { removeOldEntries, silentMs } from '../lib/files/live-entries.ts'
import { siteJobs, spoolFolder } from '../media/index.ts'
import { faultText, type JobContext, type SiteJob } from '../scheduling/index.ts'
import {
  dropAbandonedImports,
  dropEndedExports,
  finishDrops,
  finishMoves,
  reconcileSites,
} from '../tenants/index.ts'

/** A periodic job of the installation or of a machine. */
export interface Job {
  readonly name: string
  /** What its count means, for people. */
  readonly does: string
  readonly everyMinutes: number
  /** Returns how many things it did; with `isDone` false it runs again right after the other jobs. */
  run(app: App, warn: JobContext['warn']): Promise<{ count: number; isDone: boolean }>
}

const done = (count = 0) => ({ count, isDone: true })

const longAgo = (app: App) => new Date(app.control.clock.now().getTime() - silentMs)

/** All jobs. */
export const schedule = {
  /** On each site, at the due times that its rows give. */
  sites: siteJobs satisfies readonly SiteJob[],

  /** For the whole installation, by one of its workers. */
  installation: [
    {
      name: 'reconcile-sites',
      does: 'sites reconciled',
      everyMinutes: 10,
      async run({ control }, warn) {
        const onFault = (tenant: string, fault: unknown) =>
          warn('A site could not be reconciled', { tenant, fault: faultText(fault) })
        const { reconciled, isDone } = await reconcileSites(control, onFault)
        return { count: reconciled, isDone }
      },
    },
    {
      name: 'finish-drops',
      does: 'drops finished',
      everyMinutes: 10,
      run: async ({ control }) => done(await finishDrops(control)),
    },
    {
      name: 'run-exports',
      does: 'archives of exports removed after a day',
      everyMinutes: 1,
      async run({ control, exports }) {
        // Those that wait, or whose server was killed; they take longer than a job may.
        exports.wake()
        return done(await dropEndedExports(control))
      },
    },
    {
      name: 'drop-imports',
      does: 'abandoned imports removed',
      everyMinutes: 60,
      run: async ({ control }) => done(await dropAbandonedImports(control)),
    },
    {
      name: 'finish-moves',
      does: 'moves finished',
      everyMinutes: 1,
      async run({ control }, warn) {
        const onFault = (site: number, fault: unknown) =>
          warn('A move could not be finished', { site, fault: faultText(fault) })
        return done(await finishMoves(control, onFault))
      },
    },
    {
      name: 'mail-quotas',
      does: 'thresholds of quotas mailed',
      everyMinutes: 1,
      async run(app, warn) {
        const onFault = (fault: unknown, tenant: string) =>
          warn('Mails about quotas could not be sent', { tenant, fault: faultText(fault) })
        return done(await mailQuotas(app, onFault))
      },
    },
    {
      name: 'prune-nonces',
      does: 'nonces deleted',
      everyMinutes: 60,
      run: async ({ control }) => done(await pruneNonces(control)),
    },
    {
      name: 'abort-unfinished',
      does: 'unfinished multipart uploads aborted',
      everyMinutes: 60,
      async run(app) {
        // Only the folders of sites: other keys of a bucket may belong to another program.
        for (const folder of ['sites', 'bytes', 'exports'])
          await app.storage.removeUnfinished(folder, longAgo(app))
        return done()
      },
    },
  ] satisfies readonly Job[] as readonly Job[],

  /** On each machine, by every process, in its data folder. */
  machine: [
    {
      name: 'sweep-spool',
      does: 'abandoned uploads removed',
      everyMinutes: 60,
      run: ({ config }) => sweep(spoolFolder(config.dataDir)),
    },
    {
      name: 'sweep-moving',
      does: 'abandoned files of moves removed',
      everyMinutes: 60,
      run: ({ config }) => sweep(join(config.dataDir, 'moving')),
    },
    {
      name: 'sweep-archives',
      does: 'abandoned files of exports and imports removed',
      everyMinutes: 60,
      run: ({ config }) => sweep(join(config.dataDir, 'archives')),
    },
    {
      name: 'sweep-drafts',
      does: 'abandoned drafts removed',
      everyMinutes: 60,
      run: ({ config }) => sweep(join(config.dataDir, 'drafts')),
    },
  ] satisfies readonly Job[] as readonly Job[],
}

/** Entries in use are safe: their process renews their time as long as it works on them. */
const sweep = async (folder: string) =>
  done(await removeOldEntries(folder, { olderThanMs: silentMs }).catch(zeroIfMissing))

/** The folder is made by its first user. */
function zeroIfMissing(error: NodeJS.ErrnoException): number {
  if (error.code !== 'ENOENT') throw error
  return 0
}
