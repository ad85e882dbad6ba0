import { readdir, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { App } from '../../app.ts'
import {
  type ControlChange,
  controlAuditOldestFirst,
  encryptionKeysPath,
  findControlAuditFault,
  recordControlChange,
  requestSecretPath,
} from '../../control/index.ts'
import { tableSteps } from '../../db/index.ts'
import { exists, makeFolder, moveDurably, syncPath, writeFileDurably } from '../../lib/files/durable.ts'
import { randomHex } from '../../lib/ids.ts'
import { type Message, message } from '../../lib/messages.ts'
import { readLocation, readTenant, writePendingStats } from '../../tenants/index.ts'
import {
  allKeyCopies,
  allPlanCopies,
  findTenantCopy,
  unfinishedKey,
} from '../backup-format/control-copies-table.ts'
import { idOfSecret, type Manifest, writeManifest } from '../backup-format/manifest.ts'
import { allOperatorCopies } from '../backup-format/operator-copies-table.ts'
import { openPart } from '../backup-format/part-file.ts'
import {
  auditPath,
  keysPath,
  operatorsPath,
  plansPath,
  type SiteCopy,
  sealedKeysOf,
  sitesPath,
} from '../backup-format/site-copy.ts'
import { auditChanged, backupExists, damagedFiles, earlierDamaged, noKeyFile } from '../errors.ts'
import { findAuditFault } from '../find-audit-fault.ts'
import { openSnapshot } from '../open-snapshot.ts'
import { eachSite, findSiteRecord, type SiteRecord } from '../site-records-table.ts'
import { copySite } from './copy-site.ts'
import { type EarlierBackup, openEarlier } from './earlier-backup.ts'

export interface BackupOptions {
  to: string
  id?: string | undefined
  since?: string | undefined
  withKeys?: boolean | undefined
  /** Whether an operator has asked for it: its start is in the audit log, and its work records its end. */
  isAsked?: boolean | undefined
  /** Gets the bytes that are copied, and how many there are by the sites' stats; throws to stop it. */
  onStep?: ((done: number, total: number) => void) | undefined
}

/** Copies an installation, or one tenant, while it is in use. The folder gets its name only when it is complete and synced to disk. */
export async function backUp(app: App, options: BackupOptions): Promise<Manifest> {
  const to = resolve(options.to)
  if (await exists(to)) throw backupExists(to)
  if (options.withKeys && !app.keyFile) throw noKeyFile()
  const earlier = await openEarlier(options.since)
  // Writes the pending views of this process; other servers' views of the last seconds are not in the backup.
  await writePendingStats(app.control)
  if (!options.isAsked) await record(app, startOfBackup(basename(to), options.id))
  const draft = draftOf(to, randomHex(4))
  await makeFolder(draft)
  const damaged: string[] = []
  const rescued: string[] = []
  const changed: string[] = []
  const brokenLogs: Message[] = []
  const keysBefore = app.keyFile?.keys() ?? []
  try {
    const manifest = await copyAll(app, options, { draft, earlier, damaged, rescued, changed, brokenLogs })
    if (options.withKeys) await copyKeys(app, draft, keysBefore)
    await syncFolders(draft)
    await writeManifest(draft, manifest)
    await moveDurably(draft, to)
    if (!options.isAsked) await record(app, endOfBackup(basename(to), manifest))
    changed.unshift(...earlier.changed)
    if (damaged.length + rescued.length > 0) throw damagedFiles(to, { damaged, rescued, changed, brokenLogs })
    if (brokenLogs.length > 0) throw auditChanged(to, brokenLogs, changed)
    if (changed.length > 0) throw earlierDamaged(to, options.since ?? '', changed)
    return manifest
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

/** The folder of a backup until it is complete. */
export const draftOf = (to: string, mark: string): string => `${to}.unfinished-${mark}`

const record = ({ control }: App, change: ControlChange): Promise<void> =>
  control.store.changeControl((db) => recordControlChange(control, db, change))

export const startOfBackup = (name: string, tenant?: string): ControlChange => ({
  verb: 'backup.started',
  target: name,
  after: { tenant: tenant ?? null },
})

export const endOfBackup = (name: string, { tenants, files, bytes }: Manifest): ControlChange => ({
  verb: 'backup.finished',
  target: name,
  after: { tenants, files, bytes },
})

interface Copying {
  draft: string
  earlier: EarlierBackup
  damaged: string[]
  rescued: string[]
  /** Keys whose bytes in the earlier backup have changed since they were written. */
  changed: string[]
  /** Audit logs that are not what was written. */
  brokenLogs: Message[]
}

interface CopyingSite extends Copying {
  manifest: Manifest
  /** Gets the bytes of the site that are copied. */
  onBytes: (bytes: number) => void
}

async function copyAll(app: App, options: BackupOptions, copying: Copying): Promise<Manifest> {
  const { draft } = copying
  const { control, storage } = app
  const { id, onStep } = options
  const db = control.store.control
  const manifest: Manifest = {
    format: 'terrace-backup',
    formatVersion: 1,
    madeAt: control.clock.now().toISOString(),
    store: control.store.kind,
    storage: storage.kind,
    tables: tableSteps,
    tenant: id ?? null,
    sealed: 0,
    keyId: control.keyRing.currentKeyId(),
    hasKeys: options.withKeys === true,
    secretId: idOfSecret(app.requestSecret),
    parts: [],
    sites: 0,
    tenants: 0,
    files: 0,
    bytes: 0,
  }
  const one = id === undefined ? undefined : await siteOf(app, id)
  const total = one ? storageUsed(one) : await storageOfAll(control)
  onStep?.(0, total)
  const onBytes = (bytes: number) => onStep?.(manifest.bytes + bytes, Math.max(total, manifest.bytes + bytes))
  await using sites = await openPart(draft, sitesPath)
  const planIds = new Set<string | null>()
  for await (const record of one ? [one] : eachSite(control)) {
    const copy = await copyOneSite(app, record, { ...copying, manifest, onBytes })
    if (copy) {
      await sites.write(copy)
      planIds.add(copy.tenant?.planId ?? null)
      manifest.sites += 1
      manifest.tenants += copy.tenant ? 1 : 0
      manifest.sealed += copy.tenant?.env ? 1 : 0
      manifest.sealed += [copy.signingKey, copy.keyRotation].filter((sealed) => sealed !== undefined).length
    }
  }
  manifest.parts.push(await sites.finish())
  // After the tenants, so that a plan which a tenant got meanwhile is included.
  const plans = (await allPlanCopies(db)).filter((plan) => !one || planIds.has(plan.id))
  manifest.sealed += plans.filter(({ env }) => env !== null).length
  manifest.parts.push(await writeAll(draft, plansPath, plans))
  manifest.parts.push(await writeAll(draft, keysPath, one ? [] : await allKeyCopies(db)))
  if (!one) await copyOperators(app, { ...copying, manifest })
  return manifest
}

/** The accounts of operators, and the audit log of the installation: those of one tenant have neither. */
async function copyOperators(
  { control }: App,
  { draft, brokenLogs, manifest }: Copying & { manifest: Manifest },
): Promise<void> {
  const operators = await allOperatorCopies(control.store.control)
  manifest.sealed += operators.filter(({ operator }) => operator.sealedTotp !== null).length
  manifest.parts.push(await writeAll(draft, operatorsPath, operators))
  const broken = await findControlAuditFault(control)
  if (broken) brokenLogs.push(message('logOfInstallation', { row: broken.sequence, fault: broken.fault }))
  await using log = await openPart(draft, auditPath)
  for await (const rows of controlAuditOldestFirst(control)) for (const row of rows) await log.write(row)
  manifest.parts.push(await log.finish())
}

async function copyOneSite(
  { control }: App,
  record: SiteRecord,
  { draft, earlier, damaged, rescued, changed, brokenLogs, manifest, onBytes }: CopyingSite,
): Promise<SiteCopy | undefined> {
  const db = control.store.control
  const { number, idKey, installedAt } = record
  const tenant = (await findTenantCopy(db, number)) ?? null
  const state = tenant ? 'live' : 'kept'
  const copy: SiteCopy = { number, idKey, state, installedAt, tenant, rows: {}, files: 0 }
  const isLeftOut = async () => {
    const now = await findSiteRecord(db, number)
    return !now || now.state === 'dropping' || now.idKey.startsWith(unfinishedKey(''))
  }
  if (await isLeftOut()) return undefined
  if (installedAt === null) return copy
  try {
    await using opened = await openSnapshot(control, { ...record, tenantId: tenant?.id ?? null })
    await using earlierBytes = await earlier.open(number, idKey)
    const broken = await findAuditFault(opened)
    const copied = await copySite({ ...opened, folder: draft, earlier: earlierBytes, onBytes })
    if (await isLeftOut()) throw new Error('The site was dropped while it was copied.')
    manifest.parts.push(...copied.parts)
    manifest.files += copied.files
    manifest.bytes += copied.bytes
    const id = tenant?.id ?? idKey
    const withTenant = (key: string) => `${id}: ${key}`
    damaged.push(...copied.damaged.map(withTenant))
    rescued.push(...copied.rescued.map(withTenant))
    changed.push(...copied.changed.map(withTenant))
    if (broken) brokenLogs.push(message('logOfSite', { id, row: broken.sequence, fault: broken.fault }))
    const keys = sealedKeysOf(control.keyRing, copy, await readLocation(control, number))
    return { ...copy, ...keys, rows: copied.rows, files: copied.files }
  } catch (error) {
    // A site that is dropped while it is copied is left out of the backup.
    if (!(await isLeftOut())) throw error
    await rm(join(draft, 'sites', String(number)), { recursive: true, force: true })
    return undefined
  }
}

const storageUsed = ({ stats }: SiteRecord): number => JSON.parse(stats).storageUsed ?? 0

async function storageOfAll(control: App['control']): Promise<number> {
  let bytes = 0
  for await (const site of eachSite(control)) bytes += storageUsed(site)
  return bytes
}

async function siteOf({ control }: App, id: string): Promise<SiteRecord | undefined> {
  const { site } = await readTenant(control, id)
  return findSiteRecord(control.store.control, site)
}

async function writeAll(folder: string, path: string, lines: readonly unknown[]) {
  await using part = await openPart(folder, path)
  for (const line of lines) await part.write(line)
  return await part.finish()
}

/** Includes the keys from before the backup: a rotation may have removed one whose values were already copied. */
async function copyKeys(app: App, draft: string, before: readonly Uint8Array[]): Promise<void> {
  const { config, keyFile, requestSecret } = app
  keyFile?.refresh()
  const lines = [...(keyFile?.keys() ?? []), ...before].map((key) => Buffer.from(key).toString('base64'))
  await writeFileDurably(encryptionKeysPath(draft), `${[...new Set(lines)].join('\n')}\n`)
  if (config.requestSecret === undefined)
    await writeFileDurably(requestSecretPath(draft), `${requestSecret}\n`)
}

/** The files' contents are synced already; this syncs their directory entries. */
async function syncFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) if (entry.isDirectory()) await syncPath(join(entry.parentPath, entry.name))
  await syncPath(folder)
}
