const latest = 900_000_000_000_000

/** The position of a new file: before all older ones. Positions are compared by bytes; files with equal ones by id. */
export const newestFirst = (createdAt: Date): string => String(latest - createdAt.getTime()).padStart(15, '0')

/** In the order of bytes. */
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base = BigInt(digits.length)

/** A longer position is not given: then the files around it get new positions too. */
export const longestPosition = 40

/**
 * Positions between two others, evenly spread and as short as they can be; undefined if there is no room. Texts are read as
 * fractions in base 62, so there is room between any two that differ by more than zeros at the end.
 */
export function positionsBetween(
  low: string | undefined,
  high: string | undefined,
  count: number,
): string[] | undefined {
  for (let length = 1; length <= longestPosition; length += 1) {
    const from = low === undefined ? 0n : numberOf(low, length)
    const to = high === undefined ? base ** BigInt(length) : numberOf(high, length)
    const room = to - from
    if (room <= BigInt(count)) continue
    return Array.from({ length: count }, (_, index) =>
      textOf(from + (room * BigInt(index + 1)) / BigInt(count + 1), length),
    )
  }
  return undefined
}

/** The first digits of a text as a number. */
function numberOf(text: string, length: number): bigint {
  let number = 0n
  for (let index = 0; index < length; index += 1)
    number = number * base + BigInt(Math.max(0, digits.indexOf(text.charAt(index) || '0')))
  return number
}

function textOf(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= base) text = digits.charAt(Number(rest % base)) + text
  // Zeros at the end change nothing but the room behind a position.
  return text.replace(/0+$/, '')
}
