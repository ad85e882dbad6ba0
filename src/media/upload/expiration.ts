/** The lifetimes that an upload may ask for. */
export const expirations = [
  'PT5M',
  'PT15M',
  'PT30M',
  'PT1H',
  'PT3H',
  'PT6H',
  'PT12H',
  'P1D',
  'P2D',
  'P3D',
  'P4D',
  'P5D',
  'P6D',
  'P1W',
  'P2W',
  'P3W',
  'P1M',
  'P2M',
  'P3M',
  'P4M',
  'P5M',
  'P6M',
  'P1Y',
] as const

const known: ReadonlySet<string> = new Set(expirations)

export const isExpiration = (text: string): boolean => known.has(text)

/** One of the above, or a number of seconds. */
export type Lifetime = string | { seconds: number }

/**
 * Calendar arithmetic in UTC: a month after 31 January ends on the last day of February. Whole seconds, because a file
 * expires in the very second that the upload's answer names.
 */
export function expiresAfter(from: Date, lifetime: Lifetime): Date {
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime())
    .round({ smallestUnit: 'second', roundingMode: 'floor' })
    .toZonedDateTimeISO('UTC')
  return new Date(start.add(lifetime).epochMilliseconds)
}
