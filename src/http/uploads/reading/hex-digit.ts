/** The value of a hexadecimal digit, or -1 for any other character. */
export function hexDigit(character: number): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30
  const lower = character | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
