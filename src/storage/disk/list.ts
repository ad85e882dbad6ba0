import { lstat, opendir } from 'node:fs/promises'
import { codeOf } from '../errors.ts'
import type { StoredKey } from '../storage.ts'

interface Entry {
  key: string
  /** Sorts like the bytes of the key; a folder's ends with a slash, like the prefix of its keys. */
  order: string
  isFolder: boolean
}

/** Most names of a folder in memory at a time. */
const window = 10_000

/** The files under a folder that come after a key, in the order of their keys. */
export async function* walk(root: string, folder: string, after = ''): AsyncGenerator<StoredKey> {
  const start = orderOf(after)
  let last = ''
  let isMore = true
  while (isMore) {
    const entries = await firstEntries(root, folder, ({ order, isFolder }) => {
      return order > last && (order > start || (isFolder && start.startsWith(order)))
    })
    isMore = entries.length === window
    for (const { key, order, isFolder } of entries) {
      last = order
      if (isFolder) yield* walk(root, key, after)
      else yield* describe(root, key)
    }
  }
}

async function firstEntries(
  root: string,
  folder: string,
  isWanted: (entry: Entry) => boolean,
): Promise<Entry[]> {
  const opened = await opendir(`${root}/${folder}`, { bufferSize: 1_000 }).catch(ignoreAbsent)
  if (opened === undefined) return []
  let entries: Entry[] = []
  for await (const found of opened) {
    const isFolder = found.isDirectory()
    // Names that begin with a dot are not keys: temporary files have them.
    if (found.name.startsWith('.') || !(isFolder || found.isFile())) continue
    const key = folder === '' ? found.name : `${folder}/${found.name}`
    const entry = { key, order: orderOf(isFolder ? `${key}/` : key), isFolder }
    if (isWanted(entry)) entries.push(entry)
    if (entries.length >= 2 * window) entries = first(entries)
  }
  return first(entries)
}

function first(entries: Entry[]): Entry[] {
  return entries.sort((one, two) => (one.order < two.order ? -1 : 1)).slice(0, window)
}

async function* describe(root: string, key: string): AsyncGenerator<StoredKey> {
  const stats = await lstat(`${root}/${key}`).catch(ignoreAbsent)
  if (stats !== undefined) yield { key, sizeBytes: stats.size, modifiedAt: stats.mtime }
}

/** One character for each byte, so that comparing text compares UTF-8. */
function orderOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** Files come and go while they are listed. */
function ignoreAbsent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error
}
