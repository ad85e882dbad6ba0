import { badForm } from './form-errors.ts'
import { hexDigit } from './hex-digit.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const LETTERS = '"\\/bfnrtu'
const CHARACTERS = '"\\/\b\f\n\r\t'

/** Reads one JSON string behind its opening quote, wherever the chunks are cut. */
export function jsonString(take: (bytes: Buffer) => void) {
  let decoded = Buffer.alloc(0)
  let length = 0
  let isEscaped = false
  let missingDigits = 0
  let unit = 0
  /** The first half of a surrogate pair, which its second half must follow. */
  let half = 0

  /** Returns where the string goes on behind its closing quote, or undefined when the next chunk has more of it. */
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
    // A pair that ends in this chunk is longer than what the chunk has of it.
    if (decoded.length < sizeBytes + 4) decoded = Buffer.allocUnsafe(sizeBytes + 4)
    length = 0
  }

  /** Copies up to the next quote or escape; returns where that is. */
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

  /** Adds one unit of UTF-16, or keeps it for its other half. */
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
