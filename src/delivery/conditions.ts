import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The validators of RFC 9110, 8.8. */
export interface Validators {
  etag: string
  modifiedAt: Date
  /** Two revisions may be of one second: then their times cannot tell them apart (RFC 9110, 8.8.2.2). */
  isTimeWeak?: boolean
}

/** When the bytes were uploaded, and when they were replaced, if they were. */
interface ByteTimes {
  createdAt: Date
  replacedAt: Date | undefined
}

/** The bytes of a key never change, so the hash of the key identifies them. The hash keeps the file's id secret. */
export function validatorsOf(key: string, { createdAt, replacedAt }: ByteTimes): Validators {
  const etag = `"${hash('sha256', key, 'base64url').slice(0, 27)}"`
  // HTTP dates have whole seconds.
  const modifiedAt = new Date(Math.floor((replacedAt ?? createdAt).getTime() / 1_000) * 1_000)
  return { etag, modifiedAt, isTimeWeak: replacedAt !== undefined }
}

/** Evaluates the preconditions in the order of RFC 9110, 13.2.2. */
export function conditionOf(
  headers: IncomingHttpHeaders,
  { etag, modifiedAt, isTimeWeak }: Validators,
): 'met' | 'unchanged' | 'failed' {
  const match = headers['if-match']
  if (match !== undefined) {
    if (match.trim() !== '*' && !tagsOf(match).includes(etag)) return 'failed'
  } else if (timeOf(headers['if-unmodified-since']) < modifiedAt.getTime()) return 'failed'

  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined) {
    // A cache may have made the tag weak, which the weak comparison of If-None-Match ignores.
    const isKnown = noneMatch.trim() === '*' || tagsOf(noneMatch.replaceAll('W/"', '"')).includes(etag)
    return isKnown ? 'unchanged' : 'met'
  }
  if (isTimeWeak) return 'met'
  return timeOf(headers['if-modified-since']) >= modifiedAt.getTime() ? 'unchanged' : 'met'
}

/** Whether a range may be sent to a client that holds another range of the same bytes. */
export function isSameState(
  ifRange: string | undefined,
  { etag, modifiedAt, isTimeWeak }: Validators,
): boolean {
  if (ifRange === undefined || ifRange === etag) return true
  return !isTimeWeak && timeOf(ifRange) === modifiedAt.getTime()
}

const tagsOf = (list: string): readonly string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? []

/** NaN if the text is no HTTP date, so that every comparison is false. */
function timeOf(text: string | undefined): number {
  return text !== undefined && /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN
}
