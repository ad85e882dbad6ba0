/**
 * Whether a number, written out again, has the decimal value of the literal that it was read from. Doubles hold whole
 * numbers up to 2⁵³ and about 17 digits: `9007199254740993` is read as …992.
 */
export function isExact(literal: string, number: number): boolean {
  // Doubles keep every decimal of up to 15 digits that has no exponent.
  if (literal.length <= 15 && !/e/i.test(literal)) return true
  const text = String(number)
  // From 10²¹ on a whole number is written with an exponent, which is another text than the digits that were sent.
  if (/^-?\d+$/.test(literal)) return text === literal
  return decimalOf(literal) === decimalOf(text)
}

/** The canonical form of a decimal value, so that `1.50`, `1.5` and `15e-1` compare as equal. */
function decimalOf(text: string): string | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  if (sign === undefined) return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return '0'
  let length = digits.length
  // Not by /0+$/, which takes quadratic time if a long literal has zeros in the middle.
  while (digits[length - 1] === '0') length -= 1
  const power = Number(exponent) - fraction.length + digits.length - length
  return `${sign}${digits.slice(0, length)}e${power}`
}
