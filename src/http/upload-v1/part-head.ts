import { mediaTypeOf } from '../media-type.ts'
import { badMultipart } from './form-errors.ts'

/** What a part of a form says about itself. */
export interface PartHead {
  /** Undefined for a part that is no field of a form. */
  name: string | undefined
  /** Without folders. */
  fileName: string | undefined
  /** The media type, in small letters. */
  type: string
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*(.*)$/
const PARAMETER = /;[\t ]*([^\t ;="*]+)(\*?)[\t ]*=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g

/** Reads the text between a delimiter and a value, each character of which stands for one byte. */
export function readPartHead(text: string): PartHead {
  // What follows the delimiter on its own line says nothing, and neither does where a line is folded.
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

/** A name in a character set that it tells, with a language that nobody asks for. */
function readExtended(value: string): string {
  const [charset = '', , ...rest] = value.split("'")
  const bytes = rest
    .join("'")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return /^iso-8859-1$/i.test(charset) ? bytes : inUtf8(bytes)
}

const inUtf8 = (bytes: string) => Buffer.from(bytes, 'latin1').toString()

/** Some send the whole path; browsers escape the quotation mark alone of all that names can have. */
function withoutFolders(name: string | undefined): string | undefined {
  const last = name?.split(/[/\\]/).at(-1)?.replaceAll('%22', '"')
  return last === '.' || last === '..' ? '' : last
}
