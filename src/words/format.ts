import { decimalSignOf, formatSize, localeOf } from '../common/format.ts'
import { type Html, html } from '../lib/html.ts'
import { LruMap } from '../lib/lru.ts'
import type { Language } from './languages.ts'

/** To make a formatter takes longer than to write the rest of a page, so each is made once. */
function madeOnce<T>(make: (language: Language, more: string) => T, most = 100) {
  const made = new LruMap<string, T>(most)
  return (language: Language, more = ''): T => {
    const key = more === '' ? language : `${language} ${more}`
    const known = made.get(key)
    if (known !== undefined) return known
    const first = make(language, more)
    made.set(key, first)
    return first
  }
}

const numbers = madeOnce((language) => new Intl.NumberFormat(localeOf(language)))
const durations = madeOnce(
  (language, unit) => new Intl.NumberFormat(localeOf(language), { style: 'unit', unit, unitDisplay: 'long' }),
)
const plurals = madeOnce((language) => new Intl.PluralRules(language))
const distances = madeOnce((language) => new Intl.RelativeTimeFormat(language))
const distancesInWords = madeOnce((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))
const moments = madeOnce(
  (language, timeZone) =>
    new Intl.DateTimeFormat(localeOf(language), {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZone,
      timeZoneName: 'short',
    }),
)

/** Whole numbers below 1,000, as most are, have the same digits in all our languages and no separator. */
export const writeNumber = (language: Language, number: number): string =>
  Number.isInteger(number) && number >= 0 && number < 1_000
    ? String(number)
    : numbers(language).format(number)

const percents = madeOnce(
  (language) => new Intl.NumberFormat(localeOf(language), { style: 'percent', maximumFractionDigits: 0 }),
)

/** A whole percent. */
export const writePercent = (language: Language, percent: number): string =>
  percents(language).format(percent / 100)

const decimalSigns = madeOnce((language) => decimalSignOf(language))

/** A size such as 53.2 KB, with the decimal sign of the language. Its number is below 1,000. */
export const writeSize = (language: Language, bytes: number): string =>
  formatSize(bytes, decimalSigns(language))

const durationUnits = { M: 'month', W: 'week', D: 'day', Y: 'year', H: 'hour', TM: 'minute' } as const

/** A lifetime such as P2W in words. */
export const writeDuration = madeOnce((language, duration) => {
  const [, time = '', count = '0', letter = ''] = /^P(T?)(\d+)([A-Z])$/.exec(duration) ?? []
  const name = (letter === 'M' ? time + letter : letter) as keyof typeof durationUnits
  const unit = durationUnits[name]
  return durations(language, unit).format(Number(count))
})

interface Plural {
  readonly one: (count: string) => string
  readonly other: (count: string) => string
}

/** Our languages have two forms in whole numbers; the third of Spanish, for millions, reads as the second. */
export function writeCount(language: Language, forms: Plural, count: number): string {
  const form = plurals(language).select(count) === 'one' ? forms.one : forms.other
  return form(writeNumber(language, count))
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** In the largest unit that fits: `2 hours ago`, `yesterday`; undefined within the first second. */
export function writeAgo(language: Language, at: Date, now: Date): string | undefined {
  const seconds = Math.floor((now.getTime() - at.getTime()) / 1_000)
  const unit = units.find(([, length]) => seconds >= length)
  if (!unit) return undefined
  return distancesInWords(language).format(-Math.floor(seconds / unit[1]), unit[0])
}

/** Minutes up to two hours, hours up to two days, then days: `in 36 hours`. */
export function writeUntil(language: Language, at: Date, now: Date): string {
  const minutes = Math.ceil((at.getTime() - now.getTime()) / 60_000)
  if (minutes < 120) return distances(language).format(minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return hours < 48
    ? distances(language).format(hours, 'hour')
    : distances(language).format(Math.round(hours / 24), 'day')
}

const daysWritten = madeOnce(
  (language) =>
    new Intl.DateTimeFormat(localeOf(language), { day: 'numeric', month: 'short', timeZone: 'UTC' }),
)

/** A day such as 2026-11-17, without its year. Pages show the same 90 days again and again. */
export const dayTag = madeOnce(
  (language, day): Html =>
    html`<time datetime="${day}">${daysWritten(language).format(new Date(`${day}T00:00:00Z`))}</time>`,
  400,
)

/** A moment in the time zone of the site. */
export const timeTag = (language: Language, at: Date, timeZone: string): Html =>
  html`<time datetime="${at.toISOString()}">${writeMoment(language, at, timeZone)}</time>`

export const writeMoment = (language: Language, at: Date, timeZone: string): string =>
  moments(language, timeZone).format(at)
