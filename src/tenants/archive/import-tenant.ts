import { type Control, recordControlChanges } from '../../control/index.ts'
import type { ControlDb } from '../../db/index.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { upsertDueAt } from '../../scheduling/index.ts'
import {
  changingSite,
  deriveSiteKey,
  insertTotals,
  noTotals,
  ownLocation,
  recountTotals,
  type StoredSigningKeys,
  signAnew,
  type Totals,
} from '../../site/index.ts'
import { hostnameTaken, keptInTheWay, tenantExists } from '../errors.ts'
import { beginSite, giveUp } from '../lifecycle/unfinished-sites.ts'
import { finishUnfinishedSite, hasKeptSite, isUnfinishedSite } from '../lifecycle/unfinished-sites-table.ts'
import { keepSigningKeys } from '../locations/site-locations.ts'
import { openSite } from '../open-site.ts'
import { syncStats } from '../stats/sync-stats.ts'
import { readTenantWithStats, type TenantWithStats } from '../tenants.ts'
import { findTenantByHostname, hasIdKey, insertTenant } from '../tenants-table.ts'
import { checkedFields, keyOfId, sealValues, type Values } from '../values/field-rules.ts'
import { manifestName, tenantName } from './archive-format.ts'
import { checkRows } from './check-rows.ts'
import { brokenArchive, importLost } from './errors.ts'
import { fillRows, readTenantSecrets } from './fill-rows.ts'
import { type OpenedArchive, openArchive } from './open-archive.ts'
import { readBytes } from './read-bytes.ts'
import type { ColumnsOf } from './row-rules.ts'
import { storeBytes, verifyStored } from './store-bytes.ts'
import { openWorkFolder } from './work-folder.ts'

export interface ImportOptions {
  from: string
  /** By default those of the archive. */
  id?: string | undefined
  hostname?: string | undefined
  /** Opens the secrets of the archive; without it they are left out. */
  passphrase?: string | undefined
  /** Reads the stored bytes again at the end. */
  isVerified?: boolean | undefined
  requestSecret: string
  /** Bytes count when they are verified, when they are stored, and when they are read again. */
  onStep?: ((done: number, total: number) => void) | undefined
}

/** Verifies an archive without an installation. */
export async function verifyArchive(
  { from, passphrase, onStep }: Pick<ImportOptions, 'from' | 'passphrase' | 'onStep'>,
  clock: Clock = systemClock,
): Promise<OpenedArchive['head']> {
  await using archive = await openArchive(from)
  const opening = passphraseFor(archive, passphrase)
  await checkedTenant(archive, { id: archive.head.id, hostname: archive.head.hostname }, opening)
  await checkRows(archive, { passphrase: opening, clock })
  await readBytes(archive, { onBytes: stepsOf(archive, 1, onStep) })
  return archive.head
}

/**
 * Makes a tenant from an archive. Everything in it is verified first; then its rows and bytes are stored for a site that no
 * tenant has, and the last transaction makes it that of the tenant. Until then no request reaches the site, and a failed import leaves nothing.
 */
export async function importTenant(control: Control, options: ImportOptions): Promise<TenantWithStats> {
  const { from, isVerified = false, onStep } = options
  await using archive = await openArchive(from)
  const onBytes = stepsOf(archive, isVerified ? 3 : 2, onStep)
  const passphrase = passphraseFor(archive, options.passphrase)
  const { id = archive.head.id, hostname = archive.head.hostname } = options
  const tenant = await checkedTenant(archive, { id, hostname }, passphrase)
  await checkFree(control.store.control, tenant)
  const { dataDir, own } = control.backends
  const columnsOf = await checkRows(archive, { dataDir, passphrase, clock: control.clock })
  await using folder = await openWorkFolder(dataDir)
  // The storage of a disk takes these files as they are. For a bucket they may be too many for this disk: they are copied again, some at a time.
  const isCopied = own.storage.kind === 'disk'
  await readBytes(archive, { folder: isCopied ? folder.path : undefined, onBytes })
  const site = await beginImport(control, tenant)
  try {
    const importing = { ...options, archive, columnsOf, passphrase, tenant, isVerified }
    const totals = await fillSite(control, site, { ...importing, folder: folder.path, isCopied, onBytes })
    await publishTenant(control, site, { ...importing, totals })
  } catch (error) {
    await giveUp(control, site)
    throw error
  }
  await syncImported(control, tenant.id)
  return readTenantWithStats(control, tenant.id)
}

/** Stored bytes count: rows are short. */
function stepsOf(
  { head, tables }: OpenedArchive,
  rounds: number,
  onStep: ImportOptions['onStep'],
): (bytes: number) => void {
  const total = rounds * tables.values().reduce((left, { sizeBytes }) => left - sizeBytes, head.bytes)
  let done = 0
  onStep?.(0, total)
  return (bytes) => {
    done += bytes
    onStep?.(done, total)
  }
}

/** A passphrase for an archive without secrets is not needed. */
function passphraseFor({ head }: OpenedArchive, passphrase: string | undefined): string | undefined {
  return head.has_secrets ? passphrase : undefined
}

interface CheckedTenant {
  id: string
  hostname: string
  limits: Values
  env: Values
  /** Sign the addresses that the site has given out. */
  keys: StoredSigningKeys | undefined
}

async function checkedTenant(
  archive: OpenedArchive,
  { id, hostname }: { id: string; hostname: string },
  passphrase: string | undefined,
): Promise<CheckedTenant> {
  const secrets = await readTenantSecrets(archive, passphrase)
  const { head } = archive
  orNamed(manifestName, () => checkedFields({ id: head.id, hostname: head.hostname }))
  const named = checkedFields({ id, hostname })
  const { limits = {}, env = {} } = orNamed(tenantName, () =>
    checkedFields({ limits: archive.tenant.limits, env: secrets?.env }),
  )
  return { id, hostname: named.hostname ?? '', limits, env, keys: secrets && keysOf(secrets) }
}

/** What the archive says is refused by the name of its entry. */
function orNamed<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw brokenArchive(name, (error as Error).message)
  }
}

async function checkFree(db: ControlDb, { id, hostname }: CheckedTenant): Promise<void> {
  if (await hasIdKey(db, keyOfId(id))) throw tenantExists(id)
  if (await findTenantByHostname(db, hostname)) throw hostnameTaken(hostname)
  if (await hasKeptSite(db, keyOfId(id))) throw keptInTheWay(id)
}

const keysOf = ({ signingKey, keyRotation }: StoredSigningKeys): StoredSigningKeys => ({
  signingKey,
  ...(keyRotation && { keyRotation }),
})

async function beginImport(control: Control, { id, keys }: CheckedTenant): Promise<number> {
  const site = await beginSite(control, id)
  if (keys) await keepSigningKeys(control, site, keys)
  return site
}

interface Importing extends ImportOptions {
  archive: OpenedArchive
  columnsOf: ColumnsOf
  passphrase: string | undefined
  tenant: CheckedTenant
  isVerified: boolean
}

interface Storing {
  folder: string
  isCopied: boolean
  onBytes: (bytes: number) => void
}

async function fillSite(control: Control, number: number, importing: Importing & Storing): Promise<Totals> {
  const { archive, requestSecret, tenant, onBytes, isVerified } = importing
  await control.sites.auditLogs.forget(number)
  let totals: Totals = noTotals
  const draft = await control.store.draftCopy(number, async (db) => {
    const keyFor = (purpose: Parameters<typeof deriveSiteKey>[2]) =>
      deriveSiteKey(requestSecret, { number }, purpose)
    await fillRows(db, { ...importing, isProven: true, keyFor })
    await insertTotals(db)
    const address = { number, hostname: tenant.hostname, values: new Map<string, string>() }
    const site = changingSite(control.sites.over(db, address))
    await signAnew(site)
    totals = await recountTotals(site)
  })
  try {
    await checkOurs(control.store.control, number, tenant.id)
    await draft.publish()
  } finally {
    await draft.discard()
  }
  const rows = await control.store.openSite(number)
  try {
    const storage = await control.backends.bytes(number, ownLocation)
    await storeBytes(archive, { ...importing, storage })
    if (isVerified) await verifyStored(rows.db, { storage, onBytes })
  } finally {
    await rows.close()
  }
  return totals
}

async function checkOurs(db: ControlDb, site: number, id: string): Promise<void> {
  if (!(await isUnfinishedSite(db, site))) throw importLost(id)
}

/** From its commit on the tenant is served. */
async function publishTenant(
  control: Control,
  site: number,
  { archive, tenant, totals }: Importing & { totals: Totals },
): Promise<void> {
  const { id, hostname, limits, env } = tenant
  const { isEnabled, createdAt, installedAt } = archive.tenant
  await control.store.changeControl(async (db) => {
    await checkOurs(db, site, id)
    await checkFree(db, tenant)
    const idKey = keyOfId(id)
    await finishUnfinishedSite(db, site, { idKey, installedAt, stats: JSON.stringify(totals) })
    const isNew = await insertTenant(db, {
      id,
      idKey,
      hostname,
      isEnabled: Number(isEnabled),
      planId: null,
      limits: JSON.stringify(limits),
      env: sealValues(control.keyRing, `tenant ${id}`, env),
      site,
      createdAt,
      updatedAt: control.clock.now().toISOString(),
    })
    if (!isNew) throw hostnameTaken(hostname)
    await upsertDueAt(db, site, control.clock.now())
    await recordControlChanges(control, db, [
      { verb: 'tenant.created', target: id, after: { hostname, isEnabled, limits, env } },
      { verb: 'tenant.installed', target: id, after: { importedFrom: archive.head.id } },
    ])
  })
}

/** The tenant is there already: what fails here is done by the job `settle-sites`. */
async function syncImported(control: Control, id: string): Promise<void> {
  try {
    await using site = await openSite(control, await readTenantWithStats(control, id))
    await syncStats(control, site)
    site.auditLog.copySoon(0)
  } catch {
    // The next reconciliation syncs them.
  }
}
