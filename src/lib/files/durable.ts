import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Makes the bytes of a file, or the names in a folder, survive a power cut. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates a folder with its parents, and syncs each of them. */
export async function makeFolder(path: string): Promise<void> {
  const firstMade = await mkdir(path, { recursive: true, mode: 0o750 })
  if (firstMade === undefined) return
  let folder = path
  while (folder !== dirname(firstMade)) {
    await syncPath(folder)
    folder = dirname(folder)
  }
  await syncPath(folder)
}

/** Moves a file or folder; after a power cut it has the old path or the new one. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncPath(dirname(to))
  if (dirname(from) !== dirname(to)) await syncPath(dirname(from))
}

/** Replaces a small file atomically: readers see the old text or the new one. Only this account may read it. */
export async function writeFileDurably(path: string, text: string): Promise<void> {
  await moveDurably(await writeDraft(path, text), path)
}

/** Creates a small file atomically unless it exists: of several processes the first wins, and all see its text. */
export async function createFileDurably(path: string, text: string): Promise<void> {
  const draft = await writeDraft(path, text)
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  await syncPath(dirname(path))
}

async function writeDraft(path: string, text: string): Promise<string> {
  await makeFolder(dirname(path))
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return draft
}

/** Removes drafts that killed processes left beside a file; a younger draft may belong to a running process. */
export async function removeDrafts(path: string, { olderThanMs }: { olderThanMs: number }): Promise<void> {
  const isDraft = (name: string) => name.startsWith(`${basename(path)}.`) && /\.[0-9a-f]{12}$/.test(name)
  const names = await readdir(dirname(path))
  for (const draft of names.filter(isDraft).map((name) => join(dirname(path), name))) {
    const { mtimeMs } = await stat(draft).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs >= olderThanMs) await rm(draft, { force: true })
  }
}

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
