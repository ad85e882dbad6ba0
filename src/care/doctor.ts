import { type App, openApp } from '../app.ts'
import type { Config } from '../config.ts'
import { inspectStore } from '../db/index.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { readTenant } from '../tenants/index.ts'
import type { Ground, Installation } from './check.ts'
import { groundChecks, installationChecks } from './check-list.ts'
import { noInstallation } from './errors.ts'
import { type Notes, openNotes, type Verdict } from './finding.ts'
import { eachKnownSite } from './known-sites.ts'
import { countKnownSites, findKnownSite, type KnownSite } from './known-sites-table.ts'
import { lookAtSite } from './look-at-site.ts'
import { tryLook } from './try-look.ts'

export interface Examination {
  /** One tenant's site, in place of all. */
  id?: string | undefined
  isDeep?: boolean | undefined
  isRepairing?: boolean | undefined
  onStep?: ((done: number, total: number) => void) | undefined
}

/** Looks at everything that has to hold, and changes nothing unless it is told to repair what is safe. */
export async function examine(config: Config, options: Examination = {}, clock: Clock = systemClock) {
  const notes = openNotes({ isRepairing: options.isRepairing === true })
  await using inspector = await inspectStore(config)
  if (!inspector) throw noInstallation(config.databaseUrl === undefined ? config.dataDir : 'this database')
  await lookAtGround({ config, inspector }, notes)
  // Opening would make what is missing and migrate what is old.
  if (hasFaults(notes)) return notes.verdicts()
  await using app = await openApp(config, clock)
  await lookAround({ config, inspector, app }, notes, options)
  return notes.verdicts()
}

/** The same for an installation that is open already. */
export async function examineApp(app: App, options: Examination = {}): Promise<Verdict[]> {
  const { config } = app
  const notes = openNotes({ isRepairing: options.isRepairing === true })
  await using inspector = await inspectStore(config)
  if (!inspector) throw noInstallation(config.dataDir)
  await lookAtGround({ config, inspector }, notes)
  await lookAround({ config, inspector, app }, notes, options)
  return notes.verdicts()
}

async function lookAtGround(ground: Ground, notes: Notes): Promise<void> {
  for (const check of groundChecks) await check.look(ground, notes.begin(check))
}

const hasFaults = (notes: Notes) => notes.verdicts().some(({ faults }) => faults > 0)

async function lookAround(installation: Installation, notes: Notes, options: Examination): Promise<void> {
  const { control } = installation.app
  const one = options.id === undefined ? undefined : await siteOf(installation.app, options.id)
  if (!one) {
    for (const check of installationChecks)
      await tryLook(notes.begin(check), {}, (note) => check.look(installation, note))
  }
  const total = one ? 1 : await countKnownSites(control.store.control)
  let done = 0
  for await (const known of one ? [one] : eachKnownSite(control)) {
    await lookAtSite(installation, known, notes, options)
    done += 1
    options.onStep?.(done, total)
  }
}

async function siteOf({ control }: App, id: string): Promise<KnownSite | undefined> {
  const { site } = await readTenant(control, id)
  return findKnownSite(control.store.control, site)
}
