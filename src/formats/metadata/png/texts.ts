import { deflateSync, inflateSync } from 'node:zlib'

/** Longer text is not decompressed, so that a small file cannot expand to a large one. */
const MAX_TEXT_BYTES = 4_194_304

/** A text chunk of a PNG: tEXt, zTXt or iTXt. */
export interface PngText {
  keyword: string
  /** The keyword, and in iTXt the language and the translated keyword. */
  head: Buffer
  /** Undefined if it cannot be decompressed, or is too long. */
  text: Buffer | undefined
  /** The chunk's data with the text replaced. */
  write(text: Buffer): Buffer
}

export function readPngText(type: string, data: Buffer): PngText {
  const keywordEnd = data.indexOf(0)
  const keyword = data.toString('latin1', 0, keywordEnd === -1 ? Math.min(data.length, 80) : keywordEnd)
  const textAt = keywordEnd === -1 ? undefined : startOfText(type, data, keywordEnd + 1)
  if (textAt === undefined) return { keyword, head: data, text: undefined, write: (text) => text }

  const isCompressed = type === 'zTXt' || (type === 'iTXt' && data[keywordEnd + 1] === 1)
  const body = data.subarray(textAt)
  return {
    keyword,
    head: data.subarray(0, textAt),
    text: isCompressed ? decompress(body) : body,
    write: (text) => Buffer.concat([data.subarray(0, textAt), isCompressed ? deflateSync(text) : text]),
  }
}

/** The text under "Raw profile type exif" and the like: the name, the length, and the bytes in lines of hexadecimal. */
export function readRawProfile(text: Buffer): { bytes: Buffer; write(bytes: Buffer): Buffer } | undefined {
  const match = /^\s*[a-z0-9]+\s+\d+\s+/i.exec(text.toString('latin1', 0, 200))
  if (match === null) return undefined
  const head = match[0]
  const lines = text.toString('latin1', head.length)
  const hex = lines.replace(/\s+/g, '')
  if (hex.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(hex)) return undefined
  return {
    bytes: Buffer.from(hex, 'hex'),
    write(bytes) {
      const digits = bytes.toString('hex')
      let at = 0
      return Buffer.from(head + lines.replace(/[0-9a-f]/gi, () => digits.charAt(at++)), 'latin1')
    },
  }
}

/** The text follows the flags, and in iTXt also the language and the translated keyword. */
function startOfText(type: string, data: Buffer, at: number): number | undefined {
  if (type === 'tEXt') return at
  if (type === 'zTXt') return at + 1 <= data.length ? at + 1 : undefined
  const languageEnd = data.indexOf(0, at + 2)
  const translatedEnd = languageEnd === -1 ? -1 : data.indexOf(0, languageEnd + 1)
  return translatedEnd === -1 ? undefined : translatedEnd + 1
}

function decompress(compressed: Buffer): Buffer | undefined {
  try {
    return inflateSync(compressed, { maxOutputLength: MAX_TEXT_BYTES })
  } catch {
    // Too long or damaged: callers treat it as unreadable.
    return undefined
  }
}
