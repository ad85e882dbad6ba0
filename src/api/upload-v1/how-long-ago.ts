const units: readonly (readonly [string, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** In the largest unit that fits, such as `2 hours ago`. */
export function howLongAgo(at: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - at.getTime()) / 1_000)
  const unit = units.find(([, length]) => seconds >= length)
  if (!unit) return 'moments ago'
  const count = Math.floor(seconds / unit[1])
  return `${count} ${unit[0]}${count === 1 ? '' : 's'} ago`
}
