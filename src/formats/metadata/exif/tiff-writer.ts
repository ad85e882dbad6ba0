import type { Bytes } from '../../containers/bytes.ts'
import { POINTERS, type Tiff, type TiffDirectory } from '../../containers/tiff-directories.ts'

/** Longer values are not copied: they are pixels, tables or thumbnails. */
const MAX_VALUE_BYTES = 65_536

export interface NewEntry {
  tag: number
  type: number
  count: number
  /** In the byte order of the file that is written. */
  value: Buffer
}

interface WrittenDirectory {
  table: Buffer
  values: Buffer[]
}

/** Copies the metadata of a TIFF file to an Exif structure of a few kilobytes. */
export function rebuildExif(bytes: Bytes, tiff: Tiff): Buffer {
  const find = (wanted: TiffDirectory['role']) => tiff.directories.find(({ role }) => role === wanted)
  const children = (['exif', 'gps'] as const).flatMap((role) => {
    const directory = find(role)
    return directory === undefined
      ? []
      : [{ pointer: POINTERS[role], entries: copyEntries(bytes, directory) }]
  })
  const page = find('page')
  return writeTiff(page === undefined ? [] : copyEntries(bytes, page), children, tiff.isLittleEndian)
}

/** Writes a TIFF structure without pixels: one directory, and the directories that it points to. */
export function writeTiff(
  entries: NewEntry[],
  children: { pointer: number; entries: NewEntry[] }[] = [],
  isLittleEndian = false,
): Buffer {
  const number = (value: number, width: 2 | 4) => {
    const bytes = Buffer.alloc(width)
    if (isLittleEndian) bytes.writeUIntLE(value, 0, width)
    else bytes.writeUIntBE(value, 0, width)
    return bytes
  }

  const writeDirectory = (list: NewEntry[], at: number): WrittenDirectory => {
    const sorted = [...list].sort((one, other) => one.tag - other.tag)
    let next = at + 2 + 12 * sorted.length + 4
    const values: Buffer[] = []
    const rows = sorted.map(({ tag, type, count, value }) => {
      const head = [number(tag, 2), number(type, 2), number(count, 4)]
      if (value.length <= 4) return Buffer.concat([...head, value, Buffer.alloc(4 - value.length)])
      const row = Buffer.concat([...head, number(next, 4)])
      const padded = value.length % 2 === 0 ? value : Buffer.concat([value, Buffer.alloc(1)])
      values.push(padded)
      next += padded.length
      return row
    })
    return { table: Buffer.concat([number(sorted.length, 2), ...rows, number(0, 4)]), values }
  }

  const header = Buffer.concat([Buffer.from(isLittleEndian ? 'II' : 'MM'), number(42, 2), number(8, 4)])
  const pointers = (offsets: number[]) =>
    children.map(({ pointer }, index) => ({
      tag: pointer,
      type: 4,
      count: 1,
      value: number(offsets[index] ?? 0, 4),
    }))
  const lengthOf = ({ table, values }: WrittenDirectory) =>
    table.length + values.reduce((sum, { length }) => sum + length, 0)

  let at = 8 + lengthOf(writeDirectory([...entries, ...pointers([])], 8))
  const offsets: number[] = []
  const written = children.map((child) => {
    const directory = writeDirectory(child.entries, at)
    offsets.push(at)
    at += lengthOf(directory)
    return directory
  })
  const root = writeDirectory([...entries, ...pointers(offsets)], 8)
  return Buffer.concat([header, ...[root, ...written].flatMap(({ table, values }) => [table, ...values])])
}

function copyEntries(bytes: Bytes, { entries }: TiffDirectory): NewEntry[] {
  const isPointer = (tag: number) => Object.values<number>(POINTERS).includes(tag)
  return entries
    .filter(
      ({ tag, at, length }) => !isPointer(tag) && length <= MAX_VALUE_BYTES && at + length <= bytes.size,
    )
    .map(({ tag, type, count, at, length }) => ({
      tag,
      type,
      count,
      value: Buffer.from(bytes.read(at, length)),
    }))
}
