import { badBase64 } from './form-errors.ts'

const WHITE_SPACE = /[\t\n\f\r ]+/g

/** Decodes base64 of either alphabet, padded or not, from pieces of any length. */
export function base64Decoder(write: (bytes: Uint8Array) => void, isSpacePlus: boolean) {
  /** Up to three characters of an incomplete group of four. */
  let rest = ''
  let padding = ''

  function push(text: string): void {
    const end = padding === '' ? text.indexOf('=') : 0
    decode(end === -1 ? text : text.slice(0, end))
    if (end === -1) return
    padding += text.slice(end).replaceAll(WHITE_SPACE, '')
    if (!/^={1,2}$/.test(padding)) throw badBase64()
  }

  function decode(text: string): void {
    const characters = rest + standardAlphabet(text, isSpacePlus)
    // A new buffer each time, because `write` takes ownership.
    const decoded = Buffer.allocUnsafe(Math.ceil(characters.length / 4) * 3)
    const { read, written } = orBadBase64(() =>
      decoded.setFromBase64(characters, { lastChunkHandling: 'stop-before-partial' }),
    )
    rest = characters.slice(read).replaceAll(WHITE_SPACE, '')
    if (written > 0) write(decoded.subarray(0, written))
  }

  function end(): void {
    const last = padding === '' && rest !== '' ? rest.padEnd(4, '=') : rest + padding
    // Text that is not base64 mostly fails here, because of bits that are left over.
    const bytes = orBadBase64(() => Uint8Array.fromBase64(last, { lastChunkHandling: 'strict' }))
    if (bytes.length > 0) write(bytes)
  }

  return { push, end }
}

function standardAlphabet(text: string, isSpacePlus: boolean): string {
  let standard = text
  // `includes` is much faster than a `replaceAll` without a match.
  if (standard.includes('-')) standard = standard.replaceAll('-', '+')
  if (standard.includes('_')) standard = standard.replaceAll('_', '/')
  // Forms decode an unescaped plus sign to a space.
  if (isSpacePlus && standard.includes(' ')) standard = standard.replaceAll(' ', '+')
  return standard
}

function orBadBase64<T>(decode: () => T): T {
  try {
    return decode()
  } catch (error) {
    throw error instanceof SyntaxError ? badBase64(error) : error
  }
}
