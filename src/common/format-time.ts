/** A length of time as clocks show it: 0:07, 12:30, 1:05:00. */
export function formatTime(seconds: number): string {
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours === 0 ? `${minutes}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`
}
