import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { assertHealthyAt } from '../support/doctor.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { exportTo, repacked, unpacked, withRows } from '../support/stores/archives.ts'
import { assertServed, backupFolder, type Kept, keptOf, serveAt } from '../support/stores/backups.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { fewInQuick } from '../support/tiers.ts'
import { freshInstallation } from '../support/tool.ts'
import { picture, type TestTenant, upload, uploaded } from '../support/uploads.ts'

/** A tenant with files in an album, a share and a page. */
async function filledCats(app: TestApp): Promise<{ cats: TestTenant; kept: Kept[] }> {
  const cats = await app.tenant('cats')
  await app.call('PATCH', 'tenants/cats', {
    limits: { SERVICE_MAX_USERS: '7' },
    env: { CANARY: 'canary-of-env' },
  })
  const kept: Kept[] = []
  for (const seed of [1, 2, 3]) {
    const file = await picture({ seed, width: 600 })
    kept.push(
      await keptOf(app, await uploaded(app, cats, { file, fields: { title: `cat ${seed}`, tags: 'a,b' } })),
    )
  }
  return { cats, kept }
}

const tenantOf = (tenant: any) => {
  const {
    updated_at,
    last_job_at,
    stats: { cron_time, ...stats },
    plan_id,
    ...rest
  } = tenant
  return { ...rest, stats }
}

/** Files are asked for by the test itself. */
const withoutTraffic = ({ data, ...rest }: any) => ({
  ...rest,
  data: data.map(({ downloads, traffic_bytes, api_requests, views, ...row }: any) => row),
})

const ways = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['sqlite', 'sqlite'],
  ['postgres', 'postgres'],
] as const

for (const [from, to] of fewInQuick(ways, 2)) {
  test(`a tenant exported from ${from} is imported to ${to} with its files, users and keys`, async () => {
    await using folder = await backupFolder()
    const archive = join(folder.path, 'cats.tar')
    await using app = await startTestApp({ store: from })
    const { cats, kept } = await filledCats(app)
    const exported = await exportTo(app, archive, { passphrase: 'a long passphrase' })
    const before = (await app.call('GET', 'tenants/cats')).json
    const usage = (await app.call('GET', 'tenants/cats/usage')).json

    await using installation = await freshInstallation(to)
    const imported = await installation.json(
      'tenants',
      'import',
      archive,
      '--verify',
      '--id',
      'cats',
      '--passphrase',
      'a long passphrase',
    )
    assert.deepEqual(tenantOf(imported), tenantOf(before))
    assert.equal(exported.entries, 3 * kept.length + (await tablesOf(archive)))
    await assertHealthyAt(installation.settings, { isDeep: true })
    await using restored = await serveAt(installation)
    await assertServed(restored, kept)
    assert.deepEqual(
      withoutTraffic((await restored.call('GET', 'tenants/cats/usage')).json),
      withoutTraffic(usage),
    )
    const again = await upload(restored, cats, { file: await picture({ seed: 9 }) })
    assert.equal(again.status, 200)
    assert.deepEqual(await readdir(folder.path), ['cats.tar'])
    assert.ok(!existsSync(join(installation.dataDir, 'archives')))
  })
}

async function tablesOf(archive: string): Promise<number> {
  return (await unpacked(archive)).filter(({ name }) => name.startsWith('tables/')).length
}

test('a tenant in a bucket is exported, and imported into a bucket, where a refused import leaves nothing', async () => {
  await using folder = await backupFolder()
  const archive = join(folder.path, 'cats.tar')
  await using bucket = await startS3Stub()
  await using app = await startTestApp({ environment: { SERVICE_STORAGE_URL: bucket.url } })
  const { kept } = await filledCats(app)
  await exportTo(app, archive)

  await using other = await startS3Stub()
  await using installation = await freshInstallation('sqlite', { SERVICE_STORAGE_URL: other.url })
  await installation.json('tenants', 'import', archive, '--id', 'cats', '--verify')
  await assertHealthyAt(installation.settings, { isDeep: true })
  await using restored = await serveAt(installation)
  await assertServed(restored, kept)
  const stored = other.objects.size
  const broken = join(folder.path, 'broken.tar')
  await repacked(
    archive,
    broken,
    withRows('file', ([, ...rows]) => rows),
  )
  const refusal = await installation.run(
    'tenants',
    'import',
    broken,
    '--id',
    'dogs',
    '--hostname',
    'dogs.test',
  )
  assert.equal(refusal.code, 1)
  assert.equal(other.objects.size, stored)
})
