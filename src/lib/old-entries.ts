import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes what has long not been touched in a folder of temporary things, and tells how much that was. */
export async function removeOldEntries(
  folder: string,
  { olderThanMs }: { olderThanMs: number },
): Promise<number> {
  let count = 0
  for (const name of await readdir(folder)) {
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs < olderThanMs) continue
    await rm(join(folder, name), { recursive: true, force: true })
    count += 1
  }
  return count
}
