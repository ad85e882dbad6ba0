export interface Line {
  what: string
  measured: string
  /** Left out where a figure stands for itself. */
  reach?: string
  isReached?: boolean
}

export function print(title: string, lines: readonly Line[]): void {
  console.log(`\n${title}`)
  const width = Math.max(...lines.map((line) => line.what.length))
  for (const { what, measured, reach, isReached } of lines) {
    const verdict = reach === undefined ? '' : `  reach ${reach}  ${isReached ? 'reached' : 'NOT REACHED'}`
    console.log(`  ${what.padEnd(width)}  ${measured.padStart(12)}${verdict}`)
  }
}

export const ratioLine = (what: string, ratio: number, most: number): Line => ({
  what,
  measured: `${ratio.toFixed(2)}x`,
  reach: `<= ${most}x`,
  isReached: ratio <= most,
})

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
