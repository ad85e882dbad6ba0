import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { backUp } from '../../src/maintenance/index.ts'
import { assertHealthy } from '../support/doctor.ts'
import { type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { assertServed, backupFolder, type Kept, keptOf, serveAt } from '../support/stores/backups.ts'
import { freshBucket } from '../support/stores/buckets.ts'
import { radosgwOfRun } from '../support/stores/radosgw.ts'
import { freshInstallation } from '../support/tool.ts'
import { type TestTenant, uploaded } from '../support/uploads.ts'

const radosgw = await radosgwOfRun()
const bucketed = await needing('radosgw')

/** Where an installation keeps its rows and its bytes. */
interface Ground {
  store: StoreKind
  isBucket: boolean
}

const nameOf = ({ store, isBucket }: Ground) => `${store} and ${isBucket ? 'a bucket' : 'disk'}`
const backgrounds: [Ground, Ground][] = [
  [
    { store: 'sqlite', isBucket: false },
    { store: 'postgres', isBucket: true },
  ],
  [
    { store: 'postgres', isBucket: true },
    { store: 'sqlite', isBucket: false },
  ],
  [
    { store: 'postgres', isBucket: false },
    { store: 'postgres', isBucket: false },
  ],
]

const uploaders = 4
const before = 24

for (const [from, to] of backgrounds) {
  const run = from.isBucket || to.isBucket ? bucketed.test : test
  const name = `a backup under load from ${nameOf(from)} to ${nameOf(to)} has all that was acknowledged before it`
  run(name, { timeout: 180_000 }, async () => {
    await using folder = await backupFolder()
    const backup = join(folder.path, 'one')
    await using app = await startTestApp({ store: from.store, environment: await environmentOf(from) })
    const tenants = [await app.tenant('cats'), await app.tenant('dogs')]
    const known: Kept[] = []
    const removable: string[] = []
    for (let each = 0; each < before; each += 1) {
      const tenant = tenants[each % 2] as TestTenant
      const image = await uploaded(app, tenant, { fileName: 'same.png', fields: { tags: 'a' } })
      // Those of every third are removed while it is copied.
      if (each % 3 === 0) removable.push(image.delete_url)
      else known.push(await keptOf(app, image))
    }

    const load = startLoad(app, tenants, removable)
    const manifest = await backUp(app.app, { to: backup, withKeys: true })
    const counts = await load.stop()
    assert.ok(counts.uploads > 0 && counts.removals > 0, JSON.stringify(counts))
    assert.ok(manifest.files >= known.length)

    await using installation = await freshInstallation(to.store, await environmentOf(to))
    await installation.json('restore', '--from', backup)
    await using restored = await serveAt(installation)
    await assertHealthy(restored.app, { isDeep: true })
    await assertServed(restored, known)
    const { json } = await restored.call('GET', 'tenants')
    const files = json.reduce((sum: number, { stats }: any) => sum + stats.files, 0)
    assert.equal(files, manifest.files)
    console.log(`${nameOf(from)} to ${nameOf(to)}: ${JSON.stringify({ ...counts, files })}`)
    await uploaded(restored, tenants[0] as TestTenant)
    await assertHealthy(app.app)
  })
}

const environmentOf = async ({ isBucket }: Ground): Promise<Record<string, string>> =>
  isBucket && radosgw ? { SERVICE_STORAGE_URL: (await freshBucket(radosgw)).url } : {}

/** Uploads and removals until they are stopped. */
function startLoad(app: TestApp, tenants: readonly TestTenant[], removable: string[]) {
  const counts = { uploads: 0, removals: 0 }
  let isOver = false
  const remove = async (url: string) => {
    const { hostname, pathname } = new URL(url)
    const { status } = await app.send('GET', pathname, { headers: { host: hostname } })
    assert.equal(status, 200)
    counts.removals += 1
  }
  const work = async (number: number) => {
    for (let turn = number; !isOver; turn += 1) {
      const image = await uploaded(app, tenants[turn % 2] as TestTenant, { fileName: 'same.png' })
      counts.uploads += 1
      const url = removable.pop() ?? image.delete_url
      if (turn % 2 === 0) await remove(url)
    }
  }
  const works = Array.from({ length: uploaders }, (_, number) => work(number))
  return {
    async stop() {
      isOver = true
      await Promise.all(works)
      return counts
    },
  }
}
