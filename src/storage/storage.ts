import type { Readable } from 'node:stream'

/** A finished temporary file and the key that it is to have. */
export interface NewFile {
  key: string
  path: string
}

/** The first and the last byte wanted, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** What is known to be there, opened. Whoever gets a stream reads it to its end or destroys it. */
export interface StoredBytes {
  /** Of the whole file, whatever range was asked for. */
  sizeBytes: number
  modifiedAt: Date
  /** A piece of a few bytes comes at once, anything longer as a stream, which may still fail on its way. */
  content: Buffer | Readable
}

/** A stored file that is read into memory of the reader's own. It must be closed. */
export interface OpenedFile {
  readonly sizeBytes: number
  /** How many bytes were read; none at the end of the file. */
  read(into: Buffer, position: number): Promise<number>
  close(): Promise<void>
}

export interface StoredKey {
  key: string
  sizeBytes: number
  modifiedAt: Date
}

/** Where bytes are kept. A key is a path like `images/2026/11/15/cat.th.jpg`; a folder is such a path too, or ''. */
export interface Storage {
  readonly kind: 'disk' | 's3'

  /**
   * Takes all of the files or none, and never over a key that is taken. Once this resolves they survive a power cut
   * and their temporary names are gone. After a refusal what was placed is removed again; the temporary files stay,
   * to be put under other keys, except those that could not be written out.
   */
  put(batch: readonly NewFile[]): Promise<void>

  /** A range that begins behind the end is refused; one that only ends there is cut. */
  read(key: string, range?: ByteRange): Promise<StoredBytes | undefined>

  /** For long files where that costs less than a stream, which takes new memory for each piece. */
  open?(key: string): Promise<OpenedFile | undefined>

  stat(key: string): Promise<{ sizeBytes: number } | undefined>

  /**
   * The same in the caller's own thread, past links among the folders on the way. Only for what `stat` has found lately,
   * so that nobody waits for a disk.
   */
  statAtOnce?(key: string): { sizeBytes: number } | undefined

  /** Keys that are gone already are no fault. */
  remove(keys: readonly string[]): Promise<void>

  /** In the order of the keys' bytes; `after` is the last key of the page before. */
  list(folder: string, after: string | undefined, limit: number): Promise<StoredKey[]>

  removeAll(folder: string): Promise<void>

  /** Takes away what puts have left unfinished that began before this time and were cut off. */
  removeUnfinished(before: Date): Promise<void>

  /** Refuses when nothing can be stored at present. */
  check(): Promise<void>

  /** Where a proxy on the same machine finds the file. */
  localPath?(key: string): string

  [Symbol.asyncDispose](): Promise<void>
}
