/** Headers of tar archives (POSIX.1-2017 pax, with what GNU tar writes for plain files). Bodies are read by the caller. */

export const blockBytes = 512

/** How many bytes of padding follow a body, so that the next header begins with a block. */
export const paddingOf = (sizeBytes: number): number => (blockBytes - (sizeBytes % blockBytes)) % blockBytes

/** Two blocks of zeros end an archive. */
export const endOfArchive: Buffer = Buffer.alloc(2 * blockBytes)

export interface TarHeader {
  name: string
  sizeBytes: number
  /** `extended` is a pax header, `long-name` that of GNU tar: both describe the entry that follows. */
  kind: 'file' | 'extended' | 'long-name'
}

/** Why bytes are no tar archive that we read. */
export class TarFault extends Error {}

const fault = (text: string) => new TarFault(text)

const magic = Buffer.from('ustar')
const nameBytes = 100
/** Eleven octal digits. */
const largestOctal = 0o77777777777

/** The blocks before the body of a plain file: a pax header comes first if the name or the size does not fit. */
export function tarHeader({ name, sizeBytes }: { name: string; sizeBytes: number }, at: Date): Buffer {
  const isLong = Buffer.byteLength(name) > nameBytes
  const isLarge = sizeBytes > largestOctal
  if (!isLong && !isLarge) return headerBlock({ name, sizeBytes, type: '0' }, at)
  const records = Buffer.from(
    (isLong ? paxRecord('path', name) : '') + (isLarge ? paxRecord('size', String(sizeBytes)) : ''),
  )
  return Buffer.concat([
    headerBlock({ name: 'pax-header', sizeBytes: records.length, type: 'x' }, at),
    records,
    Buffer.alloc(paddingOf(records.length)),
    headerBlock({ name: name.slice(0, nameBytes), sizeBytes: isLarge ? 0 : sizeBytes, type: '0' }, at),
  ])
}

/** The length in front counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const restBytes = Buffer.byteLength(rest)
  const digits = String(restBytes).length
  const length = restBytes + digits
  return `${String(length).length > digits ? length + 1 : length}${rest}`
}

function headerBlock(entry: { name: string; sizeBytes: number; type: '0' | 'x' }, at: Date): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, offset: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, '0'), offset, 'latin1')
  block.write(entry.name, 0, nameBytes)
  octal(0o600, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(entry.sizeBytes, 124, 11)
  octal(Math.max(0, Math.floor(at.getTime() / 1_000)), 136, 11)
  block.write(entry.type, 156)
  block.write('ustar\x0000', 257, 'latin1')
  octal(checksumOf(block), 148, 6)
  block.write('\0 ', 154, 'latin1')
  return block
}

/** Of a header whose own field is counted as eight spaces. */
function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20
  for (let at = 0; at < blockBytes; at += 1) sum += at >= 148 && at < 156 ? 0 : (block[at] ?? 0)
  return sum
}

export const isZeroBlock = (block: Buffer): boolean => block.every((byte) => byte === 0)

/** As POSIX has it: it is the one field that the sum does not cover. */
const checksumForm = /^([0-7]{6})\0 $/

/** Refuses links, folders, devices, sparse files and every other entry that is no plain file. */
export function readTarHeader(block: Buffer): TarHeader {
  if (!block.subarray(257, 262).equals(magic)) throw fault('it has no header of a tar archive')
  const sum = checksumForm.exec(block.toString('latin1', 148, 156))?.[1] ?? ''
  if (Number.parseInt(sum, 8) !== checksumOf(block)) throw fault('the checksum of its header is wrong')
  const name = nameOf(block)
  const type = String.fromCharCode(block[156] ?? 0)
  const kind = kinds[type]
  if (kind === undefined)
    throw fault(`${JSON.stringify(name.slice(0, 200))} is ${otherTypes[type] ?? 'not a plain file'}`)
  return { name, sizeBytes: numberAt(block, 124, 12), kind }
}

const kinds: Readonly<Record<string, TarHeader['kind']>> = {
  '0': 'file',
  '\0': 'file',
  x: 'extended',
  L: 'long-name',
}

const otherTypes: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '5': 'a folder',
  '6': 'a pipe',
  S: 'a sparse file',
}

/** GNU tar has other fields in place of the prefix. */
function nameOf(block: Buffer): string {
  const name = textAt(block, 0, nameBytes)
  const isPosix = block[262] === 0
  const prefix = isPosix ? textAt(block, 345, 155) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

function textAt(block: Buffer, offset: number, length: number): string {
  const field = block.subarray(offset, offset + length)
  const end = field.indexOf(0)
  return textOf(end === -1 ? field : field.subarray(0, end))
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw fault('a name in it is not UTF-8')
  }
}

/** Octal digits, or the base-256 form of GNU tar for numbers that do not fit. */
function numberAt(block: Buffer, offset: number, length: number): number {
  const field = block.subarray(offset, offset + length)
  if (field[0] === 0x80) {
    const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0)
    if (!Number.isSafeInteger(value)) throw fault('a number in its header is too large')
    return value
  }
  const digits = field
    .toString('latin1')
    .replace(/^ +/, '')
    .replace(/[ \0]+$/, '')
  if (!/^[0-7]*$/.test(digits)) throw fault('a number in its header has other characters than digits')
  return Number.parseInt(digits || '0', 8)
}

/** What a pax header says of the entry that follows it. */
export interface Extension {
  name?: string
  sizeBytes?: number
}

/** Times, owners and attributes are ignored; what would make the entry something else than a plain file is refused. */
export function readExtension(body: Buffer): Extension {
  const extension: Extension = {}
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(0x20, at)
    const digits = space === -1 ? '' : body.toString('latin1', at, Math.min(space, at + 20))
    const length = /^[1-9][0-9]{0,8}$/.test(digits) ? Number(digits) : 0
    const end = at + length
    if (length < digits.length + 3 || end > body.length || body[end - 1] !== 0x0a)
      throw fault('a record of its pax header has a wrong length')
    const record = textOf(body.subarray(space + 1, end - 1))
    const equals = record.indexOf('=')
    if (equals < 1) throw fault('a record of its pax header has no name')
    read(extension, record.slice(0, equals), record.slice(equals + 1))
    at = end
  }
  return extension
}

function read(extension: Extension, key: string, value: string): void {
  if (key === 'path') extension.name = value
  else if (key === 'size') {
    const sizeBytes = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN
    if (!Number.isSafeInteger(sizeBytes)) throw fault('the size in its pax header is not a number')
    extension.sizeBytes = sizeBytes
  } else if (key === 'linkpath' || key === 'hdrcharset' || key.startsWith('GNU.sparse.'))
    throw fault(`its pax header has "${key}", which a plain file has not`)
}

/** The body of the entry that GNU tar writes before one whose name is long. */
export const readLongName = (body: Buffer): string => textOf(body.subarray(0, body.indexOf(0) >>> 0))
