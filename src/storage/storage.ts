import type { Readable } from 'node:stream'

/** A finished temporary file and the key that it is to have. */
export interface NewFile {
  key: string
  path: string
}

export interface PutOptions {
  /** A power cut may lose the bytes, or leave others: they are compared with their row, and can be made again. */
  isLossy?: boolean
}

/** The first and the last byte wanted, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** The opened content of a stored file. The caller must read a stream to its end or destroy it. */
export interface StoredBytes {
  /** Of the whole file, whatever the requested range. */
  sizeBytes: number
  modifiedAt: Date
  /** Of the whole file, if the storage says it. */
  md5?: string | undefined
  /** A short piece is a buffer, a longer one a stream, which may still fail. */
  content: Buffer | Readable
}

/** A stored file that is read into buffers of the caller. It must be closed. */
export interface OpenedFile {
  readonly sizeBytes: number
  /** For other threads, which read it themselves. */
  readonly fd: number
  /** Returns how many bytes were read; 0 at the end of the file. */
  read(into: Buffer, position: number): Promise<number>
  close(): Promise<void>
}

export interface StoredKey {
  key: string
  sizeBytes: number
  modifiedAt: Date
}

export interface StoredState {
  sizeBytes: number
  modifiedAt: Date
  /** When a disk last changed bytes or properties of the file, which no program can set. */
  changedMs?: number
}

/** Stores bytes by key. A key is a path like `images/2026/11/15/cat.th.jpg`; a folder is such a path too, or ''. */
export interface Storage {
  readonly kind: 'disk' | 's3'

  /**
   * How many long files may be read at a time, if each reader occupies a connection. All folders of a bucket have this in
   * common.
   */
  readonly readers?: { readonly name: string; readonly most: number }

  /**
   * Stores all of the files or none, and never replaces a file. Once this resolves they survive a power cut and their
   * temporary names are removed. After a refusal the stored files are removed again; the temporary files stay, to be put
   * under other keys, except those that could not be synced.
   */
  put(batch: readonly NewFile[], options?: PutOptions): Promise<void>

  /** A range that begins behind the end is refused; one that only ends there is cut. */
  read(key: string, range?: ByteRange): Promise<StoredBytes | undefined>

  /** For long files, if that costs less than a stream, which allocates a new buffer for each chunk. */
  open?(key: string): Promise<OpenedFile | undefined>

  stat(key: string): Promise<StoredState | undefined>

  /**
   * Synchronous variant of `stat`, which does not check for symbolic links among the folders. Only for files that `stat`
   * has found recently, so that the main thread does not wait for the disk.
   */
  statSync?(key: string): Pick<StoredState, 'sizeBytes' | 'changedMs'> | undefined

  /** Missing keys are ignored. */
  remove(keys: readonly string[]): Promise<void>

  /**
   * In the order of the keys' bytes, each once; `after` is the last key of the page before. Fewer than the limit means
   * that the storage lists no more. A listing may be incomplete: only the rows say which files exist.
   */
  list(folder: string, after: string | undefined, limit: number): Promise<StoredKey[]>

  removeAll(folder: string): Promise<void>

  /** Removes what interrupted puts have left unfinished in a folder, if nothing of them has arrived since this time. */
  removeUnfinished(folder: string, silentSince: Date): Promise<void>

  /** Refuses if nothing can be stored at present. */
  check(): Promise<void>

  /** The path of the file, for a proxy on the same machine. */
  localPath?(key: string): string

  [Symbol.asyncDispose](): Promise<void>
}
