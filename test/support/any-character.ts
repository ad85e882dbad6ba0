import fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogates = 0x800
const count = 0x110000 - surrogates
const firstPrintable = 0x20

/**
 * Any character of Unicode, from the printable ones of ASCII on, as the unit of a `fc.string`. The unit `binary` of fast-check
 * builds a map of a million entries, which takes more than a second of CPU in each worker.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: count - 1 }).map(
  (index) => {
    const code = (index + firstPrintable) % count
    return String.fromCodePoint(code < firstSurrogate ? code : code + surrogates)
  },
  (value) => {
    const code = typeof value === 'string' ? value.codePointAt(0) : undefined
    if (code === undefined || value !== String.fromCodePoint(code)) throw new Error('This is no character.')
    if (code >= firstSurrogate && code < firstSurrogate + surrogates)
      throw new Error('This is half a character.')
    return ((code < firstSurrogate ? code : code - surrogates) - firstPrintable + count) % count
  },
)
