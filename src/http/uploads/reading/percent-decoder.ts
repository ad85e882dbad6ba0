import type { Refusal } from '../../../lib/refusal.ts'

const PERCENT = 0x25
const PLUS = 0x2b
const SPACE = 0x20

/** Percent-decodes a URI or a form (where a plus sign is a space), across chunks. */
export function percentDecoder(dialect: 'uri' | 'form') {
  const plus = dialect === 'form' ? SPACE : PLUS
  let decoded = Buffer.alloc(0)
  let missingDigits = 0
  let firstDigit = 0

  /** The bytes returned are overwritten by the next call. */
  function decode(piece: Buffer, refuse: () => Refusal): Buffer {
    const hasPlus = plus !== PLUS && piece.includes(PLUS)
    if (missingDigits === 0 && !hasPlus && !piece.includes(PERCENT)) return piece
    if (decoded.length < piece.length) decoded = Buffer.allocUnsafe(piece.length)
    // Hot loop over millions of bytes: local variables are much faster than variables of the closure.
    const target = decoded
    let length = 0
    let missing = missingDigits
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0
      if (missing > 0) {
        const digit = hexDigit(byte)
        if (digit === -1) throw refuse()
        missing--
        if (missing === 0) target[length++] = firstDigit * 16 + digit
        else firstDigit = digit
      } else if (byte === PERCENT) {
        missing = 2
      } else {
        target[length++] = byte === PLUS ? plus : byte
      }
    }
    missingDigits = missing
    return target.subarray(0, length)
  }

  function end(refuse: () => Refusal): void {
    if (missingDigits > 0) throw refuse()
  }

  return { decode, end }
}

/** The value of a hexadecimal digit, or -1 for any other character. */
export function hexDigit(character: number): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30
  const lower = character | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
