import { createHash } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Bytes } from './bytes.ts'

const PIECE_BYTES = 1_048_576

/** Replaces the bytes from `start` up to and without `end`. The changes of a file are a list of edits. */
export interface Edit {
  start: number
  end: number
  bytes: Buffer
}

export interface WrittenFile {
  path: string
  sizeBytes: number
  md5: string
}

export function removal(start: number, end: number): Edit {
  return { start, end, bytes: Buffer.alloc(0) }
}

export function blank(start: number, end: number): Edit {
  return { start, end, bytes: Buffer.alloc(end - start) }
}

/** A part of data that is split over several places of a file. */
export interface Part {
  at: number
  data: Buffer
}

/** Joins the parts, changes the data, and splits it again; each part keeps its offset and length. */
export function editJoined(parts: readonly Part[], change: (whole: Buffer) => Buffer | undefined): Edit[] {
  const changed = change(Buffer.concat(parts.map(({ data }) => data)))
  if (changed === undefined) return []
  let done = 0
  return parts.flatMap(({ at, data }) => {
    const part = changed.subarray(done, done + data.length)
    done += data.length
    return part.equals(data) ? [] : [{ start: at, end: at + data.length, bytes: part }]
  })
}

/** The edits of a part of a file, with offsets in the file. */
export const shiftedBy = (offset: number, edits: readonly Edit[]): Edit[] =>
  edits.map(({ start, end, bytes }) => ({ start: start + offset, end: end + offset, bytes }))

/** Sorts the edits. If two overlap, which only happens in forged files, the second is dropped. */
export function withoutOverlaps(edits: readonly Edit[]): Edit[] {
  let done = 0
  const inOrder = [...edits].sort((one, other) => one.start - other.start)
  return inOrder.filter((edit) => {
    if (edit.start < done) return false
    done = edit.end
    return true
  })
}

/** Applies edits that are sorted and do not overlap. */
export function editBuffer(buffer: Buffer, edits: readonly Edit[]): Buffer {
  const pieces: Buffer[] = []
  let at = 0
  for (const edit of edits) {
    pieces.push(buffer.subarray(at, edit.start), edit.bytes)
    at = edit.end
  }
  return Buffer.concat([...pieces, buffer.subarray(at)])
}

/** Writes a new file: the source with its edits, which are sorted and do not overlap. */
export function writeEdited(source: Bytes, edits: readonly Edit[], path: string): WrittenFile {
  const target = openSync(path, 'wx', 0o640)
  const hash = createHash('md5')
  const piece = Buffer.allocUnsafe(source.whole ? 0 : Math.min(PIECE_BYTES, source.size))
  let sizeBytes = 0
  const write = (bytes: Buffer) => {
    for (let done = 0; done < bytes.length; ) done += writeSync(target, bytes, done)
    hash.update(bytes)
    sizeBytes += bytes.length
  }
  const copy = (start: number, end: number) => {
    if (source.whole) return write(source.whole.subarray(start, end))
    for (let at = start; at < end; at += PIECE_BYTES) {
      const part = piece.subarray(0, Math.min(PIECE_BYTES, end - at))
      source.readInto(part, at)
      write(part)
    }
  }

  try {
    let at = 0
    for (const edit of edits) {
      copy(at, edit.start)
      write(edit.bytes)
      at = edit.end
    }
    copy(at, source.size)
  } finally {
    closeSync(target)
  }
  return { path, sizeBytes, md5: hash.digest('hex') }
}
