const MULTIPLES = { K: 1_000, M: 1_000_000, G: 1_000_000_000 }
const UNITS = ['KB', 'MB', 'GB', 'TB', 'PB']

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

/** Writes a number of bytes for people: 999 B, 53.2 KB, 20 MB. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  // Rounding comes before the choice of the unit, since 999,950 bytes are 1 MB and not 1000 KB.
  const tenthsOf = (power: number) => Math.round(bytes / (100 * 1000 ** power))
  const power = UNITS.findIndex((_, candidate) => tenthsOf(candidate) < 10_000)
  return `${tenthsOf(power) / 10} ${UNITS[power]}`
}
