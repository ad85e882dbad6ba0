import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type App, openApp } from '../../app.ts'
import type { Config } from '../../config.ts'
import { type ControlDb, holdFolder, inspectStore, openStore } from '../../db/index.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { makeFolder } from '../../lib/durable.ts'
import { inTheWay, notEmpty, notInBackup, otherRestore, restoreRuns } from '../errors.ts'
import { bringKeys, sealedFor } from './bring-keys.ts'
import {
  deleteRestore,
  findContent,
  findObstacle,
  findRestore,
  insertKeyCopies,
  insertPlanCopy,
  insertRestore,
  type KeyCopy,
  type PlanCopy,
} from './control-copies-table.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { linesOf } from './part-file.ts'
import { restoreSite } from './restore-site.ts'
import { keysPath, plansPath, type SiteCopy, sitesPath } from './site-copy.ts'
import { verifyBackup, verifyControl } from './verify-backup.ts'

export interface RestoreOrder {
  from: string
  id?: string | undefined
  /** Every file is met twice: when it is checked, and when it is brought. */
  onStep?: ((done: number, total: number) => void) | undefined
}

export interface Restored {
  tenants: number
  sites: number
  files: number
}

/** Brings a backup, or one tenant of it, to where the configuration says. What was stopped goes on when repeated. */
export async function restoreBackup(
  config: Config,
  { from, id, onStep }: RestoreOrder,
  clock: Clock = systemClock,
): Promise<Restored> {
  const folder = resolve(from)
  const manifest = await readManifest(folder)
  await verifyControl(folder, manifest)
  const sites = await wantedSites(folder, id)
  const counted = fileCounter(sites, onStep)
  const isFree = (db: ControlDb) =>
    id === undefined ? checkEmpty(db, markOf(manifest)) : checkObstacles(db, sites)
  await lookAhead(config, isFree)
  await verifyBackup(folder, manifest, sites, counted)
  await bringKeys(config, folder, manifest)
  await makeFolder(config.dataDir)
  using held = holdFolder(config.dataDir, 'restore.lock')
  if (!held) throw restoreRuns(config.dataDir)
  await using app = await openApp(config, clock)
  const seal = await sealedFor(app.control, folder, manifest)
  for (const { tenant } of sites) if (tenant) seal(tenant.env, `tenant ${tenant.id}`)

  const desk = { app, folder, manifest, seal }
  const isDone = id === undefined ? await begin(desk) : await checkFree(desk, sites)
  for (const copy of sites) {
    if (await isDone(copy)) continue
    await restoreSite({ app, folder, copy, seal, onFile: counted })
  }
  if (id === undefined) await app.control.store.changeControl(deleteRestore)
  // What killed tries have left is in it, too.
  await rm(join(config.dataDir, 'restoring'), { recursive: true, force: true })
  return {
    tenants: sites.filter(({ tenant }) => tenant).length,
    sites: sites.length,
    files: sites.reduce((sum, { files }) => sum + files, 0),
  }
}

/** Some hundred bytes for each site: what is large is in their own parts. */
async function wantedSites(folder: string, id: string | undefined): Promise<SiteCopy[]> {
  const sites = await Array.fromAsync(linesOf<SiteCopy>(folder, sitesPath))
  const wanted = id === undefined ? sites : sites.filter(({ tenant }) => tenant?.id === id)
  if (id !== undefined && wanted.length === 0) throw notInBackup(folder, id)
  return wanted
}

function fileCounter(sites: readonly SiteCopy[], onStep: RestoreOrder['onStep']): () => void {
  const files = sites.reduce((sum, site) => sum + site.files, 0)
  let done = 0
  return () => {
    done += 1
    // A file has two versions beside itself at the most times.
    onStep?.(done, Math.max(done, files * 6))
  }
}

const markOf = (manifest: Manifest) => hash('sha256', JSON.stringify(manifest))

/** To read a whole backup takes long: what stands in the way is better known before. It is asked again later. */
async function lookAhead(config: Config, isFree: (db: ControlDb) => Promise<unknown>): Promise<void> {
  await using inspector = await inspectStore(config)
  if (!inspector || (await inspector.pendingControl()).length > 0) return
  await using store = await openStore({ ...config, onFault: () => undefined })
  await isFree(store.control)
}

async function checkEmpty(db: ControlDb, mark: string): Promise<'begun' | 'empty'> {
  const begun = await findRestore(db)
  if (begun === mark) return 'begun'
  if (begun !== undefined) throw otherRestore()
  const content = await findContent(db)
  if (content !== undefined) throw notEmpty(content)
  return 'empty'
}

async function checkObstacles(db: ControlDb, sites: readonly SiteCopy[]): Promise<void> {
  for (const { idKey, tenant } of sites) {
    const obstacle = await findObstacle(db, { idKey, hostname: tenant?.hostname })
    if (obstacle) throw inTheWay(tenant?.id ?? idKey, obstacle, tenant?.hostname ?? '')
  }
}

interface Desk {
  app: App
  folder: string
  manifest: Manifest
  seal: (sealed: string | null, owner: string) => string | null
}

/** Plans and keys come with the mark that a restore has begun; with it a second try knows what it finds. */
async function begin({ app: { control }, folder, manifest, seal }: Desk) {
  const mark = markOf(manifest)
  const plans = await Array.fromAsync(linesOf<PlanCopy>(folder, plansPath))
  const keys = await Array.fromAsync(linesOf<KeyCopy>(folder, keysPath))
  await control.store.changeControl(async (db) => {
    if ((await checkEmpty(db, mark)) === 'begun') return
    await insertRestore(db, mark)
    for (const plan of plans) await insertPlanCopy(db, { ...plan, env: seal(plan.env, `plan ${plan.id}`) })
    await insertKeyCopies(db, keys, control.store.kind)
  })
  return async ({ idKey }: SiteCopy) => (await findObstacle(control.store.control, { idKey })) !== undefined
}

/** One tenant comes into an installation that is used: nothing of it may be there, and its plan only if missing. */
async function checkFree({ app: { control }, folder, seal }: Desk, sites: readonly SiteCopy[]) {
  await checkObstacles(control.store.control, sites)
  const planIds = new Set(sites.map(({ tenant }) => tenant?.planId))
  for await (const plan of linesOf<PlanCopy>(folder, plansPath)) {
    if (!planIds.has(plan.id)) continue
    const env = seal(plan.env, `plan ${plan.id}`)
    await control.store.changeControl((changed) => insertPlanCopy(changed, { ...plan, env }))
  }
  return async () => false
}
