import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Control } from '../../control/index.ts'
import { keepAlive } from '../../lib/files/live-entries.ts'
import { randomHex } from '../../lib/ids.ts'
import { type FileKeys, fileKeysAfter, isKeyOwned } from '../../media/index.ts'
import type { KnownBytes } from '../../storage/index.ts'
import { oldCopyKept } from '../errors.ts'
import { removeBytesOfRows } from '../locations/drop-copies.ts'
import type { LocationRecord, StaleCopy } from '../locations/site-locations.ts'
import { isSiteInstalled } from '../sites-table.ts'
import { copyFile } from './copy-file.ts'

const pageSize = 500
const maxParallel = 8

/**
 * Runs before a stale copy is removed: at the site's location every key of every row must have the bytes that the row knows.
 * Bytes that only the stale copy has are copied over. If a key is proven at neither place, the stale copy is kept as a whole,
 * because it may be the last one. Then the keys of the rows are removed one by one, because a bucket's listing may be
 * incomplete.
 */
export async function rescueBytes(
  control: Control,
  site: number,
  record: LocationRecord,
  copy: StaleCopy & { kind: 'bytes' },
): Promise<void> {
  if (!(await isSiteInstalled(control.store.control, site))) return
  const { backends } = control
  const spool = join(backends.dataDir, 'moving', `rescue-${site}-${randomHex(6)}`)
  using _kept = keepAlive(spool)
  const store = await backends.store(record.database)
  const rows = await store.openSite(site, {
    rowsGeneration: record.rowsGeneration,
    generation: record.generation,
  })
  try {
    await mkdir(spool, { recursive: true, mode: 0o700 })
    const ends = { from: await backends.bytes(site, copy), to: await backends.bytes(site, record), spool }
    const unproven: string[] = []
    const prove = async (known: KnownBytes) => {
      const { state } = await copyFile(ends, known)
      const isSound = state === 'equal' || state === 'copied'
      if (!isSound && (await isKeyOwned(rows.db, known.key))) unproven.push(known.key)
    }
    for (let last: string | undefined = ''; last !== undefined; ) {
      const page: FileKeys[] = await fileKeysAfter(rows.db, last, pageSize)
      const keys = page.flatMap((file) => file.keys)
      for (let start = 0; start < keys.length; start += maxParallel) {
        const batch = keys.slice(start, start + maxParallel)
        await Promise.all(batch.map(prove))
      }
      last = page.at(-1)?.id
    }
    if (unproven.length > 0) throw oldCopyKept(unproven)
    await removeBytesOfRows(rows.db, ends.from)
  } finally {
    await rows.close()
    await rm(spool, { recursive: true, force: true })
  }
}
