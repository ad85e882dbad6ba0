import type { IslandPlural, UploadData } from '../../../src/common/wire.ts'

const units = [
  [3_600, 'hour'],
  [60, 'minute'],
] as const

/** Writes numbers, sizes and sentences in the language of the page. */
export function formatter({ language }: Pick<UploadData, 'language'>) {
  const locale = language === 'en' ? 'en-GB' : language
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
    size(bytes: number): string {
      const power = Math.min(4, Math.max(1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)))
      return bytes < 1_000 ? `${bytes} B` : `${numbers.format(bytes / 1_000 ** power)} ${' KMGT'[power]}B`
    },
    seconds(seconds: number): string {
      const [length, unit] = units.find(([each]) => seconds >= 1.5 * each) ?? [1, 'second']
      const value = Math.max(1, Math.ceil(seconds / length))
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value)
    },
  }
}

export type Formatter = ReturnType<typeof formatter>
