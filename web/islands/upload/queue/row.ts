import type { UploadedFile } from '../../../../src/common/wire.ts'

/**
 * - `waiting`: for its turn, or for a connection.
 * - `failed`: the server could not be reached or failed; it can be tried again.
 * - `refused`: the server, or this page, does not take the file.
 * - `lost`: the bytes could not be kept, and the page was left: the person must choose the file again.
 */
export type State = 'waiting' | 'sending' | 'done' | 'failed' | 'refused' | 'lost'

export type Options = Readonly<Record<string, string>>

/** What is kept of a file in the queue. */
export interface Row {
  /** Also the Idempotency-Key: sent twice, the file is stored once. */
  id: string
  owner: string
  /** The page that sends it. */
  tab: string
  order: number
  name: string
  size: number
  /** A file that the server fetches. */
  url?: string
  options: Options
  state: State
  reason?: string
  /** The bytes are in the browser's storage, or need not be. */
  isKept: boolean
  /** Where a large upload goes on. */
  resumeAt?: string
  file?: UploadedFile
}

/** A row on this page. */
export interface Item {
  /** Replaced with every change. */
  row: Row
  bytes: Blob | undefined
  /** Bytes that the server has. */
  sent: number
  /** Bytes a second. */
  speed: number
  tries: number
  cancel?: () => void
}

export const newItem = (row: Row, bytes?: Blob): Item => ({
  row,
  bytes,
  sent: 0,
  speed: 0,
  tries: 0,
})

/** 128 random bits. `crypto.randomUUID` is missing on plain http. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('')

export const isOpen = ({ state }: Row): boolean => state === 'waiting' || state === 'sending'
