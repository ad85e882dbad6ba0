import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type App, openApp } from '../../app.ts'
import type { Config } from '../../config.ts'
import {
  actingAs,
  type Control,
  type ControlAuditRow,
  forgetControlHead,
  recordControlChange,
  replaceControlAudit,
  totpOwner,
} from '../../control/index.ts'
import { type ControlDb, inspectStore, lockFolder, openStore, rowUpgradeFrom } from '../../db/index.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { exists, makeFolder } from '../../lib/files/durable.ts'
import { openDiskStorage, openS3Storage, type Storage } from '../../storage/index.ts'
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
} from '../backup-format/control-copies-table.ts'
import { type Manifest, readManifest } from '../backup-format/manifest.ts'
import { insertOperatorCopy, type OperatorCopy } from '../backup-format/operator-copies-table.ts'
import { linesOf } from '../backup-format/part-file.ts'
import {
  auditPath,
  keysPath,
  openedKeysOf,
  operatorsPath,
  plansPath,
  type SiteCopy,
  sitesPath,
} from '../backup-format/site-copy.ts'
import { inTheWay, notEmpty, notInBackup, otherRestore, restoreRuns, storageNotEmpty } from '../errors.ts'
import { resealFor, restoreKeys } from './restore-keys.ts'
import { secretOfBackup } from './restore-secrets.ts'
import { restoreSite } from './restore-site.ts'
import { verifyBackup, verifyControl } from './verify-backup.ts'

interface RestoreOptions {
  from: string
  id?: string | undefined
  /** Every file counts twice: when it is verified, and when it is restored. */
  onStep?: ((done: number, total: number) => void) | undefined
}

export interface Restored {
  tenants: number
  sites: number
  files: number
}

/** Restores a backup, or one tenant of it, into the configured installation. An interrupted restore can be repeated. */
export async function restoreBackup(
  config: Config,
  { from, id, onStep }: RestoreOptions,
  clock: Clock = systemClock,
): Promise<Restored> {
  const folder = resolve(from)
  const manifest = await readManifest(folder)
  await verifyControl(folder, manifest)
  const sites = await wantedSites(folder, id)
  const countFile = fileCounter(sites, onStep)
  const isFree = async (db: ControlDb) => {
    if (id === undefined) return checkEmpty(db, markOf(manifest))
    await checkObstacles(db, sites)
    return 'used'
  }
  const state = await checkEarly(config, isFree)
  if (id === undefined && state !== 'started') await checkStorageEmpty(config)
  await verifyBackup(folder, manifest, sites, countFile)
  await restoreKeys(config, folder, manifest)
  await makeFolder(config.dataDir)
  using held = lockFolder(config.dataDir, 'restore.lock')
  if (!held) throw restoreRuns(config.dataDir)
  await using opened = await openApp(config, clock)
  const app = { ...opened, control: actingAs(opened.control, { kind: 'tool' }) }
  const seal = await resealFor(app.control, folder, manifest)
  for (const copy of sites) {
    if (copy.tenant) seal(copy.tenant.env, `tenant ${copy.tenant.id}`)
    openedKeysOf(app.control.keyRing, copy, seal)
  }
  const secret = await secretOfBackup(folder, manifest, app.requestSecret)

  const context = { app, folder, manifest, seal }
  const isEmpty = id === undefined
  const upgradeRow = rowUpgradeFrom(manifest.tables)
  const siteContext = { app, folder, seal, secret, isEmpty, upgradeRow, onFile: countFile }
  const isDone = id === undefined ? await start(context) : await checkFree(context, sites)
  for (const copy of sites) {
    if (await isDone(copy)) continue
    await restoreSite({ ...siteContext, copy })
  }
  if (id === undefined) await app.control.store.changeControl(deleteRestore)
  // Also removes what killed restores have left there.
  await rm(join(config.dataDir, 'restoring'), { recursive: true, force: true })
  return {
    tenants: sites.filter(({ tenant }) => tenant).length,
    sites: sites.length,
    files: sites.reduce((sum, { files }) => sum + files, 0),
  }
}

/** In memory: a few hundred bytes for each site; rows and files are in their own parts. */
async function wantedSites(folder: string, id: string | undefined): Promise<SiteCopy[]> {
  const sites = await Array.fromAsync(linesOf<SiteCopy>(folder, sitesPath))
  const wanted = id === undefined ? sites : sites.filter(({ tenant }) => tenant?.id === id)
  if (id !== undefined && wanted.length === 0) throw notInBackup(folder, id)
  return wanted
}

function fileCounter(sites: readonly SiteCopy[], onStep: RestoreOptions['onStep']): () => void {
  const files = sites.reduce((sum, site) => sum + site.files, 0)
  let done = 0
  return () => {
    done += 1
    // A file usually has two variants, and each of the three keys counts twice.
    onStep?.(done, Math.max(done, files * 6))
  }
}

const markOf = (manifest: Manifest) => hash('sha256', JSON.stringify(manifest))

/** Finds obstacles before the whole backup is read, which takes long. They are checked again under the lock. */
async function checkEarly<T>(config: Config, isFree: (db: ControlDb) => Promise<T>): Promise<T | undefined> {
  await using inspector = await inspectStore(config)
  if (!inspector || (await inspector.pendingControl()).length > 0) return undefined
  await using store = await openStore({ ...config, onFault: () => undefined })
  return await isFree(store.control)
}

async function checkEmpty(db: ControlDb, mark: string): Promise<'started' | 'empty'> {
  const started = await findRestore(db)
  if (started === mark) return 'started'
  if (started !== undefined) throw otherRestore()
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

interface RestoreContext {
  app: App
  folder: string
  manifest: Manifest
  seal: (sealed: string | null, owner: string) => string | null
}

/**
 * Inserts plans, keys, operators and the audit log together with the mark of this restore, by which a repeated restore
 * recognises them.
 */
async function start(context: RestoreContext) {
  const { app, folder, manifest, seal } = context
  const control: Control = app.control
  const mark = markOf(manifest)
  const plans = await Array.fromAsync(linesOf<PlanCopy>(folder, plansPath))
  const keys = await Array.fromAsync(linesOf<KeyCopy>(folder, keysPath))
  await control.store.changeControl(async (db) => {
    if ((await checkEmpty(db, mark)) === 'started') return
    await insertRestore(db, mark)
    for (const plan of plans) await insertPlanCopy(db, { ...plan, env: seal(plan.env, `plan ${plan.id}`) })
    await insertKeyCopies(db, keys, control.store.kind)
    await insertOperators(context, db)
  })
  await forgetControlHead(control)
  return async ({ idKey }: SiteCopy) => (await findObstacle(control.store.control, { idKey })) !== undefined
}

/** Backups of earlier versions have no operators and no log. */
async function insertOperators({ app: { control }, folder, manifest, seal }: RestoreContext, db: ControlDb) {
  const hasPart = (path: string) => manifest.parts.some((part) => part.path === path)
  if (hasPart(operatorsPath))
    for await (const { operator, ...copy } of linesOf<OperatorCopy>(folder, operatorsPath)) {
      const sealedTotp = seal(operator.sealedTotp, totpOwner(operator.id))
      await insertOperatorCopy(db, { ...copy, operator: { ...operator, sealedTotp } })
    }
  if (hasPart(auditPath)) await replaceControlAudit(control, db, linesOf<ControlAuditRow>(folder, auditPath))
}

/** One tenant is restored into an installation in use: it must not exist there, and its plan is restored only if missing. */
async function checkFree({ app: { control }, folder, seal }: RestoreContext, sites: readonly SiteCopy[]) {
  await checkObstacles(control.store.control, sites)
  const planIds = new Set(sites.map(({ tenant }) => tenant?.planId))
  for await (const plan of linesOf<PlanCopy>(folder, plansPath)) {
    if (!planIds.has(plan.id)) continue
    const env = seal(plan.env, `plan ${plan.id}`)
    await control.store.changeControl(async (changed) => {
      if (!(await insertPlanCopy(changed, { ...plan, env }))) return
      const after = { limits: JSON.parse(plan.limits) }
      await recordControlChange(control, changed, { verb: 'plan.created', target: plan.id, after })
    })
  }
  return async () => false
}

/** Checks the whole bucket or folder: any key in it may belong to another installation. */
async function checkStorageEmpty({ storageUrl, dataDir }: Config): Promise<void> {
  if (storageUrl !== undefined) {
    await using bucket = await openS3Storage({ url: storageUrl })
    return refuseKeys(bucket, [''], 'SERVICE_STORAGE_URL: the bucket')
  }
  if (!(await exists(dataDir))) return
  await using disk = await openDiskStorage({ root: dataDir })
  await refuseKeys(disk, ['sites', 'bytes'], `The data folder ${dataDir}`)
}

async function refuseKeys(storage: Storage, folders: readonly string[], location: string): Promise<void> {
  for (const folder of folders) {
    const [found] = await storage.list(folder, undefined, 1)
    if (found) throw storageNotEmpty(location, found.key)
  }
}
