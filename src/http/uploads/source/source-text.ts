import { broken } from '../../../lib/faults.ts'
import { base64Decoder } from '../reading/base64-text.ts'
import { badBase64, badParameter } from '../reading/form-errors.ts'
import { percentDecoder } from '../reading/percent-decoder.ts'

const STARTS = ['http://', 'https://', 'data:']
const URL_START = /^https?:\/\//i
const DATA_START = /^data:/i
const DATA_HEADER_END = /;[\t\n\f\r ]*base64[\t\n\f\r ]*$/i
const LEADING_SPACE = /^[\t\n\f\r ]+/
const MOST_SPACE_LENGTH = 1024
const MOST_DATA_HEADER_LENGTH = 1024
const MOST_URL_LENGTH = 2048
const MOST_URL_BYTES = MOST_SPACE_LENGTH + 4 * MOST_URL_LENGTH

interface SourceTextOptions {
  /** Of the parameter, for messages. */
  name: string
  /** Whether a space stands for a plus sign, which forms decode to a space. */
  isSpacePlus: boolean
  /** Called with the decoded bytes. */
  write: (bytes: Uint8Array) => void
}

interface TextReader {
  push(text: string): void
  /** Returns the URL, if it is one. */
  end(): string | undefined
}

/** Reads a text that is a URL, a data URI or plain base64; its beginning decides which. */
export function sourceText(options: SourceTextOptions) {
  let start = ''
  let reader: TextReader | undefined

  return {
    push(bytes: Buffer): void {
      const text = bytes.toString('latin1')
      if (reader) {
        reader.push(text)
      } else {
        start += text
        reader = readerFor(start, options)
        reader?.push(start)
      }
    },
    end(): string | undefined {
      if (reader) return reader.end()
      const base64 = base64Reader(options)
      base64.push(start)
      return base64.end()
    },
  }
}

/** Undefined while the beginning does not decide. */
function readerFor(start: string, options: SourceTextOptions): TextReader | undefined {
  const text = start.replace(LEADING_SPACE, '')
  if (start.length - text.length > MOST_SPACE_LENGTH) return base64Reader(options)
  if (URL_START.test(text)) return urlReader(options.name)
  if (DATA_START.test(text)) return readerForData(text, options)
  const isOpen = STARTS.some((each) => each.startsWith(text.toLowerCase()))
  return isOpen ? undefined : base64Reader(options)
}

function readerForData(text: string, options: SourceTextOptions): TextReader | undefined {
  const header = text.slice(0, MOST_DATA_HEADER_LENGTH).split(',', 1).join()
  if (header === text) return undefined
  if (header.length === MOST_DATA_HEADER_LENGTH || !DATA_HEADER_END.test(header)) throw badBase64()
  return dataReader(options)
}

function base64Reader({ write, isSpacePlus }: SourceTextOptions): TextReader {
  const { push, end } = base64Decoder(write, isSpacePlus)
  return {
    push,
    end() {
      end()
      return undefined
    },
  }
}

/** In a data URI the base64 may be percent-encoded too. */
function dataReader(options: SourceTextOptions): TextReader {
  const base64 = base64Reader(options)
  const escapes = percentDecoder('uri')
  let isInHeader = true
  return {
    push(text) {
      const escaped = isInHeader ? text.slice(text.indexOf(',') + 1) : text
      isInHeader = false
      base64.push(escapes.decode(Buffer.from(escaped, 'latin1'), badBase64).toString('latin1'))
    },
    end() {
      escapes.end(badBase64)
      return base64.end()
    },
  }
}

function urlReader(name: string): TextReader {
  const tooLong = () => badParameter(name, broken('urlLength', { most: MOST_URL_LENGTH }))
  let bytes = ''
  return {
    push(text) {
      bytes += text
      if (bytes.length > MOST_URL_BYTES) throw tooLong()
    },
    end() {
      const url = Buffer.from(bytes, 'latin1').toString().trim()
      if (url.length > MOST_URL_LENGTH) throw tooLong()
      return url
    },
  }
}
