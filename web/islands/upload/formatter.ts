import { decimalSignOf, formatSize, localeOf } from '../../../src/common/format.ts'
import type { IslandPlural, UploadData } from '../../../src/common/wire.ts'

const units = [
  [3_600, 'hour'],
  [60, 'minute'],
] as const

/** Writes numbers, sizes and sentences in the language of the page. */
export function formatter({ language }: Pick<UploadData, 'language'>) {
  const locale = localeOf(language)
  const decimalSign = decimalSignOf(language)
  const plurals = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const fill = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
    text.replaceAll(/\{(\w+)\}/g, (_, name) => {
      const value = values[name] ?? ''
      return typeof value === 'number' ? numbers.format(value) : value
    })
  return {
    fill,
    count: (forms: IslandPlural, count: number): string =>
      fill(plurals.select(count) === 'one' ? forms.one : forms.other, { count }),
    size: (bytes: number): string => formatSize(bytes, decimalSign),
    seconds(seconds: number): string {
      const [length, unit] = units.find(([each]) => seconds >= 1.5 * each) ?? [1, 'second']
      const value = Math.max(1, Math.ceil(seconds / length))
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value)
    },
  }
}

export type Formatter = ReturnType<typeof formatter>
