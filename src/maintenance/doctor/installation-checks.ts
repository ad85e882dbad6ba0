import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Control, unreadableOperators } from '../../control/index.ts'
import { isAlive } from '../../lib/files/live-entries.ts'
import { type Message, message } from '../../lib/messages.ts'
import { Refusal } from '../../lib/refusal.ts'
import { unhealthyJobs } from '../../scheduling/index.ts'
import type { Storage } from '../../storage/index.ts'
import { failingPurges, finishDrops, readLocation } from '../../tenants/index.ts'
import { findRestore, unfinishedKey } from '../backup-format/control-copies-table.ts'
import { eachSite, findSiteRecord, nameOfSite, type SiteRecord, sealedAfter } from '../site-records-table.ts'
import { dayMs, type Installation } from './check.ts'
import { type ReportFinding, sentences } from './finding.ts'

export async function checkControlTables({ inspector }: Installation, report: ReportFinding): Promise<void> {
  for (const says of await inspector.faultsOfControl())
    await report({ isFault: true, key: 'control', ...sentences(says, message('restoreInstallation')) })
}

const unfinished = unfinishedKey('')

export async function checkControlRows(
  { app: { control } }: Installation,
  report: ReportFinding,
): Promise<void> {
  if ((await findRestore(control.store.control)) !== undefined) {
    const text = sentences(message('restoreInterrupted'), message('repeatRestore'))
    await report({ isFault: true, key: 'restore', ...text })
  }
  for await (const site of eachSite(control)) {
    const about = { tenant: nameOfSite(site), key: `site ${site.number}` }
    if (site.state === 'dropping') {
      const repair = async () => {
        await finishDrops(control)
        return 'dropped'
      }
      const todo = message('startOrRun', { command: 'terrace doctor --repair' })
      await report({ ...about, isFault: false, ...sentences(message('siteDropping'), todo), repair })
    }
    if (site.idKey.startsWith(unfinished)) {
      const says = message('restoreOfInterrupted', { id: site.idKey.slice(unfinished.length) })
      await report({ ...about, isFault: true, ...sentences(says, message('repeatRestore')) })
    }
    for (const says of contradictionsOf(site))
      await report({ ...about, isFault: true, ...sentences(says, message('restoreInstallation')) })
  }
}

function* contradictionsOf({ state, tenantId, tenantKey, idKey }: SiteRecord): Generator<Message> {
  if (state === 'live' && tenantId === null) yield message('siteWithoutTenant')
  if (state !== 'live' && tenantId !== null) yield message('siteNotLive', { state })
  if (tenantKey !== null && tenantKey !== idKey) yield message('siteOfOther', { id: idKey })
}

/** A table that stayed on the coordinator is not part of a site's transactions on the workers. */
export async function checkDistribution({ inspector }: Installation, report: ReportFinding): Promise<void> {
  const todo = message('runCommand', { command: 'tenants database:distribute' })
  for (const fault of await inspector.faultsOfDistribution()) {
    const text = sentences(fault, todo)
    await report({ isFault: true, key: 'database', ...text, says: `${text.says}.` })
  }
}

const pageSize = 500

export async function checkEncryption(
  { app: { control } }: Installation,
  report: ReportFinding,
): Promise<void> {
  await checkLocationRecords(control, report)
  await checkOperators(control, report)
  for (const table of ['tenant', 'plan'] as const) {
    for (let last: string | undefined = ''; last !== undefined; ) {
      const page: { id: string; env: string }[] = await sealedAfter(
        control.store.control,
        table,
        last,
        pageSize,
      )
      for (const { id, env } of page) {
        if (canDecrypt(() => control.keyRing.unseal(env, `${table} ${id}`))) continue
        const says = message(table === 'tenant' ? 'tenantEnvSealed' : 'planEnvSealed', { id })
        await report({
          isFault: true,
          ...(table === 'tenant' && { tenant: id }),
          key: `${table} ${id}`,
          ...sentences(says, message('addKeyOrSetEnv')),
        })
      }
      last = page.at(-1)?.id
    }
  }
}

/** Location records are encrypted too, because their URLs hold passwords. */
async function checkLocationRecords(control: Control, report: ReportFinding): Promise<void> {
  for await (const site of eachSite(control)) {
    try {
      await readLocation(control, site.number)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'cannot-decrypt') throw error
      const about = { tenant: nameOfSite(site), key: `site ${site.number}` }
      await report({ ...about, isFault: true, ...sentences(message('locationSealed'), message('addKey')) })
    }
  }
}

async function checkOperators(control: Control, report: ReportFinding): Promise<void> {
  for (const name of await unreadableOperators(control)) {
    const says = message('operatorSealed', { name })
    const todo = message('addKeyOrRun', { command: `terrace operator:reset --username ${name}` })
    await report({ isFault: true, key: `operator ${name}`, ...sentences(says, todo) })
  }
}

function canDecrypt(unseal: () => string): boolean {
  try {
    unseal()
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** Lists only: a check of write access would have to write. */
export async function checkStorage({ app: { storage } }: Installation, report: ReportFinding): Promise<void> {
  try {
    await storage.list('sites', undefined, 1)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await report({ isFault: true, key: storage.kind, ...sentences(error, message('checkStorage')) })
  }
}

export async function checkStraySites(
  { app, inspector }: Installation,
  report: ReportFinding,
): Promise<void> {
  const isKnown = async (site: number) =>
    (await findSiteRecord(app.control.store.control, site)) !== undefined
  const todo = message('checkSharing')
  for (const site of await inspector.sites()) {
    if (await isKnown(site)) continue
    await report({ isFault: true, key: `site ${site}`, ...sentences(message('strayTables'), todo) })
  }
  for (const root of ['sites', 'bytes']) {
    for await (const { site, key } of foldersWithBytes(app.storage, root)) {
      if (await isKnown(site)) continue
      await report({ isFault: true, key, ...sentences(message('strayBytes'), todo) })
    }
  }
}

/** The highest code point: sorts behind every key of a site. */
const last = '\u{10ffff}'

/** One listing per folder, each starting behind the previous folder. After a move the folder is `site-generation`. */
async function* foldersWithBytes(
  storage: Storage,
  root: string,
): AsyncGenerator<{ site: number; key: string }> {
  for (let after: string | undefined; ; ) {
    const [entry] = await storage.list(root, after, 1)
    if (!entry) return
    const [, name = ''] = entry.key.split('/')
    after = `${root}/${name}/${last}`
    const key = `${root}/${name}/files`
    // On a disk the SQLite file of a site lies beside its files.
    const [file] = entry.key.startsWith(`${key}/`) ? [entry] : await storage.list(key, undefined, 1)
    if (file && /^[1-9][0-9]*(-[0-9]+)?$/.test(name)) yield { site: Number.parseInt(name, 10), key }
  }
}

/** Folders of files in progress. */
const folders = ['spool', 'decoders', 'drafts', 'trash', 'restoring']

export async function checkTemporaries(
  { app: { config, control } }: Installation,
  report: ReportFinding,
): Promise<void> {
  for (const folder of folders) {
    for (const name of await readdir(join(config.dataDir, folder)).catch(() => [])) {
      const path = join(config.dataDir, folder, name)
      const found = await stat(path).catch(() => undefined)
      // A younger entry may be in use: its process renews the time every minute.
      if (!found || isAlive(path) || control.clock.now().getTime() - found.mtimeMs < dayMs) continue
      const repair = async () => {
        await rm(path, { recursive: true, force: true })
        return 'removed'
      }
      const todo = message('restartOrRun', { command: 'terrace doctor --repair' })
      const text = sentences(message('temporaryLeft'), todo)
      await report({ isFault: false, key: `${folder}/${name}`, ...text, repair })
    }
  }
}

const hourMs = 3_600_000

export async function checkJobs({ app: { control } }: Installation, report: ReportFinding): Promise<void> {
  const now = control.clock.now().getTime()
  const times = { dueBefore: new Date(now - dayMs), leasedBefore: new Date(now - hourMs) }
  for (const job of await unhealthyJobs(control.store.control, times)) {
    const about = { tenant: job.tenantId ?? undefined, key: `site ${job.site}` }
    const command = `tenants jobs:worker${job.tenantId ? ` --id ${job.tenantId}` : ''} --once`
    const todo = message('runJobs', { command })
    const isLate = job.dueAt !== null && job.dueAt < times.dueBefore.toISOString()
    if (job.dueAt !== null && isLate)
      await report({ ...about, isFault: true, ...sentences(message('jobsLate', { at: job.dueAt }), todo) })
    if (job.failures > 0) {
      const fault = job.fault ?? message('noReasonStored')
      const says = message('jobsFailed', { count: job.failures, fault })
      await report({ ...about, isFault: false, ...sentences(says, todo) })
    }
    const since = times.leasedBefore.toISOString()
    const { leasedUntil: until, dueAt } = job
    if (until !== null && until < since && !isLate && dueAt !== null && dueAt < since) {
      const says = message('leaseAbandoned', { at: until })
      await report({ ...about, isFault: false, ...sentences(says, todo) })
    }
  }
}

const mostPurges = 100

/** They are sent again by themselves, so nothing is broken as long as the receiver comes back within a day. */
export async function checkPurges({ app: { control } }: Installation, report: ReportFinding): Promise<void> {
  for (const { id, tenantId, at, attempts, fault } of await failingPurges(
    control.store.control,
    mostPurges,
  )) {
    const says = message('purgeFailing', { at, count: attempts, fault: fault ?? message('noReasonStored') })
    await report({ isFault: false, tenant: tenantId, key: id, ...sentences(says, message('checkPurgeUrl')) })
  }
}
