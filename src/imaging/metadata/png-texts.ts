import { deflateSync, inflateSync } from 'node:zlib'

/** More text than this is not read, so that a small file cannot unfold into a large one. */
const MAX_TEXT_BYTES = 4_194_304

/** A text chunk of a PNG: tEXt, zTXt or iTXt. */
export interface PngText {
  keyword: string
  /** Undefined when it cannot or should not be unpacked. */
  text: Buffer | undefined
  /** The chunk's data with another text in it. */
  write(text: Buffer): Buffer
}

export function readPngText(type: string, data: Buffer): PngText {
  const keywordEnd = data.indexOf(0)
  const keyword = data.toString('latin1', 0, keywordEnd === -1 ? Math.min(data.length, 80) : keywordEnd)
  const textAt = keywordEnd === -1 ? undefined : startOfText(type, data, keywordEnd + 1)
  if (textAt === undefined) return { keyword, text: undefined, write: (text) => text }

  const isPacked = type === 'zTXt' || (type === 'iTXt' && data[keywordEnd + 1] === 1)
  const body = data.subarray(textAt)
  return {
    keyword,
    text: isPacked ? unpack(body) : body,
    write: (text) => Buffer.concat([data.subarray(0, textAt), isPacked ? deflateSync(text) : text]),
  }
}

/** "Raw profile type exif" and its like: the name, the length and the bytes in hexadecimal, in lines. */
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

/** After the flags, and in iTXt after language and translated keyword. */
function startOfText(type: string, data: Buffer, at: number): number | undefined {
  if (type === 'tEXt') return at
  if (type === 'zTXt') return at + 1 <= data.length ? at + 1 : undefined
  const languageEnd = data.indexOf(0, at + 2)
  const translatedEnd = languageEnd === -1 ? -1 : data.indexOf(0, languageEnd + 1)
  return translatedEnd === -1 ? undefined : translatedEnd + 1
}

function unpack(packed: Buffer): Buffer | undefined {
  try {
    return inflateSync(packed, { maxOutputLength: MAX_TEXT_BYTES })
  } catch {
    // Too long or damaged: whoever asks treats it as unreadable.
    return undefined
  }
}
