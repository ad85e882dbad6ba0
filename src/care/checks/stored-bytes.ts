import {
  countFiles,
  filesAfter,
  filesOfIds,
  hasFile,
  idOfKey,
  type StoredFile,
  storedKeysOf,
} from '../../media/index.ts'
import type { StoredKey } from '../../storage/index.ts'
import { dayMs, type SiteUnderCare } from '../check.ts'
import type { Note } from '../finding.ts'
import { nameOfSite } from '../known-sites-table.ts'
import { notedPaths } from '../leftovers-table.ts'

const pageSize = 1_000

/**
 * The storage is walked once, in the order of its keys, in which all versions of a file stand together; their rows
 * are found by their ids. Only when fewer rows were met than there are, those of which nothing is left are looked for.
 */
export async function checkStoredBytes(care: SiteUnderCare, note: Note): Promise<void> {
  const { storage, db } = care.site
  let met = 0
  let open: OpenFile | undefined
  const finish = async () => {
    for (const [key] of open?.missing ?? []) await tellMissing(care, note, key)
  }
  for (let after: string | undefined; ; ) {
    const page: StoredKey[] = await storage.list('', after, pageSize)
    const files = await filesOfIds(db, [...new Set(page.map(({ key }) => idOfKey(key)))])
    const byId = new Map(files.map((file) => [file.id, file]))
    const strays: StoredKey[] = []
    for (const entry of page) {
      const file = byId.get(idOfKey(entry.key))
      const isOwned = file && storedKeysOf(file).some(({ key }) => key === entry.key)
      if (!isOwned) {
        strays.push(entry)
        continue
      }
      if (open?.id !== file.id) {
        await finish()
        open = openFile(file)
        met += 1
      }
      await checkSize(care, note, entry, open.missing.get(entry.key) ?? 0)
      open.missing.delete(entry.key)
    }
    await tellStrays(care, note, strays)
    after = page.at(-1)?.key
    if (after === undefined || page.length < pageSize) break
  }
  await finish()
  if (met < (await countFiles(db))) await findLost(care, note)
}

interface OpenFile {
  id: string
  /** What it should have and has not been met yet, with its size. */
  missing: Map<string, number>
}

const openFile = (file: StoredFile): OpenFile => ({
  id: file.id,
  missing: new Map(storedKeysOf(file).map(({ key, sizeBytes }) => [key, sizeBytes])),
})

async function checkSize(
  care: SiteUnderCare,
  note: Note,
  entry: StoredKey,
  sizeBytes: number,
): Promise<void> {
  if (entry.sizeBytes === sizeBytes || !(await isStillThere(care, entry.key))) return
  const says = `${entry.sizeBytes} bytes are there, and it had ${sizeBytes}.`
  await note({ isFault: true, tenant: nameOfSite(care.known), key: entry.key, says, todo: lostTodo })
}

const lostTodo = 'Put the bytes back from a backup, or delete the file.'

async function tellMissing(care: SiteUnderCare, note: Note, key: string): Promise<void> {
  if (!(await isStillThere(care, key))) return
  const says = 'Its bytes are missing.'
  await note({ isFault: true, tenant: nameOfSite(care.known), key, says, todo: lostTodo })
}

/** A file that was removed while we looked is no fault. */
const isStillThere = ({ live }: SiteUnderCare, key: string) => hasFile(live.db, idOfKey(key))

/** Bytes come before their row, so that those of today may be an upload on its way. */
async function tellStrays(care: SiteUnderCare, note: Note, strays: readonly StoredKey[]): Promise<void> {
  const { live, known } = care
  const before = live.clock.now().getTime() - dayMs
  const old = strays.filter(({ modifiedAt }) => modifiedAt.getTime() < before).map(({ key }) => key)
  const noted = await notedPaths(live.db, old)
  for (const key of old.filter((each) => !noted.has(each))) {
    const repair = async () => {
      await live.storage.remove([key])
      return 'removed'
    }
    const says =
      'No file has these bytes. An upload was stopped before it was done, or they were put here by hand.'
    const todo = 'The weekly sweep removes them, or: terrace doctor --repair'
    await note({ isFault: false, tenant: nameOfSite(known), key, says, todo, repair })
  }
}

async function findLost(care: SiteUnderCare, note: Note): Promise<void> {
  const { storage, db } = care.site
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: StoredFile[] = await filesAfter(db, last, pageSize)
    for (const file of page) {
      const keys = storedKeysOf(file).map(({ key }) => key)
      const stats = await Promise.all(keys.map((key) => storage.stat(key)))
      if (stats.some((found) => found !== undefined)) continue
      for (const key of keys) await tellMissing(care, note, key)
    }
    last = page.at(-1)?.id
  }
}
