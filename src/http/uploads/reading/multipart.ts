import { mediaTypeOf } from '../../requests/headers.ts'
import { isSourceField } from '../source/source-fields.ts'
import { droppedField, type Field, type FieldWriter, type FormParser, type OpenField } from './field.ts'
import { badForm, badMultipart } from './form-errors.ts'

const MOST_PARTS = 128
const MOST_HEAD_BYTES = 8192
const HEAD_END = '\r\n\r\n'
const BOUNDARY = /;[\t ]*boundary=(?:"([^"\\]{1,70})"|([^\t ;,"\\]{1,70}))[\t ]*(?:;|$)/i

/** Reads multipart/form-data as a stream, for texts and files alike. */
export function multipartParser(openField: OpenField, contentType: string): FormParser {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
  let state: 'value' | 'head' | 'done' = 'value'
  // The preamble before the first delimiter is dropped. That delimiter may stand at the very start, without a line break.
  let writer: FieldWriter = droppedField
  let held: Buffer = Buffer.from('\r\n')
  let head = ''
  let parts = 0

  /** Returns the rest of the chunk after the value, or an empty buffer. */
  function readValue(chunk: Buffer): Buffer {
    if (held.length > 0) return readHeld(chunk)
    const end = chunk.indexOf(delimiter)
    if (end !== -1) return endValue(chunk, end)
    passOn(chunk)
    return noBytes
  }

  /** The held bytes may be the beginning of a delimiter, which the next bytes decide. */
  function readHeld(chunk: Buffer): Buffer {
    const joint = Buffer.concat([held, chunk.subarray(0, delimiter.length - 1)])
    const end = joint.indexOf(delimiter)
    const heldBytes = held.length
    held = noBytes
    if (end !== -1) {
      endValue(joint, end)
      return chunk.subarray(end + delimiter.length - heldBytes)
    }
    if (chunk.length < delimiter.length) {
      passOn(joint)
      return noBytes
    }
    writer.push(joint.subarray(0, heldBytes))
    return chunk
  }

  /** Passes on all bytes but the last ones that may begin a delimiter. */
  function passOn(bytes: Buffer): void {
    const begun = beginningAtEnd(bytes, delimiter)
    if (begun < bytes.length) writer.push(bytes.subarray(0, bytes.length - begun))
    if (begun > 0) held = Buffer.from(bytes.subarray(bytes.length - begun))
  }

  function endValue(bytes: Buffer, end: number): Buffer {
    if (end > 0) writer.push(bytes.subarray(0, end))
    writer.end()
    state = 'head'
    head = ''
    return bytes.subarray(end + delimiter.length)
  }

  function readHead(chunk: Buffer): Buffer {
    const readBytes = head.length
    head += chunk.toString('latin1', 0, MOST_HEAD_BYTES + HEAD_END.length)
    if (head.startsWith('--')) {
      state = 'done'
      return noBytes
    }
    const end = head.indexOf(HEAD_END)
    if ((end === -1 ? head.length : end) > MOST_HEAD_BYTES)
      throw badForm(`The headers of a part are longer than ${MOST_HEAD_BYTES} bytes.`)
    if (end === -1) return noBytes
    beginPart(readPartHead(head.slice(0, end)))
    return chunk.subarray(end + HEAD_END.length - readBytes)
  }

  function beginPart(part: PartHead): void {
    parts += 1
    if (parts > MOST_PARTS) throw badForm(`The form has more than ${MOST_PARTS} parts.`)
    const field = fieldOf(part)
    writer = field ? openField(field) : droppedField
    state = 'value'
  }

  return {
    push(chunk) {
      let rest = chunk
      while (rest.length > 0 && state !== 'done') rest = state === 'head' ? readHead(rest) : readValue(rest)
    },
    end() {
      if (state !== 'done') throw badMultipart()
    },
  }
}

const noBytes = Buffer.alloc(0)

/** The number of bytes at the end that are a beginning of the delimiter. */
function beginningAtEnd(bytes: Buffer, delimiter: Buffer): number {
  const from = Math.max(0, bytes.length - delimiter.length + 1)
  for (
    let at = bytes.indexOf(delimiter[0] ?? 0, from);
    at !== -1;
    at = bytes.indexOf(delimiter[0] ?? 0, at + 1)
  ) {
    const length = bytes.length - at
    if (bytes.compare(delimiter, 0, length, at) === 0) return length
  }
  return 0
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw badForm('The content type must name a boundary of 1 to 70 characters.')
  return boundary
}

/** Undefined for a part that is dropped: one without a name, or a file that is not the source. */
function fieldOf({ name, fileName, type }: PartHead): Field | undefined {
  if (name === undefined) return undefined
  if (isSourceField(name)) return { name, isFile: !!fileName || !type.startsWith('text/'), fileName }
  return fileName ? undefined : { name, isFile: false, fileName: undefined }
}

/** The headers of a part of a form. */
interface PartHead {
  /** Undefined for a part that is not a form field. */
  name: string | undefined
  /** Without folders. */
  fileName: string | undefined
  /** The media type, in lower case. */
  type: string
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*(.*)$/
const PARAMETER = /;[\t ]*([^\t ;="*]+)(\*?)[\t ]*=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g

/** Parses the text between a delimiter and a value, one character for each byte (latin1). */
function readPartHead(text: string): PartHead {
  // White space after the delimiter and folded lines (RFC 5322, 2.2.3) have no meaning.
  const [padding = '', ...lines] = text.replaceAll(/\r\n(?=[\t ])/g, '').split('\r\n')
  if (padding.trim() !== '') throw badMultipart()
  const headers = new Map(lines.map(readHeader))
  const disposition = headers.get('content-disposition') ?? ''
  const isField = /^form-data[\t ]*(;|$)/i.test(disposition)
  const parameters = new Map(isField ? readParameters(disposition) : [])
  return {
    name: parameters.get('name'),
    fileName: withoutFolders(parameters.get('filename*') ?? parameters.get('filename')),
    type: mediaTypeOf(headers.get('content-type')) || 'text/plain',
  }
}

function readHeader(line: string): [string, string] {
  const [, name, value] = HEADER.exec(line) ?? []
  if (name === undefined || value === undefined) throw badMultipart()
  return [name.toLowerCase(), value]
}

function readParameters(header: string): [string, string][] {
  return [...header.matchAll(PARAMETER)].map(([, name = '', star = '', quoted, plain = '']) => {
    const value = quoted === undefined ? plain.trim() : quoted.replaceAll(/\\(["\\])/g, '$1')
    return [name.toLowerCase() + star, star === '' ? inUtf8(value) : readExtended(value)]
  })
}

/** RFC 8187: `charset'language'value`; the language is ignored. */
function readExtended(value: string): string {
  const [charset = '', , ...rest] = value.split("'")
  const bytes = rest
    .join("'")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return /^iso-8859-1$/i.test(charset) ? bytes : inUtf8(bytes)
}

const inUtf8 = (bytes: string) => Buffer.from(bytes, 'latin1').toString()

/** Some clients send the whole path. Browsers escape the quotation mark as %22 and nothing else that we decode. */
function withoutFolders(name: string | undefined): string | undefined {
  const last = name?.split(/[/\\]/).at(-1)?.replaceAll('%22', '"')
  return last === '.' || last === '..' ? '' : last
}
