/** Record types: GPS, and unused. */
const GPS_INFO = 0x2b
const FREE = 0
const RECORD_BYTES = 32
const HEADER_BYTES = 64

/** A copy of a thermal camera's data without its GPS records, of equal length; undefined if it has none. */
export function withoutFlirLocation(file: Buffer): Buffer | undefined {
  const records = recordsOf(file)
  // Data that cannot be parsed may contain a location, so it is blanked.
  if (records === undefined) return file.every((byte) => byte === 0) ? undefined : Buffer.alloc(file.length)
  const found = records.filter(({ type }) => type === GPS_INFO)
  if (found.length === 0) return undefined
  const cleaned = Buffer.from(file)
  for (const { entryAt, at, length } of found) {
    cleaned.writeUInt16BE(FREE, entryAt)
    cleaned.fill(0, at, at + length)
  }
  return cleaned
}

interface FlirRecord {
  type: number
  entryAt: number
  at: number
  length: number
}

/** The records of an FFF file. Its byte order is not declared: it is the one that gives a plausible version. */
function recordsOf(file: Buffer): FlirRecord[] | undefined {
  if (file.length < HEADER_BYTES || !/^[AF]FF\0/.test(file.toString('latin1', 0, 4))) return undefined
  const isBigEndian = isVersion(file.readUInt32BE(20))
  if (!isBigEndian && !isVersion(file.readUInt32LE(20))) return undefined
  const long = (at: number) => (isBigEndian ? file.readUInt32BE(at) : file.readUInt32LE(at))
  const [tableAt, count] = [long(24), long(28)]
  if (tableAt + count * RECORD_BYTES > file.length) return undefined
  return Array.from({ length: count }, (_, index) => {
    const entryAt = tableAt + index * RECORD_BYTES
    const type = isBigEndian ? file.readUInt16BE(entryAt) : file.readUInt16LE(entryAt)
    return { type, entryAt, at: long(entryAt + 12), length: long(entryAt + 16) }
  })
}

const isVersion = (value: number) => value >= 100 && value < 200
