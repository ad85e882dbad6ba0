import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { backUp } from '../../src/maintenance/index.ts'
import { ask } from '../support/delivered.ts'
import { assertHealthy, assertHealthyAt } from '../support/doctor.ts'
import { pictureParts, sendPicture } from '../support/fixtures/brand.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { exportTo } from '../support/stores/archives.ts'
import { backupFolder, serveAt } from '../support/stores/backups.ts'
import { moveTenant } from '../support/stores/moves.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { freshInstallation } from '../support/tool.ts'
import { picture, type TestTenant, uploaded } from '../support/uploads.ts'

async function withBrand(app: TestApp): Promise<TestTenant> {
  const cats = await app.tenant('cats')
  await uploaded(app, cats)
  const ada = await visitAs(app, cats)
  for (const [seed, slot] of ['logo', 'logo-dark', 'icon'].entries()) {
    const parts = pictureParts(await picture({ seed }))
    assert.equal((await sendPicture(app, cats, ada, { slot, parts })).status, 303)
  }
  return cats
}

/** Every picture of the brand that a page names, with its bytes. */
async function shownBrand(app: TestApp, { hostname }: TestTenant): Promise<string[]> {
  const { text } = await askPage(app, { hostname }, 'GET /login')
  const paths = new Set(text.match(/\/-\/brand\/\w+\.\w+/g))
  const shown: string[] = []
  for (const path of paths) {
    const { status, bytes } = await ask(app, `http://${hostname}${path}`)
    shown.push(`${path} ${status} ${bytes.toString('base64')}`)
  }
  return shown
}

for (const [from, to] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)
  test(`logo and icon come back by a backup, and by one that links to it, from ${from} to ${to}`, async () => {
    await using folder = await backupFolder()
    const [first, second] = [join(folder.path, 'one'), join(folder.path, 'two')]
    await using app = await startTestApp({ store: from })
    const cats = await withBrand(app)
    await backUp(app.app, { to: first, withKeys: true })
    await backUp(app.app, { to: second, since: first, withKeys: true })
    await using installation = await freshInstallation(to)
    await installation.json('restore', '--from', second)
    await assertHealthyAt(installation.settings, { isDeep: true })
    await using restored = await serveAt(installation)
    const shown = await shownBrand(app, cats)
    assert.equal(shown.length, 3)
    assert.deepEqual(await shownBrand(restored, cats), shown)
  })

test('logo and icon come with an archive', async () => {
  await using folder = await backupFolder()
  const archive = join(folder.path, 'cats.tar')
  await using app = await startTestApp()
  const cats = await withBrand(app)
  await exportTo(app, archive)
  await using installation = await freshInstallation('postgres')
  await installation.json('tenants', 'import', archive)
  await using restored = await serveAt(installation)
  await assertHealthy(restored.app, { isDeep: true })
  assert.deepEqual(await shownBrand(restored, cats), await shownBrand(app, cats))
})

test('logo and icon move with their site, to a bucket and back', async () => {
  await using stub = await startS3Stub()
  await using app = await startTestApp()
  const cats = await withBrand(app)
  const shown = await shownBrand(app, cats)
  for (const values of [{ SERVICE_STORAGE_URL: stub.url }, {}]) {
    const { moved, cleaned } = await moveTenant(app, cats, values)
    assert.deepEqual([moved, cleaned], [true, true])
    assert.deepEqual(await shownBrand(app, cats), shown)
    await assertHealthy(app.app)
  }
})
