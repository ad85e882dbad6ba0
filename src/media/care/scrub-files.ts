import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { careDueAt, carryOn, type Shift, type Site, type SiteJob } from '../../site/index.ts'
import { keyOf, keysOf } from '../stored-file.ts'
import { allDamage, type Damage, deleteDamage, insertDamage } from './damage-table.ts'
import { filesAfter, filesOfIds, type KeptFile } from './kept-files-table.ts'

const pageSize = 10

/** Slow enough to leave the disk to those who wait for it. */
const bytesPerSecond = 20_000_000

/** Reads what is stored and compares it with the rows. What differs is told and noted, and never removed. */
export const scrubFiles: SiteJob = {
  name: 'scrub-files',
  does: 'files verified',
  dueAt: (landmarks, values) => careDueAt('scrub-files', landmarks, values),
  async run(site, shift) {
    let count = 0
    await carryOn(site, shift, {
      name: 'scrub-files',
      async page(after = '') {
        const files = await filesAfter(site.db, after, pageSize)
        for (const [place, file] of files.entries()) {
          if (place > 0 && shift.isOver) return files[place - 1]?.id
          await noteState(site, shift, file)
          count += 1
        }
        if (files.length < pageSize) await forgetGone(site, shift)
        return files.length === pageSize ? files.at(-1)?.id : undefined
      },
    })
    return count
  },
}

/** Every file that was found damaged and is still there. */
export const damagedFiles = (site: Site): Promise<Damage[]> => allDamage(site.db)

async function noteState(site: Site, shift: Shift, file: KeptFile): Promise<void> {
  const fault = await faultOf(site, shift, file)
  const known = (await allDamage(site.db)).find(({ fileId }) => fileId === file.id)
  if (fault === known?.fault) return
  if (fault === undefined) {
    shift.tell('A damaged file is whole again', { file: file.id })
    return shift.change((db) => deleteDamage(db, [file.id]))
  }
  // It may have been removed while it was read.
  if ((await filesOfIds(site.db, [file.id])).length === 0) return
  shift.tell('A stored file is missing or damaged', { file: file.id, fault })
  await shift.change((db) => insertDamage(db, { fileId: file.id, fault, foundAt: site.clock.now() }))
}

async function faultOf(site: Site, shift: Shift, file: KeptFile): Promise<string | undefined> {
  const stored = { ...file, variants: file.versions }
  const sizes = [file.sizeBytes, ...file.versions.map(({ sizeBytes }) => sizeBytes)]
  for (const [place, key] of keysOf(stored).entries()) {
    const found = await site.storage.stat(key)
    if (!found) return `${key} is missing`
    if (found.sizeBytes !== sizes[place]) return `${key} has ${found.sizeBytes} bytes, not ${sizes[place]}`
  }
  const md5 = await md5Of(site, shift, keyOf(stored))
  return md5 === file.md5 ? undefined : `${keyOf(stored)} has other bytes than were stored`
}

/** Only the file itself: no sum of its versions is known. */
async function md5Of(site: Site, shift: Shift, key: string): Promise<string | undefined> {
  const stored = await site.storage.read(key)
  if (!stored) return undefined
  const hash = createHash('md5')
  const beganAt = performance.now()
  let readBytes = 0
  for await (const chunk of Buffer.isBuffer(stored.content) ? [stored.content] : stored.content) {
    shift.signal.throwIfAborted()
    hash.update(chunk)
    readBytes += chunk.length
    const aheadMs = (readBytes * 1_000) / bytesPerSecond - (performance.now() - beganAt)
    if (aheadMs > 20) await sleep(aheadMs)
  }
  return hash.digest('hex')
}

async function forgetGone(site: Site, shift: Shift): Promise<void> {
  const damage = await allDamage(site.db)
  const there = new Set(
    (
      await filesOfIds(
        site.db,
        damage.map(({ fileId }) => fileId),
      )
    ).map(({ id }) => id),
  )
  const gone = damage.map(({ fileId }) => fileId).filter((id) => !there.has(id))
  if (gone.length > 0) await shift.change((db) => deleteDamage(db, gone))
}
