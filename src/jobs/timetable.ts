import { join } from 'node:path'
import type { App } from '../app.ts'
import { pruneNonces } from '../control/index.ts'
import { removeOldEntries } from '../lib/old-entries.ts'
import { spoolFolder } from '../media/index.ts'
import type { Shift, SiteJob } from '../site/index.ts'
import { faultText, finishDrops, finishMoves, settleSites, siteJobs } from '../tenants/index.ts'

/** Something for the installation or a machine, again and again. */
export interface Job {
  readonly name: string
  /** In words, for those who read what was done. */
  readonly does: string
  readonly everyMinutes: number
  /** Tells how many things it did; `isDone` is false where it wants to go on as soon as the others have had their turn. */
  run(app: App, tell: Shift['tell']): Promise<{ count: number; isDone: boolean }>
}

const done = (count = 0) => ({ count, isDone: true })

/** Twice the longest time that a request may take: nobody comes back for what is older. */
const temporaryMs = 2 * 300_000
const longAgo = (app: App) => new Date(app.control.clock.now().getTime() - temporaryMs)

/** Everything that happens without a request. */
export const timetable = {
  /** On each site, at the times that its own rows tell: expired files, bytes without a row, sessions, counts, scrubbing. */
  sites: siteJobs satisfies readonly SiteJob[],

  /** For the whole installation, by one of its workers. */
  installation: [
    {
      name: 'settle-sites',
      does: 'sites settled',
      everyMinutes: 10,
      async run({ control }, tell) {
        const onFault = (tenant: string, fault: unknown) =>
          tell('A site could not be settled', { tenant, fault: faultText(fault) })
        const { settled, isDone } = await settleSites(control, onFault)
        return { count: settled, isDone }
      },
    },
    {
      name: 'finish-drops',
      does: 'drops carried on',
      everyMinutes: 10,
      run: async ({ control }) => done(await finishDrops(control)),
    },
    {
      name: 'finish-moves',
      does: 'moves carried on',
      everyMinutes: 1,
      async run({ control }, tell) {
        const onFault = (site: number, fault: unknown) =>
          tell('A move could not be carried on', { site, fault: faultText(fault) })
        return done(await finishMoves(control, onFault))
      },
    },
    {
      name: 'prune-nonces',
      does: 'nonces forgotten',
      everyMinutes: 60,
      run: async ({ control }) => done(await pruneNonces(control)),
    },
    {
      name: 'abort-unfinished',
      does: 'unfinished puts taken away',
      everyMinutes: 60,
      async run(app) {
        await app.storage.removeUnfinished(longAgo(app))
        return done()
      },
    },
  ] satisfies readonly Job[] as readonly Job[],

  /** On each machine, by every process: what lies in its own data folder. */
  machine: [
    {
      name: 'sweep-spool',
      does: 'left uploads removed',
      everyMinutes: 60,
      run: ({ config }) => sweep(spoolFolder(config.dataDir), temporaryMs),
    },
    {
      name: 'sweep-moving',
      does: 'left files of moves removed',
      everyMinutes: 60,
      // A day, because one large file may be on its way for hours.
      run: ({ config }) => sweep(join(config.dataDir, 'moving'), 24 * 3_600_000),
    },
    {
      name: 'sweep-drafts',
      does: 'left drafts removed',
      everyMinutes: 60,
      run: ({ config }) => sweep(join(config.dataDir, 'drafts'), temporaryMs),
    },
  ] satisfies readonly Job[] as readonly Job[],
}

const sweep = async (folder: string, olderThanMs: number) =>
  done(await removeOldEntries(folder, { olderThanMs }).catch(noneThere))

/** A folder that nobody has made has nothing in it. */
function noneThere(error: NodeJS.ErrnoException): number {
  if (error.code !== 'ENOENT') throw error
  return 0
}
