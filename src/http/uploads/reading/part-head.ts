import { mediaTypeOf } from '../../requests/headers.ts'
import { badMultipart } from './form-errors.ts'

/** The headers of a part of a form. */
export interface PartHead {
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
export function readPartHead(text: string): PartHead {
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
