import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../../../src/app.ts'
import { keysOf } from '../../../src/media/files/stored-file.ts'
import { fileOfDeleteLink, readFile, type StoredFile } from '../../../src/media/index.ts'
import { allTotals, changingSite, recountTotals, type Site } from '../../../src/site/index.ts'
import { openSite, readTenant, readTenantWithStats } from '../../../src/tenants/index.ts'
import { sha256Of } from './service.ts'
import type { Hashes } from './upload-fixture.ts'

/** What is found of one tenant's uploads. */
export interface Found {
  files: StoredFile[]
  /** Stored bytes that no row knows of. */
  orphans: string[]
  /** Notes of bytes that are to go. */
  removals: string[]
}

/** Every row has its bytes, each of them as they were sent or made, and the totals are those of the rows. */
export async function lookAtUploads(app: App, id: string, known: readonly Hashes[]): Promise<Found> {
  const tenant = await readTenant(app.control, id)
  await using site = await openSite(app.control, tenant)
  const ids = await site.db.selectFrom('file').select('id').orderBy('id').execute()
  const files = await Promise.all(ids.map((row) => readFile(site, row.id)))
  for (const file of files) {
    const hashes = await Promise.all(keysOf(file).map((key) => hashOf(site, key)))
    assert.ok(
      known.some((each) => each.join() === hashes.join()),
      `${file.id} has other bytes: ${hashes}`,
    )
  }
  const totals = await allTotals(site.db)
  assert.deepEqual(await recountTotals(changingSite(site)), totals)
  assert.equal(totals.files, files.length)
  const owned = new Set(files.flatMap(keysOf))
  const stored = await site.storage.list('', undefined, 1_000)
  const removals = await site.db.selectFrom('removal').select('path').execute()
  return {
    files,
    orphans: stored.map(({ key }) => key).filter((key) => !owned.has(key)),
    removals: removals.map(({ path }) => path),
  }
}

async function hashOf(site: Site, key: string): Promise<string> {
  const stored = await site.storage.read(key)
  if (!stored) return 'missing'
  const { content } = stored
  return sha256Of(Buffer.isBuffer(content) ? content : Buffer.concat(await content.toArray()))
}

/** Nothing stands in the data folder but what has its place there. */
export async function checkLocations(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const strays = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !places.some((place) => place.test(path)))
  assert.deepEqual(strays, [])
}

const places = [
  /^control\.db(-wal|-shm)?$/,
  /^secrets\/(encryption-keys|request-secret)$/,
  /^audit-heads\/\d+\.json/,
  /^sites\/\d+\/site\.db(-wal|-shm)?$/,
  /^sites\/\d+\/files\/images\/\d{4}\/\d\d\/\d\d\/[\w.]+$/,
  /^spool\/[A-Za-z0-9]{24}\//,
  /^decoders\/decoder-[A-Za-z0-9]{6}\/job\//,
]

/** An acknowledged upload is there, and its delete link is good. */
export async function checkAcknowledged(app: App, id: string, answer: string): Promise<void> {
  const { image } = JSON.parse(answer)
  const tenant = await readTenant(app.control, id)
  await using site = await openSite(app.control, tenant)
  const token = new URL(image.delete_url).pathname.split('/').at(-1) ?? ''
  const file = await fileOfDeleteLink(site, { id: image.id_encoded, token })
  assert.equal(file.sizeBytes, image.size)
}

/** The installation counts what the site has. */
export async function checkStats(app: App, id: string): Promise<void> {
  const tenant = await readTenantWithStats(app.control, id)
  await using site = await openSite(app.control, tenant)
  assert.deepEqual(tenant.stats, await allTotals(site.db))
}
