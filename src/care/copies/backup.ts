import { readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { App } from '../../app.ts'
import { encryptionKeysPath, requestSecretPath } from '../../control/index.ts'
import { tableSteps } from '../../db/index.ts'
import { makeFolder, moveDurably, syncPath, writeFileDurably } from '../../lib/durable.ts'
import { randomHex } from '../../lib/ids.ts'
import { readTenant } from '../../tenants/index.ts'
import { backupExists, damagedFiles, noKeyFile } from '../errors.ts'
import { eachKnownSite } from '../known-sites.ts'
import { countKnownSites, findKnownSite, type KnownSite } from '../known-sites-table.ts'
import { openKnownSite } from '../open-known-site.ts'
import { allKeyCopies, allPlanCopies, findTenantCopy, unfinishedKey } from './control-copies-table.ts'
import { copySite } from './copy-site.ts'
import { type EarlierBackup, openEarlier } from './earlier-backup.ts'
import { isThere } from './is-there.ts'
import { type Manifest, writeManifest } from './manifest.ts'
import { openPart } from './part-file.ts'
import { keysPath, plansPath, type SiteCopy, sitesPath } from './site-copy.ts'

export interface BackupOrder {
  to: string
  id?: string | undefined
  since?: string | undefined
  withKeys?: boolean | undefined
  onStep?: ((done: number, total: number) => void) | undefined
}

/** Copies an installation, or one tenant, while it is used. It has its name only when it is whole and on the disk. */
export async function backUp(app: App, order: BackupOrder): Promise<Manifest> {
  const to = resolve(order.to)
  if (await isThere(to)) throw backupExists(to)
  if (order.withKeys && !app.keyFile) throw noKeyFile()
  const earlier = await openEarlier(order.since)
  const draft = `${to}.unfinished-${randomHex(4)}`
  await makeFolder(draft)
  const damaged: string[] = []
  const keysBefore = app.keyFile?.keys() ?? []
  try {
    const manifest = await copyAll(app, order, { draft, earlier, damaged })
    if (order.withKeys) await copyKeys(app, draft, keysBefore)
    await syncFolders(draft)
    await writeManifest(draft, manifest)
    await moveDurably(draft, to)
    if (damaged.length > 0) throw damagedFiles(to, damaged)
    return manifest
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

interface Desk {
  draft: string
  earlier: EarlierBackup
  damaged: string[]
}

async function copyAll(app: App, order: BackupOrder, { draft, earlier, damaged }: Desk): Promise<Manifest> {
  const { control, storage } = app
  const { id, onStep } = order
  const db = control.store.control
  const manifest: Manifest = {
    ...{ format: 'terrace-backup', formatVersion: 1, madeAt: control.clock.now().toISOString() },
    ...{ store: control.store.kind, storage: storage.kind, tables: tableSteps, tenant: id ?? null },
    ...{ sealed: 0, keyId: control.keyRing.currentKeyId(), hasKeys: order.withKeys === true },
    ...{ parts: [], sites: 0, tenants: 0, files: 0, bytes: 0 },
  }
  const one = id === undefined ? undefined : await siteOf(app, id)
  const total = one ? 1 : await countKnownSites(db)
  await using sites = await openPart(draft, sitesPath)
  const planIds = new Set<string | null>()
  let done = 0
  for await (const known of one ? [one] : eachKnownSite(control)) {
    const copy = await copyKnownSite(app, known, { draft, earlier, damaged, manifest })
    if (copy) {
      await sites.write(copy)
      planIds.add(copy.tenant?.planId ?? null)
      manifest.sites += 1
      manifest.tenants += copy.tenant ? 1 : 0
      manifest.sealed += copy.tenant?.env ? 1 : 0
    }
    done += 1
    onStep?.(done, total)
  }
  manifest.parts.push(await sites.finish())
  // After the tenants: a plan that one of them has got meanwhile is in it.
  const plans = (await allPlanCopies(db)).filter((plan) => !one || planIds.has(plan.id))
  manifest.sealed += plans.filter(({ env }) => env !== null).length
  manifest.parts.push(await writeAll(draft, plansPath, plans))
  manifest.parts.push(await writeAll(draft, keysPath, one ? [] : await allKeyCopies(db)))
  return manifest
}

async function copyKnownSite(
  { control }: App,
  known: KnownSite,
  { draft, earlier, damaged, manifest }: Desk & { manifest: Manifest },
): Promise<SiteCopy | undefined> {
  const db = control.store.control
  const { number, idKey, installedAt } = known
  const tenant = (await findTenantCopy(db, number)) ?? null
  const state = tenant ? 'live' : 'kept'
  const copy: SiteCopy = { number, idKey, state, installedAt, tenant, rows: {}, files: 0 }
  const isLeftOut = async () => {
    const now = await findKnownSite(db, number)
    return !now || now.state === 'dropping' || now.idKey.startsWith(unfinishedKey(''))
  }
  if (await isLeftOut()) return undefined
  if (installedAt === null) return copy
  try {
    await using opened = await openKnownSite(control, { ...known, tenantId: tenant?.id ?? null })
    await using earlierBytes = earlier.open(number, idKey)
    const copied = await copySite({ ...opened, folder: draft, earlier: earlierBytes })
    if (await isLeftOut()) throw new Error('It was dropped while it was copied.')
    manifest.parts.push(...copied.parts)
    manifest.files += copied.files
    manifest.bytes += copied.bytes
    damaged.push(...copied.damaged.map((key) => `${tenant?.id ?? idKey}: ${key}`))
    return { ...copy, rows: copied.rows, files: copied.files }
  } catch (error) {
    // A tenant that was dropped under our hands is not in the backup.
    if (!(await isLeftOut())) throw error
    await rm(join(draft, 'sites', String(number)), { recursive: true, force: true })
    return undefined
  }
}

async function siteOf({ control }: App, id: string): Promise<KnownSite | undefined> {
  const { site } = await readTenant(control, id)
  return findKnownSite(control.store.control, site)
}

async function writeAll(folder: string, path: string, lines: readonly unknown[]) {
  await using part = await openPart(folder, path)
  for (const line of lines) await part.write(line)
  return await part.finish()
}

/** A rotation may have retired a key while values that it sealed were copied: those from before are kept as well. */
async function copyKeys(app: App, draft: string, before: readonly Uint8Array[]): Promise<void> {
  const { config, keyFile, requestSecret } = app
  keyFile?.refresh()
  const lines = [...(keyFile?.keys() ?? []), ...before].map((key) => Buffer.from(key).toString('base64'))
  await writeFileDurably(encryptionKeysPath(draft), `${[...new Set(lines)].join('\n')}\n`, 0o600)
  if (config.requestSecret === undefined)
    await writeFileDurably(requestSecretPath(draft), `${requestSecret}\n`, 0o600)
}

/** The files are on the disk already; their names follow. */
async function syncFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) if (entry.isDirectory()) await syncPath(join(entry.parentPath, entry.name))
  await syncPath(folder)
}
