import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { randomId } from '../../lib/ids.ts'
import type { SpooledFile } from '../../media/index.ts'
import { fileTooBig, spoolFault } from './form-errors.ts'

const BLOCK_BYTES = 131_072

/** A folder for the files of one upload. It goes with all that is in it. */
export interface Spool extends AsyncDisposable {
  folder: string
  newFile(maxBytes: number): SpoolWriter
}

/** A file on its way in. What is written waits in memory until it is flushed. */
export interface SpoolWriter extends AsyncDisposable {
  write(bytes: Uint8Array): void
  /** Nothing where there is not enough to write. */
  flush(): Promise<void> | undefined
  finish(): Promise<Omit<SpooledFile, 'name'>>
}

export async function openSpool(parent: string): Promise<Spool> {
  const folder = join(parent, randomId(24))
  await orSpoolFault(mkdir(folder, { recursive: true, mode: 0o700 }))
  const opened = new AsyncDisposableStack()
  return {
    folder,
    newFile(maxBytes) {
      const { close, ...writer } = spoolWriter(join(folder, randomId()), maxBytes)
      opened.defer(close)
      return writer
    },
    async [Symbol.asyncDispose]() {
      // What a failing disk does not let go of now is removed at the next start; it must not hide what the upload met.
      await opened.disposeAsync().catch(() => undefined)
      await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

function spoolWriter(path: string, maxBytes: number): SpoolWriter & { close(): Promise<void> } {
  const md5 = createHash('md5')
  let file: FileHandle | undefined
  let full: Buffer[] = []
  let spare: Buffer | undefined
  let block: Buffer = Buffer.alloc(0)
  let filled = 0
  let sizeBytes = 0

  function write(bytes: Uint8Array): void {
    sizeBytes += bytes.length
    if (sizeBytes > maxBytes) throw fileTooBig(maxBytes)
    md5.update(bytes)
    for (let from = 0; from < bytes.length; ) {
      if (filled === block.length) turnBlock()
      const piece = bytes.subarray(from, from + block.length - filled)
      block.set(piece, filled)
      filled += piece.length
      from += piece.length
    }
  }

  function turnBlock(): void {
    if (filled > 0) full.push(block)
    block = spare ?? Buffer.allocUnsafeSlow(BLOCK_BYTES)
    spare = undefined
    filled = 0
  }

  const flush = () => (full.length === 0 ? undefined : storeFull())

  async function storeFull(): Promise<void> {
    const blocks = full
    full = []
    for (const bytes of blocks) await store(bytes)
    spare ??= blocks[0]
  }

  async function store(bytes: Buffer): Promise<void> {
    file ??= await orSpoolFault(open(path, 'wx', 0o600))
    await orSpoolFault(file.writeFile(bytes))
  }

  async function close(): Promise<void> {
    const opened = file
    file = undefined
    if (opened) await orSpoolFault(opened.close())
  }

  return {
    write,
    flush,
    close,
    async finish() {
      await flush()
      await store(block.subarray(0, filled))
      await close()
      return { path, sizeBytes, md5: md5.digest('hex') }
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
