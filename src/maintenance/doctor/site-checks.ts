import {
  countKeyOwners,
  type FileKeys,
  fileKeysAfter,
  fileKeysOfIds,
  idOfKey,
  isKeyOwned,
} from '../../media/index.ts'
import type { StoredKey } from '../../storage/index.ts'
import { nameOfSite } from '../site-records-table.ts'
import { dayMs, type InspectedSite } from './check.ts'
import type { Note } from './finding.ts'
import { pathsWithRemoval } from './leftovers-table.ts'

const pageSize = 1_000
const maxRemembered = 10_000

/**
 * Lists the storage once in key order, in which the keys of one file are adjacent, and finds the rows by their ids: that
 * saves a request per key. A listing may be incomplete, so a key that it lacks is requested by itself before it is
 * reported; if the listing has shown fewer files than there are rows, every key of every row is requested.
 */
export async function checkStoredBytes(inspected: InspectedSite, note: Note): Promise<void> {
  const { storage, db } = inspected.site
  let listed = 0
  let current: ListedFile | undefined
  const reported = new Set<string>()
  let isTruncated = false
  const finish = async () => {
    for (const [key, sizeBytes] of current?.missing ?? []) {
      // A broken disk has millions: only the first keys are kept in memory.
      isTruncated ||= reported.size >= maxRemembered
      if (isTruncated) return
      reported.add(key)
      await reportIfLost(inspected, note, key, sizeBytes)
    }
  }
  for (let after: string | undefined; ; ) {
    const page: StoredKey[] = await storage.list('', after, pageSize)
    const files = await fileKeysOfIds(db, [...new Set(page.map(({ key }) => idOfKey(key)))])
    const byId = new Map(files.map((file) => [file.id, file]))
    const strays: StoredKey[] = []
    for (const entry of page) {
      const file = byId.get(idOfKey(entry.key))
      if (!file?.keys.some(({ key }) => key === entry.key)) {
        strays.push(entry)
        continue
      }
      if (current?.id !== file.id) {
        await finish()
        current = listedFile(file)
        listed += 1
      }
      // A key that is listed with another size stays in `missing`.
      if (current.missing.get(entry.key) === entry.sizeBytes) current.missing.delete(entry.key)
    }
    await reportStrays(inspected, note, strays)
    after = page.at(-1)?.key
    if (after === undefined || page.length < pageSize) break
  }
  await finish()
  if (isTruncated || listed < (await countKeyOwners(db))) await findLost(inspected, note, reported)
}

interface ListedFile {
  id: string
  /** The keys that the listing has not shown yet, with their sizes. */
  missing: Map<string, number>
}

const listedFile = ({ id, keys }: FileKeys): ListedFile => ({
  id,
  missing: new Map(keys.map(({ key, sizeBytes }) => [key, sizeBytes])),
})

const lostTodo = 'Put the bytes back from a backup, or delete the file.'

async function reportIfLost(
  { live, ...inspected }: InspectedSite,
  note: Note,
  key: string,
  sizeBytes: number,
): Promise<void> {
  const found = await live.storage.stat(key)
  if (found?.sizeBytes === sizeBytes || !(await isKeyOwned(live.db, key))) return
  const says = found ? `It has ${found.sizeBytes} bytes instead of ${sizeBytes}.` : 'Its bytes are missing.'
  await note({ isFault: true, tenant: nameOfSite(inspected.record), key, says, todo: lostTodo })
}

/** An upload stores its bytes before its row, so recent bytes without a row are no finding. */
async function reportStrays(
  inspected: InspectedSite,
  note: Note,
  strays: readonly StoredKey[],
): Promise<void> {
  const { live, record } = inspected
  const before = live.clock.now().getTime() - dayMs
  const old = strays.filter(({ modifiedAt }) => modifiedAt.getTime() < before).map(({ key }) => key)
  const withRemoval = await pathsWithRemoval(live.db, old)
  for (const key of old.filter((each) => !withRemoval.has(each))) {
    // Found in the snapshot: check the live rows before bytes are removed.
    if (await isKeyOwned(live.db, key)) continue
    const repair = async () => {
      await live.storage.remove([key])
      return 'removed'
    }
    const says = 'No file has these bytes. An upload was interrupted, or they were put here by hand.'
    const todo = 'The weekly sweep removes them, or: terrace doctor --repair'
    await note({ isFault: false, tenant: nameOfSite(record), key, says, todo, repair })
  }
}

const maxParallel = 8

/** Requests every key of every row, except those that are already reported. */
async function findLost(inspected: InspectedSite, note: Note, reported: ReadonlySet<string>): Promise<void> {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: FileKeys[] = await fileKeysAfter(inspected.site.db, last, pageSize)
    const keys = page.flatMap((file) => file.keys).filter(({ key }) => !reported.has(key))
    for (let start = 0; start < keys.length; start += maxParallel) {
      const batch = keys.slice(start, start + maxParallel)
      await Promise.all(batch.map(({ key, sizeBytes }) => reportIfLost(inspected, note, key, sizeBytes)))
    }
    last = page.at(-1)?.id
  }
}
