import { badForm } from './form-errors.ts'
import { hexDigit } from './percent-decoder.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const LETTERS = '"\\/bfnrtu'
const CHARACTERS = '"\\/\b\f\n\r\t'

/** Reads one JSON string after its opening quote, across chunks. */
export function jsonString(take: (bytes: Buffer) => void) {
  let decoded = Buffer.alloc(0)
  let length = 0
  let isEscaped = false
  let missingDigits = 0
  let unit = 0
  /** A high surrogate, which a low surrogate must follow. */
  let half = 0

  /** Returns the offset after the closing quote, or undefined if the string goes on in the next chunk. */
  function push(chunk: Buffer, from: number): number | undefined {
    makeRoom(chunk.length - from)
    let end: number | undefined
    for (let at = from; at < chunk.length && end === undefined; at++) {
      const byte = chunk[at] ?? 0
      if (missingDigits > 0) addDigit(byte)
      else if (isEscaped) addEscaped(byte)
      else if (byte === BACKSLASH) isEscaped = true
      else if (half !== 0) throw halfPair()
      else if (byte === QUOTE) end = at + 1
      else at = addPlain(chunk, at) - 1
    }
    take(decoded.subarray(0, length))
    return end
  }

  function makeRoom(sizeBytes: number): void {
    // A surrogate pair that began in the chunk before needs up to 4 more bytes.
    if (decoded.length < sizeBytes + 4) decoded = Buffer.allocUnsafe(sizeBytes + 4)
    length = 0
  }

  /** Copies up to the next quote or escape, and returns its offset. */
  function addPlain(chunk: Buffer, from: number): number {
    let at = from
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (byte === QUOTE || byte === BACKSLASH) break
      if (byte < 0x20) throw badString('has a raw control character')
    }
    length += chunk.copy(decoded, length, from, at)
    return at
  }

  function addEscaped(letter: number): void {
    isEscaped = false
    const index = LETTERS.indexOf(String.fromCharCode(letter))
    if (index === -1) throw badString('has a faulty escape')
    if (letter === LETTER_U) {
      missingDigits = 4
      unit = 0
    } else {
      addUnit(CHARACTERS.charCodeAt(index))
    }
  }

  function addDigit(character: number): void {
    const digit = hexDigit(character)
    if (digit === -1) throw badString('has a faulty escape')
    unit = unit * 16 + digit
    missingDigits--
    if (missingDigits === 0) addUnit(unit)
  }

  /** Adds one UTF-16 code unit, or keeps a high surrogate for its other half. */
  function addUnit(added: number): void {
    const isSecondHalf = added >= 0xdc00 && added <= 0xdfff
    if (isSecondHalf !== (half !== 0)) throw halfPair()
    if (added >= 0xd800 && added <= 0xdbff) {
      half = added
    } else {
      length += decoded.write(
        isSecondHalf ? String.fromCharCode(half, added) : String.fromCharCode(added),
        length,
      )
      half = 0
    }
  }

  return push
}

const badString = (fault: string) => badForm(`The body is not valid JSON: a string ${fault}.`)
const halfPair = () => badString('has half a surrogate pair')
