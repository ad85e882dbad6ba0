import { mkdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../../../app.ts'
import { decoderFolder } from '../../../imaging/index.ts'
import { blockBytes, type FileAlgorithm, newThreadFile } from '../../../lib/files/file-threads.ts'
import { keepAlive, removeOldEntries, silentMs } from '../../../lib/files/live-entries.ts'
import { randomId } from '../../../lib/ids.ts'
import { type SpooledFile, spoolFolder } from '../../../media/index.ts'
import { fileTooBig, spoolFault } from '../reading/form-errors.ts'

/** Bytes for each write: fewer, longer writes cost less. With the next chunk of a socket they still are one block of a thread. */
const ENOUGH_BYTES = blockBytes - 65_536
const MOST_PIECES = 512

/** A folder for the files of one upload, removed with its files when disposed. */
export interface Spool extends AsyncDisposable {
  folder: string
  /** Resolves when the folder exists. Writers wait for it themselves. */
  made: Promise<unknown>
  newFile(maxBytes: number, options?: FileOptions): SpoolWriter
}

const md5Alone: readonly FileAlgorithm[] = ['md5']

interface FileOptions {
  /** The checksums that are computed while the bytes come: MD5 unless others are named. */
  sums?: readonly FileAlgorithm[]
}

/** A file that is being received. Written bytes are buffered until `flush`. */
export interface SpoolWriter extends AsyncDisposable {
  /** Takes ownership of the bytes. */
  write(bytes: Uint8Array): void
  /** Backpressure: if it returns a promise, the caller must await it before the next write. */
  flush(): Promise<void> | undefined
  finish(): Promise<Omit<SpooledFile, 'name'>>
}

/** Called with the number of bytes before they are stored; may throw a refusal. */
export type CountBytes = (bytes: number) => void

export function openSpool(parent: string, count: CountBytes = () => undefined): Spool {
  const folder = join(parent, randomId(24))
  const living = keepAlive(folder)
  const made = orSpoolFault(mkdir(folder, { recursive: true, mode: 0o700 }))
  // A rejection is reported by the writers, which await it.
  made.catch(() => undefined)
  const opened = new AsyncDisposableStack()
  return {
    folder,
    made,
    newFile(maxBytes, { sums = md5Alone } = {}) {
      const { close, ...writer } = spoolWriter(join(folder, randomId()), { maxBytes, sums, made, count })
      opened.defer(close)
      return writer
    },
    async [Symbol.asyncDispose]() {
      // An error here must not hide the upload's own error; what stays is removed at the next start.
      await opened.disposeAsync().catch(() => undefined)
      await made.catch(() => undefined)
      // The folder is usually empty, and rmdir is cheaper.
      const removeAll = () => rm(folder, { recursive: true, force: true })
      await rmdir(folder)
        .catch(removeAll)
        .catch(() => undefined)
      living[Symbol.dispose]()
    },
  }
}

interface Writing {
  maxBytes: number
  sums: readonly FileAlgorithm[]
  /** Resolves when the folder exists. */
  made: Promise<unknown>
  count: CountBytes
}

function spoolWriter(
  path: string,
  { maxBytes, sums, made, count }: Writing,
): SpoolWriter & { close(): Promise<void> } {
  // 0644: a decoder that gets the folder may run under another account. Other users cannot enter the folder.
  const file = newThreadFile({ path, mode: 0o644, sums })
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let sizeBytes = 0
  let writing: Promise<void> | undefined

  function write(bytes: Uint8Array): void {
    sizeBytes += bytes.length
    if (sizeBytes > maxBytes) throw fileTooBig(maxBytes)
    count(bytes.length)
    waiting.push(bytes)
    waitingBytes += bytes.length
  }

  /** One write runs while the next is buffered; if the disk is slower than the sender, the sender waits. */
  function flush(): Promise<void> | undefined {
    if (waitingBytes < ENOUGH_BYTES && waiting.length < MOST_PIECES) return undefined
    const before = writing
    const mine = storeWaiting(before, file.write).then(() => {
      if (writing === mine) writing = undefined
    })
    // A rejection is reported by the next flush, or by finish.
    mine.catch(() => undefined)
    writing = mine
    return before
  }

  async function storeWaiting<T>(
    before: Promise<void> | undefined,
    store: (pieces: readonly Uint8Array[]) => Promise<T>,
  ): Promise<T> {
    const pieces = waiting
    waiting = []
    waitingBytes = 0
    await (before ?? made)
    return orSpoolFault(store(pieces))
  }

  async function close(): Promise<void> {
    await writing?.catch(() => undefined)
    await orSpoolFault(file.close())
  }

  return {
    write,
    flush,
    close,
    async finish() {
      const digests = await storeWaiting(writing, file.end)
      return { path, sizeBytes, md5: '', ...digests }
    },
    async [Symbol.asyncDispose]() {
      await close()
      await rm(path, { force: true })
    },
  }
}

function orSpoolFault<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => Promise.reject(spoolFault(error)))
}

export const spoolFolderOf = (app: App): string => spoolFolder(app.config.dataDir)

/** Makes the folders of the spool and of the decoders, and removes entries of processes that have ended. */
export async function prepareSpool(app: App): Promise<void> {
  // On SQLite a data folder has one server, so every entry is from an earlier run. A server that is killed again and
  // again would otherwise fill its disk within minutes.
  const olderThanMs = app.control.store.kind === 'sqlite' ? 0 : silentMs
  for (const folder of [spoolFolderOf(app), decoderFolder(app.config.dataDir)]) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await removeOldEntries(folder, { olderThanMs })
  }
}
