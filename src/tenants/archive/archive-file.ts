import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { exists, syncPath } from '../../lib/files/durable.ts'
import { archiveExists, archiveReplaced } from './errors.ts'
import type { ArchiveSink } from './write-archive.ts'

interface ArchiveFile extends ArchiveSink, AsyncDisposable {
  /** Gives the file its name, once it survives a power cut. */
  publish(): Promise<void>
}

/** Writes an archive to a file, which gets its name when it is whole. */
export async function writeArchiveFile<T>(
  path: string,
  write: (sink: ArchiveSink) => Promise<T>,
): Promise<T> {
  await using file = await createArchiveFile(path)
  const written = await write(file)
  await file.publish()
  return written
}

/** As many bytes wait for the disk at the most, while as many are written. */
const syncedBytes = 64 * 1_048_576

/** Until it is published it is called `….partial`. */
async function createArchiveFile(path: string): Promise<ArchiveFile> {
  if (await exists(path)) throw archiveExists(path)
  const partial = `${path}.partial`
  // That of an export that was killed.
  await rm(partial, { force: true })
  const handle = await open(partial, 'wx', 0o600)
  let position = 0
  let isPublished = false
  let synced = { position: 0, work: Promise.resolve() }
  // The disk writes while the next bytes are read, not only at the end, and never has much to write.
  const syncSoon = async () => {
    if (position - synced.position < syncedBytes) return
    await synced.work
    synced = { position, work: handle.datasync() }
    // It is awaited before the next one, and at the end.
    synced.work.catch(() => undefined)
  }
  return {
    async write(chunk) {
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, position)
        done += bytesWritten
        position += bytesWritten
      }
      await syncSoon()
    },
    file: {
      fd: handle.fd,
      goOnAt(next) {
        position = next
      },
    },
    async publish() {
      // An error of the disk is reported once, perhaps by that sync.
      await synced.work
      await handle.sync()
      if (!(await isOurs(handle, partial))) throw archiveReplaced(path)
      await moveTo(partial, path)
      isPublished = true
      await syncPath(dirname(path))
    },
    async [Symbol.asyncDispose]() {
      const isLeft = !isPublished && (await isOurs(handle, partial))
      await synced.work.catch(() => undefined)
      await handle.close()
      if (isLeft) await rm(partial, { force: true })
    },
  }
}

/** Another export to the same path removes the file of this one. */
async function isOurs(handle: FileHandle, partial: string): Promise<boolean> {
  const [own, found] = [await handle.stat(), await stat(partial).catch(() => undefined)]
  return found?.ino === own.ino && found.dev === own.dev
}

/** A link never replaces a file, as a rename does; some file systems have none. */
async function moveTo(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || (await exists(path))) throw archiveExists(path)
    return rename(partial, path)
  }
  await rm(partial)
}
