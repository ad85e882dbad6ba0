import { setTimeout as sleep } from 'node:timers/promises'
import { type JobContext, runPaged } from '../../scheduling/index.ts'
import type { Site } from '../../site/index.ts'
import { type ByteSink, type KnownBytes, proveBytes, withOneSum } from '../../storage/index.ts'
import { isKeyOwned, recordSum, storedKeysOf } from '../files/file-keys-table.ts'
import { earlierBytesOf } from '../files/revisions/revisions-table.ts'
import {
  allDamage,
  type Damage,
  deleteDamage,
  filesAfter,
  filesOfIds,
  insertDamage,
  type JobFile,
} from './file-rows-table.ts'

const pageSize = 10

/** Slow enough to leave disk bandwidth to requests. */
const bytesPerSecond = 20_000_000

/** Reads stored bytes and compares them with their rows. Differences are logged and recorded; nothing is removed. */
export async function scrubFiles(site: Site, context: JobContext): Promise<number> {
  let count = 0
  await runPaged(site, context, {
    name: 'scrub-files',
    async page(after = '') {
      const files = await filesAfter(site.db, after, pageSize)
      for (const [index, file] of files.entries()) {
        if (index > 0 && context.isOver) return files[index - 1]?.id
        await recordState(site, context, file)
        count += 1
      }
      if (files.length < pageSize) await deleteOutdatedDamage(site, context)
      return files.length === pageSize ? files.at(-1)?.id : undefined
    },
  })
  return count
}

/** Every file that was found damaged and still exists. */
export const damagedFiles = (site: Site): Promise<Damage[]> => allDamage(site.db)

async function recordState(site: Site, context: JobContext, file: JobFile): Promise<void> {
  const fault = await faultOf(site, context, file)
  const known = (await allDamage(site.db)).find(({ fileId }) => fileId === file.id)
  if (fault === known?.fault) return
  if (fault === undefined) {
    context.warn('A damaged file is intact again', { file: file.id })
    return context.fencedTransaction((db) => deleteDamage(db, [file.id]))
  }
  context.warn('A stored file is missing or damaged', { file: file.id, fault })
  await context.fencedTransaction((db) =>
    insertDamage(db, { fileId: file.id, fault, foundAt: site.clock.now() }),
  )
}

/** Earlier revisions are verified too: a file may be reverted to them. */
async function faultOf(site: Site, context: JobContext, file: JobFile): Promise<string | undefined> {
  const earlier = file.revision > 1 ? await earlierBytesOf(site.db, [file.id]) : []
  for (const known of [file, ...earlier].flatMap(storedKeysOf)) {
    const verdict = await proveBytes(site.storage, withOneSum(known), {
      sink: slowReader(context),
      needsSha256: true,
    })
    if (verdict.state === 'sound') {
      await recordIfUnknown(context, known, verdict.sha256)
      continue
    }
    // The bytes may have been replaced or removed while they were read.
    if (!(await isKeyOwned(site.db, known.key))) continue
    return `${known.key} ${verdict.state === 'missing' ? 'is missing' : verdict.fault}`
  }
  return undefined
}

/** From then on one sum proves the bytes: an export or a backup needs the SHA-256, and would take the MD5 too. */
async function recordIfUnknown(
  context: JobContext,
  { key, sha256: known }: KnownBytes,
  sha256: string | undefined,
): Promise<void> {
  if (known === undefined && sha256 !== undefined)
    await context.fencedTransaction((db) => recordSum(db, key, sha256))
}

function slowReader(context: JobContext): ByteSink {
  const beganAt = performance.now()
  let readBytes = 0
  return {
    async write(chunk) {
      context.signal.throwIfAborted()
      readBytes += chunk.length
      const aheadMs = (readBytes * 1_000) / bytesPerSecond - (performance.now() - beganAt)
      if (aheadMs > 20) await sleep(aheadMs)
    },
  }
}

async function deleteOutdatedDamage(site: Site, context: JobContext): Promise<void> {
  const damage = await allDamage(site.db)
  const existing = new Set(
    (
      await filesOfIds(
        site.db,
        damage.map(({ fileId }) => fileId),
      )
    ).map(({ id }) => id),
  )
  const outdated = damage.map(({ fileId }) => fileId).filter((id) => !existing.has(id))
  if (outdated.length > 0) await context.fencedTransaction((db) => deleteDamage(db, outdated))
}
