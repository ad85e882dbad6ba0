import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** What tells one state of an address from another. */
export interface Validators {
  etag: string
  modifiedAt: Date
}

/** Bytes never change under a key and a key is never used twice, so that its hash stands for them, and tells no id. */
export function validatorsOf(key: string, createdAt: Date): Validators {
  const etag = `"${hash('sha256', key, 'base64url').slice(0, 27)}"`
  // HTTP knows whole seconds.
  return { etag, modifiedAt: new Date(Math.floor(createdAt.getTime() / 1_000) * 1_000) }
}

/** Whether to go on, in the order of RFC 9110, 13.2.2. */
export function conditionOf(
  headers: IncomingHttpHeaders,
  { etag, modifiedAt }: Validators,
): 'met' | 'unchanged' | 'failed' {
  const match = headers['if-match']
  if (match !== undefined) {
    if (match.trim() !== '*' && !tagsOf(match).includes(etag)) return 'failed'
  } else if (timeOf(headers['if-unmodified-since']) < modifiedAt.getTime()) return 'failed'

  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined) {
    // Caches on the way may have made the tag weak, which is no difference here.
    const isKnown = noneMatch.trim() === '*' || tagsOf(noneMatch.replaceAll('W/"', '"')).includes(etag)
    return isKnown ? 'unchanged' : 'met'
  }
  return timeOf(headers['if-modified-since']) >= modifiedAt.getTime() ? 'unchanged' : 'met'
}

/** Whether a piece may be sent to somebody who has another piece of this state. */
export function isSameState(ifRange: string | undefined, { etag, modifiedAt }: Validators): boolean {
  return ifRange === undefined || ifRange === etag || timeOf(ifRange) === modifiedAt.getTime()
}

const tagsOf = (list: string): readonly string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? []

/** Not a number where it is no date of HTTP: then no comparison holds. */
function timeOf(text: string | undefined): number {
  return text !== undefined && /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN
}
