/** Writes a time as YYYY-MM-DD HH:MM:SS in UTC. */
export function writeTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ')
}

/** Reads a time that writeTime could have written. */
export function readTime(text: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return undefined
  const at = new Date(`${text.replace(' ', 'T')}Z`)
  // Date takes 30 February for 1 March, and 24:00 for the next day.
  return !Number.isNaN(at.getTime()) && writeTime(at) === text ? at : undefined
}

/** A day of the calendar, such as `2026-02-28`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** A time as `Date.toISOString` writes it, which is how rows have it. */
export function isIsoTime(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)) return false
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString() === text
}
