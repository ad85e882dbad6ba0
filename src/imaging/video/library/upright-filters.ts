/** Filters that rotate and mirror a decoded frame according to the container's display matrix; the program ffmpeg uses the same ones. */
export function uprightFilters(matrix: Buffer | null): [name: string, options: string][] {
  if (matrix === null || matrix.length < 36) return []
  const entry = (index: number) => matrix.readInt32LE(index * 4)
  const degrees = degreesOf(entry)
  if (!Number.isFinite(degrees)) return []
  if (isNear(degrees, 90)) return [['transpose', entry(3) > 0 ? 'cclock_flip' : 'clock']]
  if (isNear(degrees, 270)) return [['transpose', entry(3) < 0 ? 'clock_flip' : 'cclock']]
  if (isNear(degrees, 180)) {
    return [...(entry(0) < 0 ? [HORIZONTAL] : []), ...(entry(4) < 0 ? [VERTICAL] : [])]
  }
  if (isNear(degrees, 0)) return entry(4) < 0 ? [VERTICAL] : []
  return [['rotate', String((degrees * Math.PI) / 180)]]
}

const HORIZONTAL: [string, string] = ['hflip', '']
const VERTICAL: [string, string] = ['vflip', '']

const isNear = (degrees: number, wanted: number) => Math.abs(degrees - wanted) < 1

/** Clockwise, from 0 to below 360; NaN for a degenerate matrix. */
function degreesOf(entry: (index: number) => number): number {
  const [across, down] = [Math.hypot(entry(0), entry(3)), Math.hypot(entry(1), entry(4))]
  const degrees = Math.round((Math.atan2(entry(1) / down, entry(0) / across) * 180) / Math.PI)
  return degrees - 360 * Math.floor((degrees + 0.9) / 360)
}
