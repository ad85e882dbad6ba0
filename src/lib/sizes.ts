const MULTIPLES = { K: 1_000, M: 1_000_000, G: 1_000_000_000 }

/** Of 15 digits. */
export const largestWholeNumber = 999_999_999_999_999

/** Reads a whole number in canonical form: no sign, space, exponent, leading zero or rounding. */
export function parseWholeNumber(text: string): number | undefined {
  return /^(0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined
}

/** Reads a number of bytes such as 500, 20K or 100M; the letters are powers of 1000. */
export function parseSize(text: string): number | undefined {
  const [, digits = '', letter] = /^([0-9]+)([KMG])?$/.exec(text) ?? []
  const count = parseWholeNumber(digits)
  if (count === undefined) return undefined
  const sizeBytes = count * (letter === undefined ? 1 : MULTIPLES[letter as keyof typeof MULTIPLES])
  return sizeBytes <= Number.MAX_SAFE_INTEGER ? sizeBytes : undefined
}
