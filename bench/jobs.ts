import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { doJobs } from '../src/jobs/index.ts'
import { createTenant, installTenant, openSite, readTenant, syncStats } from '../src/tenants/index.ts'
import { print } from './report.ts'

const idleTenants = 10_000
const busyTenants = 1_000

/** The CPU of a worker with ten thousand idle tenants, and how many files it expires per second. */
export async function benchJobs(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-bench-jobs-'))
  try {
    const config = readConfig({ SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: 'silent' }, '/')
    await using app = await openApp(config)
    await makeTenants(app)
    await once(app)

    const idleMs = await cpuOfMinute(app)
    for (let place = 0; place < busyTenants; place += 1) await giveExpiredFile(app, `t${place}`, new Date())
    const before = process.cpuUsage()
    const beganAt = performance.now()
    let runs = 0
    let expired = 0
    await once(app, ({ done }) => {
      runs += 1
      expired += done['expire-files'] ?? 0
    })
    const seconds = (performance.now() - beganAt) / 1_000
    const { user, system } = process.cpuUsage(before)
    print('Jobs, on SQLite', [
      {
        what: `${idleTenants} idle tenants, CPU of a worker each minute`,
        measured: `${idleMs.toFixed(1)} ms`,
      },
      { what: 'sites opened for them', measured: '0' },
      {
        what: `one file of each of ${expired} tenants expires`,
        measured: `${(expired / seconds).toFixed(0)} /s`,
      },
      { what: 'CPU of a job run', measured: `${((user + system) / 1_000 / runs).toFixed(2)} ms` },
    ])
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

type App = Awaited<ReturnType<typeof openApp>>
type OnRun = NonNullable<Parameters<typeof doJobs>[1]['onRun']>

const once = (app: App, onRun: OnRun = () => undefined) =>
  doJobs(app, { signal: new AbortController().signal, isOnce: true, onRun })

/** Installs only the tenants that will have a file, because each install hashes a password. */
async function makeTenants({ control }: App): Promise<void> {
  const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  for (let place = 0; place < idleTenants; place += 1) {
    const id = `t${place}`
    await createTenant(control, { id, hostname: `${id}.test`, isEnabled: true })
    if (place < busyTenants) await installTenant(control, id, account)
    // The others have had something to do once, as those have that were used.
    const site = (await readTenant(control, id)).site
    const row = { site, dueAt: null, token: 1, leasedUntil: null, failures: 0, fault: null }
    await control.store.control
      .insertInto('job')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** As the loop asks: every five seconds. */
async function cpuOfMinute(app: App): Promise<number> {
  const openBefore = app.control.sites.openCount
  const before = process.cpuUsage()
  for (let asked = 0; asked < 12; asked += 1) await once(app)
  const { user, system } = process.cpuUsage(before)
  if (app.control.sites.openCount !== openBefore) throw new Error('An idle site was opened.')
  return (user + system) / 1_000
}

async function giveExpiredFile({ control }: App, id: string, now: Date): Promise<void> {
  await using site = await openSite(control, await readTenant(control, id))
  const at = now.toISOString()
  const flags = { isNsfw: 0, isAnimated: 0, isApproved: 1, isPrivate: 0, is360: 0, views: 0, likes: 0 }
  const none = { userId: null, albumId: null, categoryId: null, storageId: null, title: null }
  await site.db
    .insertInto('file')
    .values({
      id: 'file',
      ...none,
      ...flags,
      description: null,
      exif: null,
      kind: 'png',
      type: 'image',
      folder: 'images/2026/11/15',
      name: 'cat',
      nameKey: 'cat',
      extension: 'png',
      originalName: 'cat.png',
      sizeBytes: 0,
      storedBytes: 0,
      width: 1,
      height: 1,
      durationSeconds: 0,
      variants: '{"variants":[]}',
      md5: '',
      sourceMd5: '',
      deleteHash: '',
      uploaderAddress: '',
      date: at,
      createdAt: at,
      expiresAt: at,
      version: 1,
      revision: 1,
      updatedAt: at,
      deletedAt: null,
      position: '',
      placeholder: null,
      titleSort: '',
      nameSort: '',
      textVersion: 1,
      keyRevision: 1,
      lastKeyRevision: 1,
      replacedAt: null,
      addressVersion: 1,
    })
    .execute()
  await site.db.updateTable('total').set({ value: 1 }).where('name', '=', 'files').execute()
  await syncStats(control, site)
}
