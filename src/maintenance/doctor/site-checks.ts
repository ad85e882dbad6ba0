import { setTimeout } from 'node:timers/promises'
import { message } from '../../lib/messages.ts'
import {
  countKeyOwners,
  damagedFiles,
  type FileKeys,
  fileKeysAfter,
  fileKeysOfIds,
  idOfKey,
  isKeyOwned,
} from '../../media/index.ts'
import { findDueAt } from '../../scheduling/index.ts'
import { allTotals, noTotals, type Totals, totalNames } from '../../site/index.ts'
import { proveBytes, type StoredKey } from '../../storage/index.ts'
import { changeSite, partsToMove, syncStats } from '../../tenants/index.ts'
import { findAuditFault } from '../find-audit-fault.ts'
import { findSiteRecord, nameOfSite } from '../site-records-table.ts'
import { dayMs, type InspectedSite } from './check.ts'
import { type ReportFinding, sentences } from './finding.ts'
import { deleteRemoval, expiredBefore, pathsWithRemoval, removalsBefore } from './leftovers-table.ts'

/** Longer than a sync takes. */
const patienceMs = 1_500

export async function checkStatsInSync(inspected: InspectedSite, report: ReportFinding): Promise<void> {
  const first = await compare(inspected)
  if (!first || first.differing.length === 0) return
  // A sync may be in progress, and on a busy site there always is one.
  await setTimeout(patienceMs)
  const second = await compare(inspected)
  if (!second || second.stored !== first.stored || second.differing.length === 0) return
  const repair = async () => {
    await syncStats(inspected.app.control, inspected.live)
    return 'synced'
  }
  const tenant = nameOfSite(inspected.record)
  const says = message('statsDiffer', { names: second.differing.join(', ') })
  const todo = message('runCommand', { command: `tenants stats:refresh --id ${tenant}` })
  const key = `site ${inspected.record.number}`
  await report({ isFault: true, tenant, key, ...sentences(says, todo), repair })
}

async function compare({ app: { control }, record, live }: InspectedSite) {
  const now = await findSiteRecord(control.store.control, record.number)
  if (!now) return undefined
  // A total that is new is missing until the site changes.
  const stats = { ...noTotals, ...(JSON.parse(now.stats) as Partial<Totals>) }
  const totals = await allTotals(live.db)
  return { stored: now.stats, differing: totalNames.filter((name) => stats[name] !== totals[name]) }
}

const pageSize = 1_000
const maxRemembered = 10_000

/**
 * Lists the storage once in key order, in which the keys of one file are adjacent, and finds the rows by their ids: that
 * saves a request per key. A listing may be incomplete, so a key that it lacks is requested by itself before it is
 * reported; if the listing has shown fewer files than there are rows, every key of every row is requested.
 */
export async function checkStoredBytes(inspected: InspectedSite, report: ReportFinding): Promise<void> {
  const { storage, db } = inspected.site
  let listed = 0
  let current: ListedFile | undefined
  const reported = new Set<string>()
  let isTruncated = false
  const finish = async () => {
    for (const [key, sizeBytes] of current?.missing ?? []) {
      // A broken disk has millions: only the first keys are kept in memory.
      isTruncated ||= reported.size >= maxRemembered
      if (isTruncated) return
      reported.add(key)
      await reportIfLost(inspected, report, key, sizeBytes)
    }
  }
  for (let after: string | undefined; ; ) {
    const page: StoredKey[] = await storage.list('', after, pageSize)
    const files = await fileKeysOfIds(db, [...new Set(page.map(({ key }) => idOfKey(key)))])
    const byId = new Map(files.map((file) => [file.id, file]))
    const strays: StoredKey[] = []
    for (const entry of page) {
      const file = byId.get(idOfKey(entry.key))
      if (!file?.keys.some(({ key }) => key === entry.key)) {
        strays.push(entry)
        continue
      }
      if (current?.id !== file.id) {
        await finish()
        current = listedFile(file)
        listed += 1
      }
      // A key that is listed with another size stays in `missing`.
      if (current.missing.get(entry.key) === entry.sizeBytes) current.missing.delete(entry.key)
    }
    await reportStrays(inspected, report, strays)
    after = page.at(-1)?.key
    if (after === undefined || page.length < pageSize) break
  }
  await finish()
  if (isTruncated || listed < (await countKeyOwners(db))) await findLost(inspected, report, reported)
}

interface ListedFile {
  id: string
  /** The keys that the listing has not shown yet, with their sizes. */
  missing: Map<string, number>
}

const listedFile = ({ id, keys }: FileKeys): ListedFile => ({
  id,
  missing: new Map(keys.map(({ key, sizeBytes }) => [key, sizeBytes])),
})

async function reportIfLost(
  { live, ...inspected }: InspectedSite,
  report: ReportFinding,
  key: string,
  sizeBytes: number,
): Promise<void> {
  const found = await live.storage.stat(key)
  if (found?.sizeBytes === sizeBytes || !(await isKeyOwned(live.db, key))) return
  const says = found
    ? message('sizeWrong', { found: found.sizeBytes, expected: sizeBytes })
    : message('bytesMissing')
  const tenant = nameOfSite(inspected.record)
  await report({ isFault: true, tenant, key, ...sentences(says, message('restoreBytes')) })
}

/** An upload stores its bytes before its row, so recent bytes without a row are no finding. */
async function reportStrays(
  inspected: InspectedSite,
  report: ReportFinding,
  strays: readonly StoredKey[],
): Promise<void> {
  const { live, record } = inspected
  const before = live.clock.now().getTime() - dayMs
  const old = strays.filter(({ modifiedAt }) => modifiedAt.getTime() < before).map(({ key }) => key)
  const withRemoval = await pathsWithRemoval(live.db, old)
  for (const key of old.filter((each) => !withRemoval.has(each))) {
    // Found in the snapshot: check the live rows before bytes are removed.
    if (await isKeyOwned(live.db, key)) continue
    const repair = async () => {
      await live.storage.remove([key])
      return 'removed'
    }
    const text = sentences(message('orphan'), message('awaitSweep'))
    await report({ isFault: false, tenant: nameOfSite(record), key, ...text, repair })
  }
}

const maxParallel = 8

/** Requests every key of every row, except those that are already reported. */
async function findLost(
  inspected: InspectedSite,
  report: ReportFinding,
  reported: ReadonlySet<string>,
): Promise<void> {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: FileKeys[] = await fileKeysAfter(inspected.site.db, last, pageSize)
    const keys = page.flatMap((file) => file.keys).filter(({ key }) => !reported.has(key))
    for (let start = 0; start < keys.length; start += maxParallel) {
      const batch = keys.slice(start, start + maxParallel)
      await Promise.all(batch.map(({ key, sizeBytes }) => reportIfLost(inspected, report, key, sizeBytes)))
    }
    last = page.at(-1)?.id
  }
}

const filesPerPage = 200

/** Page by page from the live rows: reading all bytes of a site takes longer than a snapshot should stay open. */
export async function checkContents({ record, live }: InspectedSite, report: ReportFinding): Promise<void> {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: FileKeys[] = await fileKeysAfter(live.db, last, filesPerPage)
    for (const known of page.flatMap(({ keys }) => keys)) {
      const verdict = await proveBytes(live.storage, known)
      // Missing bytes are reported by `checkStoredBytes`.
      if (verdict.state !== 'damaged' || !(await isKeyOwned(live.db, known.key))) continue
      await report({
        isFault: true,
        tenant: nameOfSite(record),
        key: known.key,
        ...sentences(message('fileDamaged', { fault: verdict.why }), message('restoreBytes')),
      })
    }
    last = page.at(-1)?.id
  }
}

/** The damage that the scrub job has recorded. */
export async function checkScrub({ record, site }: InspectedSite, report: ReportFinding): Promise<void> {
  for (const { fileId, fault } of await damagedFiles(site)) {
    await report({
      isFault: true,
      tenant: nameOfSite(record),
      key: fileId,
      ...sentences(message('scrubFound', { fault }), message('restoreScrubbed')),
    })
  }
}

const maxReported = 1_000

const workerCommand = (tenant: string) => `tenants jobs:worker --id ${tenant} --once`

export async function checkOutbox(
  { app, record, site, live }: InspectedSite,
  report: ReportFinding,
): Promise<void> {
  const before = new Date(site.clock.now().getTime() - dayMs)
  for (const { id, path, requestedAt } of await removalsBefore(site.db, before, maxReported)) {
    const repair = async () => {
      if (!(await isKeyOwned(live.db, path))) await live.storage.remove([path])
      await changeSite(app.control, live, ({ db }) => deleteRemoval(db, id))
      return 'bytes and removal record removed'
    }
    const tenant = nameOfSite(record)
    const says = message('bytesNotRemoved', { at: requestedAt })
    const todo = message('runJobsOrRepair', { command: workerCommand(tenant) })
    await report({ isFault: false, tenant, key: path, ...sentences(says, todo), repair })
  }
}

export async function checkExpired(
  { app, record, site }: InspectedSite,
  report: ReportFinding,
): Promise<void> {
  const before = new Date(site.clock.now().getTime() - dayMs)
  const tenant = nameOfSite(record)
  const dueAt = await findDueAt(app.control.store.control, record.number)
  // After a restore many files are expired at once, and the jobs may not have run yet.
  const isFault = dueAt === undefined || dueAt < before.toISOString()
  const todo = message('checkJobs', { command: workerCommand(tenant) })
  for (const { id, expiresAt } of await expiredBefore(site.db, before, maxReported)) {
    const says = message('fileExpired', { at: String(expiresAt) })
    await report({ isFault, tenant, key: id, ...sentences(says, todo) })
  }
}

/** A broken chain cannot be repaired: every later hash follows from what was written. */
export async function checkAudit(inspected: InspectedSite, report: ReportFinding): Promise<void> {
  const broken = await findAuditFault(inspected)
  if (!broken) return
  const tenant = nameOfSite(inspected.record)
  const says = message('auditChanged', { fault: broken.fault })
  const todo = message('compareAudit', { command: `terrace site --tenant ${tenant} audit:sign` })
  await report({ isFault: true, tenant, key: `audit ${broken.sequence}`, ...sentences(says, todo) })
}

export async function checkLocations({ app, record }: InspectedSite, report: ReportFinding): Promise<void> {
  if (record.tenantId === null) return
  for (const part of await partsToMove(app.control, record.tenantId)) {
    const key = part === 'database' ? 'SERVICE_DATABASE_URL' : 'SERVICE_STORAGE_URL'
    const says = message(part === 'database' ? 'rowsElsewhere' : 'bytesElsewhere')
    const todo = message('moveOrSet', { command: `tenants move --id ${record.tenantId}` })
    await report({ isFault: false, tenant: record.tenantId, key, ...sentences(says, todo) })
  }
}
