import { localeOf } from '../../src/common/format.ts'
import type { IslandPlural } from '../../src/common/wire.ts'

type Values = Readonly<Record<string, string | number>>

const locale = localeOf(document.documentElement.lang)
const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
const plurals = new Intl.PluralRules(locale)

/** A text with its values, as the language of the page writes them. */
export const fillText = (text: string, values: Values = {}): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? numbers.format(value) : value
  })

/** The form of the text for a number. */
export const formatCount = ({ one, other }: IslandPlural, count: number, more: Values = {}): string =>
  fillText(plurals.select(count) === 'one' ? one : other, { count, ...more })
