/** A line after RFC 4180. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(',')}\r\n`

/** A text that begins like a formula gets an apostrophe: spreadsheets would run it, some with signs of full width too. */
function cellOf(value: unknown): string {
  const text = String(value ?? '')
  const inert = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
