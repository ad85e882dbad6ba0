import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Control, unreadableOperators } from '../../control/index.ts'
import { isAlive } from '../../lib/files/live-entries.ts'
import { Refusal } from '../../lib/refusal.ts'
import { unhealthyJobs } from '../../scheduling/index.ts'
import type { Storage } from '../../storage/index.ts'
import { finishDrops, readLocation } from '../../tenants/index.ts'
import { findRestore, unfinishedKey } from '../backup-format/control-copies-table.ts'
import { eachSite, findSiteRecord, nameOfSite, type SiteRecord, sealedAfter } from '../site-records-table.ts'
import { dayMs, type Installation } from './check.ts'
import type { ReportFinding } from './finding.ts'

export async function checkControlTables({ inspector }: Installation, report: ReportFinding): Promise<void> {
  for (const says of await inspector.faultsOfControl())
    await report({ isFault: true, key: 'control', says, todo: 'Restore the installation from a backup.' })
}

const unfinished = unfinishedKey('')

export async function checkControlRows(
  { app: { control } }: Installation,
  report: ReportFinding,
): Promise<void> {
  if ((await findRestore(control.store.control)) !== undefined) {
    const says = 'A restore was interrupted.'
    await report({ isFault: true, key: 'restore', says, todo: 'Repeat it with terrace restore.' })
  }
  for await (const site of eachSite(control)) {
    const about = { tenant: nameOfSite(site), key: `site ${site.number}` }
    if (site.state === 'dropping') {
      const repair = async () => {
        await finishDrops(control)
        return 'dropped'
      }
      const todo = 'Start the server, or run: terrace doctor --repair'
      await report({
        ...about,
        isFault: false,
        says: 'The site was deleted, but its data is not removed yet.',
        todo,
        repair,
      })
    }
    if (site.idKey.startsWith(unfinished)) {
      const says = `The restore of "${site.idKey.slice(unfinished.length)}" was interrupted.`
      await report({ ...about, isFault: true, says, todo: 'Repeat it with terrace restore.' })
    }
    for (const says of contradictionsOf(site))
      await report({ ...about, isFault: true, says, todo: 'Restore the installation from a backup.' })
  }
}

function* contradictionsOf({ state, tenantId, tenantKey, idKey }: SiteRecord): Generator<string> {
  if (state === 'live' && tenantId === null) yield 'The site is live, but has no tenant.'
  if (state !== 'live' && tenantId !== null) yield `The site of the tenant is ${state}.`
  if (tenantKey !== null && tenantKey !== idKey) yield `The tenant has the site of "${idKey}".`
}

/** A table that stayed on the coordinator is not part of a site's transactions on the workers. */
export async function checkDistribution({ inspector }: Installation, report: ReportFinding): Promise<void> {
  for (const says of await inspector.faultsOfDistribution())
    await report({
      isFault: true,
      key: 'database',
      says: `${says}.`,
      todo: 'Run: tenants database:distribute',
    })
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
        const says = `The environment of the ${table} "${id}" cannot be decrypted with the keys of this installation.`
        const todo = 'Add the key that encrypted it after the key in use, or set the environment again.'
        await report({
          isFault: true,
          ...(table === 'tenant' && { tenant: id }),
          key: `${table} ${id}`,
          says,
          todo,
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
      const todo = 'Add the key that encrypted it after the key in use.'
      const about = { tenant: nameOfSite(site), key: `site ${site.number}` }
      await report({ ...about, isFault: true, says: 'The location of the data cannot be decrypted.', todo })
    }
  }
}

async function checkOperators(control: Control, report: ReportFinding): Promise<void> {
  for (const name of await unreadableOperators(control)) {
    const says = `The second step of the operator "${name}" cannot be decrypted: no code is right.`
    const todo = `Add the key that encrypted it after the key in use, or run: terrace operator:reset --username ${name}`
    await report({ isFault: true, key: `operator ${name}`, says, todo })
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
    const todo = 'Check that the disk is mounted, or that the bucket of SERVICE_STORAGE_URL can be reached.'
    await report({ isFault: true, key: storage.kind, says: error.message, todo })
  }
}

export async function checkStraySites(
  { app, inspector }: Installation,
  report: ReportFinding,
): Promise<void> {
  const isKnown = async (site: number) =>
    (await findSiteRecord(app.control.store.control, site)) !== undefined
  const todo =
    'Check whether another installation shares this database or storage. If none does, remove them by hand.'
  for (const site of await inspector.sites()) {
    if (await isKnown(site)) continue
    await report({
      isFault: true,
      key: `site ${site}`,
      says: 'There are tables of an unknown site.',
      todo,
    })
  }
  for (const root of ['sites', 'bytes']) {
    for await (const { site, key } of foldersWithBytes(app.storage, root)) {
      if (await isKnown(site)) continue
      await report({ isFault: true, key, says: 'There are bytes of an unknown site.', todo })
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
      const says = 'A stopped process left this behind.'
      const todo = 'Restart the server, or run: terrace doctor --repair'
      await report({ isFault: false, key: `${folder}/${name}`, says, todo, repair })
    }
  }
}

const hourMs = 3_600_000

export async function checkJobs({ app: { control } }: Installation, report: ReportFinding): Promise<void> {
  const now = control.clock.now().getTime()
  const times = { dueBefore: new Date(now - dayMs), leasedBefore: new Date(now - hourMs) }
  for (const job of await unhealthyJobs(control.store.control, times)) {
    const about = { tenant: job.tenantId ?? undefined, key: `site ${job.site}` }
    const todo = `Run the jobs: tenants jobs:worker${job.tenantId ? ` --id ${job.tenantId}` : ''} --once`
    const isLate = job.dueAt !== null && job.dueAt < times.dueBefore.toISOString()
    if (isLate)
      await report({ ...about, isFault: true, says: `Jobs were due at ${job.dueAt} and did not run.`, todo })
    if (job.failures > 0) {
      const says = `Jobs failed ${job.failures} times: ${job.fault ?? 'no reason is stored'}`
      await report({ ...about, isFault: false, says, todo })
    }
    const isAbandoned = job.leasedUntil !== null && job.leasedUntil < times.leasedBefore.toISOString()
    if (isAbandoned && !isLate && job.dueAt !== null && job.dueAt < times.leasedBefore.toISOString()) {
      const says = `A worker leased the site until ${job.leasedUntil} and did not release it; no other worker has leased it since.`
      await report({ ...about, isFault: false, says, todo })
    }
  }
}
