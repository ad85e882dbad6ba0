import { notDecodable } from '../errors.ts'
import type { Bytes } from './bytes.ts'

export interface TiffEntry {
  tag: number
  type: number
  count: number
  /** The offset of the value. */
  at: number
  length: number
  isInline: boolean
  raw: Buffer
}

export interface TiffDirectory {
  /** A page, or the type of pointer that refers to the directory. */
  role: 'page' | 'sub' | 'exif' | 'gps' | 'interoperability'
  at: number
  end: number
  entries: TiffEntry[]
  /** The pointer to the next page, which follows the entries; empty if the file is truncated there. */
  tail: Buffer
}

export interface Tiff {
  isLittleEndian: boolean
  /** BigTIFF, with offsets of eight bytes. */
  isBig: boolean
  directories: TiffDirectory[]
}

export const POINTERS = { sub: 0x014a, exif: 0x8769, gps: 0x8825, interoperability: 0xa005 } as const

const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
/** Text in UTF-8, since Exif 3.0. */
const UTF8 = 129
const MAX_SUB_DIRECTORIES = 64

type Layout = Pick<Tiff, 'isLittleEndian' | 'isBig'>

export function isTiff(head: Buffer): boolean {
  return ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(head.toString('latin1', 0, 4))
}

/** Every directory that can be reached, each once. Pointers outside of the file are ignored. */
export function readTiff(bytes: Bytes, maxPages = 64): Tiff {
  if (bytes.size < 8 || !isTiff(bytes.read(0, 4))) throw notDecodable('not a TIFF structure')
  const isLittleEndian = bytes.read(0, 1)[0] === 0x49
  const isBig = readNumber(bytes.read(2, 2), 0, 2, isLittleEndian) === 43
  const tiff: Tiff = { isLittleEndian, isBig, directories: [] }

  const seen = new Set<number>()
  const offsetBytes = isBig ? 8 : 4
  let next = isBig ? readAt(bytes, tiff, 8, 8) : readAt(bytes, tiff, 4, 4)
  for (let pages = 0; next !== 0 && pages < maxPages; pages++) {
    const page = readWithChildren(bytes, tiff, { at: next, role: 'page' }, seen)
    if (page === undefined || page.tail.length < offsetBytes) break
    next = readNumber(page.tail, 0, offsetBytes, isLittleEndian)
  }
  return tiff
}

/** The first integers of an entry, at most `limit`. */
export function numbersOf(bytes: Bytes, tiff: Layout, entry: TiffEntry, limit = 1): number[] {
  const width = TYPE_BYTES[entry.type] ?? 0
  if (width === 0 || width > 8 || entry.at + Math.min(entry.count, limit) * width > bytes.size) return []
  const count = Math.min(entry.count, limit)
  return Array.from({ length: count }, (_, index) => readAt(bytes, tiff, entry.at + index * width, width))
}

function readWithChildren(
  bytes: Bytes,
  tiff: Tiff,
  { at, role }: Pick<TiffDirectory, 'at' | 'role'>,
  seen: Set<number>,
): TiffDirectory | undefined {
  if (seen.has(at)) return undefined
  seen.add(at)
  const directory = readDirectory(bytes, tiff, at, role)
  if (directory === undefined) return undefined
  tiff.directories.push(directory)
  for (const entry of directory.entries) {
    const child = roleOf(entry.tag)
    if (child === undefined) continue
    for (const childAt of numbersOf(bytes, tiff, entry, MAX_SUB_DIRECTORIES)) {
      // Directories of real files nest three deep: page, Exif, interoperability.
      if (seen.size < 100_000) readWithChildren(bytes, tiff, { at: childAt, role: child }, seen)
    }
  }
  return directory
}

function roleOf(tag: number): keyof typeof POINTERS | undefined {
  const names = Object.keys(POINTERS) as (keyof typeof POINTERS)[]
  return names.find((name) => POINTERS[name] === tag)
}

function readDirectory(
  bytes: Bytes,
  tiff: Layout,
  at: number,
  role: TiffDirectory['role'],
): TiffDirectory | undefined {
  const [countBytes, entryBytes, tailBytes] = tiff.isBig ? [8, 20, 8] : [2, 12, 4]
  if (at < 8 || at + countBytes > bytes.size) return undefined
  const claimed = readAt(bytes, tiff, at, countBytes)
  const start = at + countBytes
  const count = Math.min(claimed, Math.floor((bytes.size - start) / entryBytes), 65_535)
  const entries = Array.from({ length: count }, (_, index) =>
    readEntry(bytes, tiff, start + index * entryBytes),
  )
  const entriesEnd = start + count * entryBytes
  const end = Math.min(entriesEnd + tailBytes, bytes.size)
  return { role, at, end, entries, tail: bytes.read(entriesEnd, end - entriesEnd) }
}

function readEntry(bytes: Bytes, tiff: Layout, at: number): TiffEntry {
  const [entryBytes, wide] = tiff.isBig ? [20, 8] : [12, 4]
  const raw = bytes.read(at, entryBytes)
  const type = readNumber(raw, 2, 2, tiff.isLittleEndian)
  const count = readNumber(raw, 4, wide, tiff.isLittleEndian)
  const length = count * (type === UTF8 ? 1 : (TYPE_BYTES[type] ?? 0))
  const isInline = length <= wide
  return {
    tag: readNumber(raw, 0, 2, tiff.isLittleEndian),
    type,
    count,
    at: isInline ? at + 4 + wide : readNumber(raw, 4 + wide, wide, tiff.isLittleEndian),
    length,
    isInline,
    raw,
  }
}

function readAt(bytes: Bytes, { isLittleEndian }: Layout, at: number, width: number): number {
  return readNumber(bytes.read(at, width), 0, width, isLittleEndian)
}

function readNumber(buffer: Buffer, at: number, width: number, isLittleEndian: boolean): number {
  if (width === 8) {
    return Number(isLittleEndian ? buffer.readBigUInt64LE(at) : buffer.readBigUInt64BE(at))
  }
  return isLittleEndian ? buffer.readUIntLE(at, width) : buffer.readUIntBE(at, width)
}
