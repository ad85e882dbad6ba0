import type { App } from '../../../app.ts'
import { resealInstallation } from '../../../control/index.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  countTenants,
  distributeTables,
  installedSites,
  listTenants,
  migrateSite,
  readTenant,
  refreshStats,
  resealEnv,
  rotateKeys,
} from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { messageOf } from '../../terminal/print-error.ts'
import { progressOn, withProgress } from '../../terminal/progress.ts'
import { counted } from '../../terminal/table.ts'

export async function refreshAllStats(session: Session, { id }: { id?: string }): Promise<void> {
  await using app = await session.openApp()
  const ids = id === undefined ? idsOfTenants(app) : [(await readTenant(app.control, id)).id]
  const total = id === undefined ? await countTenants(app.control.store.control) : 1
  const refreshed = await withProgress(session.err, { label: 'tenants counted' }, (onStep) =>
    tryEach({
      items: ids,
      nameOf: (each) => each,
      work: (each) => refreshStats(app.control, each).catch(ignoreIfDeleted),
      onStep: (done) => onStep(done, total),
      failureText: (failed, all) => `${failed} of ${all} tenants could not be counted:`,
    }),
  )
  session.answer({ refreshed }, () => `Recounted ${counted(refreshed, 'tenant')}.`)
}

async function* idsOfTenants(app: App): AsyncGenerator<string> {
  for await (const page of listTenants(app.control)) for (const tenant of page) yield tenant.id
}

/** A tenant may be deleted after it was listed; then there is nothing to count. */
function ignoreIfDeleted(error: unknown): void {
  if (!(error instanceof Refusal) || error.kind !== 'not-found') throw error
}

export async function migrate(session: Session, { id }: { id?: string }): Promise<void> {
  await using app = await session.openApp()
  const sites = await sitesOf(app, id)
  const migrated = await withProgress(session.err, { label: 'sites up to date' }, (onStep) =>
    tryEach({
      items: sites,
      nameOf: (site) => site.name,
      work: (site) => migrateSite(app.control, site.number),
      onStep: (done) => onStep(done, sites.length),
      failureText: (failed, all) => `${failed} of ${all} sites could not be brought up to date:`,
    }),
  )
  session.answer({ migrated }, () => `The control tables and ${counted(migrated, 'site')} are up to date.`)
}

export async function distribute(session: Session, { id }: { id?: string }): Promise<void> {
  await using app = await session.openApp()
  const tables = await distributeTables(app.control, id)
  session.answer({ distributed: tables }, () =>
    tables.length === 0
      ? 'The tables of sites are already distributed.'
      : `Distributed ${counted(tables.length, 'table')} by site.`,
  )
}

async function sitesOf(app: App, id: string | undefined): Promise<{ number: number; name: string }[]> {
  if (id === undefined) {
    const sites = await installedSites(app.control.store.control)
    return sites.map(({ number, idKey }) => ({ number, name: idKey }))
  }
  const tenant = await readTenant(app.control, id)
  return tenant.isInstalled ? [{ number: tenant.site, name: id }] : []
}

const setting = 'SERVICE_ENCRYPTION_KEY'

export async function rotate(session: Session): Promise<void> {
  await using app = await session.openApp()
  const resealed = await reseal(session, app)
  session.answer({ resealed, retired: app.keyFile !== undefined }, () => {
    const values = `${resealed} ${resealed === 1 ? 'value is' : 'values are'} encrypted with`
    return app.keyFile
      ? `${values} a new key; the old key is deleted.`
      : `${values} the first key of ${setting}.`
  })
  if (!app.keyFile) session.note(nextStep(app.config.encryptionKeys?.length ?? 0))
}

async function reseal(session: Session, { control, keyFile }: App): Promise<number> {
  using progress = progressOn(session.err, { label: 'values encrypted again:' })
  if (keyFile) return await rotateKeys(control, keyFile, progress.step)
  // Keys from the environment are the operator's: they are neither created nor deleted here.
  await resealInstallation(control)
  return await resealEnv(control, progress.step)
}

const nextStep = (keys: number) =>
  keys > 1
    ? `When every server runs with this list of keys, repeat this command once, then shorten ${setting} to its first key.`
    : `To change the key, put a new one first in ${setting} (NEW,OLD) on every server, and repeat this command.`

interface Work<T> {
  items: AsyncIterable<T> | Iterable<T>
  nameOf: (item: T) => string
  work: (item: T) => Promise<void>
  onStep: (done: number) => void
  /** The heading of the list of failures. */
  failureText: (failed: number, total: number) => string
}

/** Runs `work` for every item. If it fails for some, the others still run, and all failures are reported at the end. */
export async function tryEach<T>({ items, nameOf, work, onStep, failureText }: Work<T>): Promise<number> {
  const faults: string[] = []
  let done = 0
  onStep(done)
  for await (const item of items) {
    try {
      await work(item)
    } catch (error) {
      faults.push(`${nameOf(item)}: ${messageOf(error)}`)
    }
    done += 1
    onStep(done)
  }
  if (faults.length > 0) {
    throw new Refusal('unavailable', 'some-failed', failureText(faults.length, done), { list: faults })
  }
  return done
}
