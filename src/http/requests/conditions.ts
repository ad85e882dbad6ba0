import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../../lib/refusal.ts'
import type { Answer } from '../responses/answer.ts'

/** The ETag of a thing that counts its edits. */
export const etagOf = (version: number): string => `"${version}"`

export const versionHeaders = (version: number): Readonly<Record<string, string>> => ({
  etag: etagOf(version),
  'cache-control': 'private, no-cache',
})

/** A thing with its version; 304 without it if the caller holds this version already. */
export function answerVersion(
  { request }: { request: { headers: IncomingHttpHeaders } },
  version: number,
  body: unknown,
): Answer {
  const headers = versionHeaders(version)
  return isNotModified(request.headers, version) ? { status: 304, headers } : { status: 200, body, headers }
}

/** Whether the caller holds this version already. A cache may have made its tag weak, which this comparison ignores. */
export function isNotModified(headers: IncomingHttpHeaders, version: number): boolean {
  const header = headers['if-none-match']
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return tagsOf(header)?.some((tag) => tag.replace(/^W\//, '') === etagOf(version)) ?? false
}

/**
 * Refuses a change of another version than `If-Match` names. `*` is met by every version. A weak tag never matches
 * (RFC 9110, 13.1.1), and a header that is not a list of tags is refused, because ignoring it would overwrite an edit.
 */
export function checkIfMatch(headers: IncomingHttpHeaders, version: number): void {
  const header = headers['if-match']
  if (header === undefined || header.trim() === '*') return
  if (!tagsOf(header)?.includes(etagOf(version))) throw versionDiffers(version)
}

/** As `checkIfMatch`, of a thing that the change may create: where there is none, no header is met, not even `*`. */
export function checkIfMatchOrNew(headers: IncomingHttpHeaders, version: number | undefined): void {
  if (version !== undefined) checkIfMatch(headers, version)
  else if (headers['if-match'] !== undefined)
    throw new Refusal('conflict', 'version-differs', 'If-Match asks for a version, and there is none yet.')
}

const tag = '(?:W/)?"[^"]*"'

/** The values of `If-Match` and `If-None-Match`: a list of tags, or `*`. */
export const tagListForm = `^(?:\\*|${tag}(?:\\s*,\\s*${tag})*)$`

const list = new RegExp(tagListForm)

/** Undefined if the header is not a list of tags. */
const tagsOf = (header: string): readonly string[] | undefined =>
  list.test(header.trim()) ? (header.match(/(?:W\/)?"[^"]*"/g) ?? []) : undefined

export const versionDiffers = (version: number) =>
  new Refusal(
    'conflict',
    'version-differs',
    `If-Match does not name the version ${etagOf(version)}. Read it again before the change.`,
  )
