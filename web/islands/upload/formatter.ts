import { decimalSignOf, formatSize, localeOf } from '../../../src/common/format.ts'
import type { UploadData } from '../../../src/common/wire.ts'
import { fillText, formatCount } from '../../behaviour/format-text.ts'

const units = [
  [3_600, 'hour'],
  [60, 'minute'],
] as const

/** Writes numbers, sizes and sentences in the language of the page. */
export function formatter({ language }: Pick<UploadData, 'language'>) {
  const locale = localeOf(language)
  const decimalSign = decimalSignOf(language)
  return {
    fill: fillText,
    count: formatCount,
    size: (bytes: number): string => formatSize(bytes, decimalSign),
    seconds(seconds: number): string {
      const [length, unit] = units.find(([each]) => seconds >= 1.5 * each) ?? [1, 'second']
      const value = Math.max(1, Math.ceil(seconds / length))
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value)
    },
  }
}

export type Formatter = ReturnType<typeof formatter>
