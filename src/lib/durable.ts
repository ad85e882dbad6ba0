import { randomBytes } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes what was written to a file, or the names in a folder, survive a power cut. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a folder with its parents, each of them durable. */
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

/** Moves a file or folder so that after a power cut it is at the one place or the other. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncPath(dirname(to))
  if (dirname(from) !== dirname(to)) await syncPath(dirname(from))
}

/** Replaces a small file as a whole: readers see the old text or the new one. */
export async function writeFileDurably(path: string, text: string, mode = 0o640): Promise<void> {
  await makeFolder(dirname(path))
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await moveDurably(draft, path)
}
