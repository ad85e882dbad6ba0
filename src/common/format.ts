const UNITS = ['KB', 'MB', 'GB', 'TB', 'PB']

/** English as it is written in most countries: the day before the month, a day of 24 hours. */
export const localeOf = (language: string): string => (language === 'en' ? 'en-GB' : language)

/** Writes a number of bytes for people: 999 B, 53.2 KB, 20 MB. */
export function formatSize(bytes: number, decimalSign = '.'): string {
  if (bytes < 1000) return `${bytes} B`
  // Rounding comes before the choice of the unit, since 999,950 bytes are 1 MB and not 1000 KB.
  const tenthsOf = (power: number) => Math.round(bytes / (100 * 1000 ** power))
  const power = UNITS.findIndex((_, candidate) => tenthsOf(candidate) < 10_000)
  return `${String(tenthsOf(power) / 10).replace('.', decimalSign)} ${UNITS[power]}`
}

/** The sign between the whole of a number and its fraction. */
export const decimalSignOf = (language: string): string =>
  new Intl.NumberFormat(localeOf(language)).format(0.5).slice(1, -1)
