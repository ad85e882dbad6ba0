import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { randomId } from '../../lib/ids.ts'
import type { SpooledFile } from '../../media/index.ts'
import { fileTooBig, spoolFault } from './form-errors.ts'

/** Fewer, longer writes cost less than many. Twice as much may wait: what is being written, and what comes after it. */
const ENOUGH_BYTES = 524_288
const MOST_PIECES = 512

/** A folder for the files of one upload. It goes with all that is in it. */
export interface Spool extends AsyncDisposable {
  folder: string
  /** Nobody need wait for it but who makes files there without a writer. */
  made: Promise<unknown>
  newFile(maxBytes: number): SpoolWriter
}

/** A file on its way in. What is written waits in memory until it is flushed. */
export interface SpoolWriter extends AsyncDisposable {
  /** The bytes are the writer's from then on. */
  write(bytes: Uint8Array): void
  /** To be waited for before more is written; nothing where there is time to gather more meanwhile. */
  flush(): Promise<void> | undefined
  finish(): Promise<Omit<SpooledFile, 'name'>>
}

export function openSpool(parent: string): Spool {
  const folder = join(parent, randomId(24))
  const made = orSpoolFault(mkdir(folder, { recursive: true, mode: 0o700 }))
  // Told to whoever waits for it.
  made.catch(() => undefined)
  const opened = new AsyncDisposableStack()
  return {
    folder,
    made,
    newFile(maxBytes) {
      const { close, ...writer } = spoolWriter(join(folder, randomId()), { maxBytes, made })
      opened.defer(close)
      return writer
    },
    async [Symbol.asyncDispose]() {
      // What a failing disk does not let go of now is removed at the next start; it must not hide what the upload met.
      await opened.disposeAsync().catch(() => undefined)
      await made.catch(() => undefined)
      // Mostly nothing is left in it.
      const removeAll = () => rm(folder, { recursive: true, force: true })
      await rmdir(folder)
        .catch(removeAll)
        .catch(() => undefined)
    },
  }
}

interface Writing {
  maxBytes: number
  /** When there is a folder for it. */
  made: Promise<unknown>
}

function spoolWriter(path: string, { maxBytes, made }: Writing): SpoolWriter & { close(): Promise<void> } {
  const md5 = createHash('md5')
  let file: FileHandle | undefined
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let sizeBytes = 0
  let writing: Promise<void> | undefined

  function write(bytes: Uint8Array): void {
    sizeBytes += bytes.length
    if (sizeBytes > maxBytes) throw fileTooBig(maxBytes)
    md5.update(bytes)
    waiting.push(bytes)
    waitingBytes += bytes.length
  }

  /** One write goes on while the next is gathered; where the disk is slower than the sender, it is waited for. */
  function flush(): Promise<void> | undefined {
    if (waitingBytes < ENOUGH_BYTES && waiting.length < MOST_PIECES) return undefined
    const before = writing
    const mine = storeWaiting(before).then(() => {
      if (writing === mine) writing = undefined
    })
    // It is told to whoever flushes next, or finishes.
    mine.catch(() => undefined)
    writing = mine
    return before
  }

  async function storeWaiting(before: Promise<void> | undefined): Promise<void> {
    const pieces = waiting
    waiting = []
    waitingBytes = 0
    await (before ?? made)
    file ??= await orSpoolFault(open(path, 'wx', 0o640))
    await orSpoolFault(writeAll(file, pieces))
  }

  async function close(): Promise<void> {
    await writing?.catch(() => undefined)
    const opened = file
    file = undefined
    if (opened) await orSpoolFault(opened.close())
  }

  return {
    write,
    flush,
    close,
    async finish() {
      await storeWaiting(writing)
      await close()
      return { path, sizeBytes, md5: md5.digest('hex') }
    },
    async [Symbol.asyncDispose]() {
      await close()
      await rm(path, { force: true })
    },
  }
}

/** A disk that gets full takes some of it first, and says so when it is asked again. */
async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  let left = pieces
  while (left.length > 0) {
    const { bytesWritten } = await file.writev(left)
    left = behind(left, bytesWritten)
  }
}

function behind(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skipped = bytes
  return pieces.flatMap((piece) => {
    const rest = piece.subarray(Math.min(skipped, piece.length))
    skipped -= piece.length - rest.length
    return rest.length > 0 ? [rest] : []
  })
}

function orSpoolFault<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => Promise.reject(spoolFault(error)))
}
