import type { ByteRange } from '../storage/index.ts'

/**
 * The part of a file that a Range header names. An invalid header is ignored (RFC 9110, 14.2), and so is a list of
 * ranges: many small parts would cost more than the whole file.
 */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'outside' {
  const [, first, last] = /^bytes=(\d{0,20})-(\d{0,20})$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return 'whole'
  const end = sizeBytes - 1
  if (first === '')
    return Number(last) === 0 ? 'outside' : { start: Math.max(0, sizeBytes - Number(last)), end }
  if (last !== '' && Number(last) < Number(first)) return 'whole'
  if (Number(first) > end) return 'outside'
  return { start: Number(first), end: last === '' ? end : Math.min(Number(last), end) }
}
