import { confirmsName } from './location/coordinates.ts'
import { withoutTextLocation } from './location/texts.ts'

const MARK = 0x1c
/** Sub-location, city, state, country and location code and name: there a single number of degrees is a location. */
const LOCATIONS = new Set([26, 27, 90, 92, 95, 100, 101])
const APPLICATION_RECORD = 2

/** A copy of IPTC-IIM records with coordinates in their texts replaced by spaces, of equal length; undefined if there are none. */
export function withoutIptcLocation(records: Buffer): Buffer | undefined {
  const cleaned = Buffer.from(records)
  const sets = dataSetsOf(records)
  for (const { record, number, start, end } of sets) {
    const data = cleaned.subarray(start, end)
    const text = withoutTextLocation(data)
    if (text !== undefined) text.copy(cleaned, start)
    const isLocation = record === APPLICATION_RECORD && LOCATIONS.has(number)
    if (isLocation && confirmsName('fine-number', data.toString('latin1'))) data.fill(' ')
  }
  const tailAt = sets.at(-1)?.end ?? 0
  withoutTextLocation(cleaned.subarray(tailAt))?.copy(cleaned, tailAt)
  return cleaned.equals(records) ? undefined : cleaned
}

interface DataSet {
  record: number
  number: number
  start: number
  end: number
}

/** The data sets, up to the first malformed one. The highest bit of a length says that it is the length of the length. */
function dataSetsOf(records: Buffer): DataSet[] {
  const sets: DataSet[] = []
  for (let at = 0; at + 5 <= records.length && records[at] === MARK; ) {
    const short = records.readUInt16BE(at + 3)
    const lengthBytes = short & 0x8000 ? short & 0x7fff : 0
    if (lengthBytes > 6 || at + 5 + lengthBytes > records.length) break
    const length = lengthBytes === 0 ? short : records.readUIntBE(at + 5, lengthBytes)
    const start = at + 5 + lengthBytes
    if (start + length > records.length) break
    sets.push({ record: records[at + 1] ?? 0, number: records[at + 2] ?? 0, start, end: start + length })
    at = start + length
  }
  return sets
}
