import type { IncomingHttpHeaders } from 'node:http'
import { type FoundBytes, longestCachingSeconds } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import type { ByteRange } from '../../storage/index.ts'
import { rangeOf } from './byte-range.ts'
import { conditionOf, isSameState, type Validators, validatorsOf } from './conditions.ts'

/** How a request for a file that is there is answered, before its bytes are looked for. */
export interface FileAnswer {
  status: 200 | 206 | 304 | 412 | 416
  headers: Readonly<Record<string, string>>
  /** The part that is asked for; without one, all of it. */
  piece?: ByteRange
}

interface Asking {
  headers: IncomingHttpHeaders
  /** Whether a range counts: only where the bytes themselves are answered. */
  mayBePart: boolean
}

export function answerOf(site: Site, found: FoundBytes, { headers: asked, mayBePart }: Asking): FileAnswer {
  const { validators, headers, caching } = statementOf(site, found)
  const condition = conditionOf(asked, validators)
  if (condition === 'failed') return { status: 412, headers: {} }
  if (condition === 'unchanged') return { status: 304, headers: caching }

  const { range } = asked
  if (!mayBePart || range === undefined || !isSameState(asked['if-range']?.toString(), validators))
    return { status: 200, headers }
  const piece = rangeOf(range, found.sizeBytes)
  if (piece === 'whole') return { status: 200, headers }
  if (piece === 'outside') return { status: 416, headers: { 'content-range': `bytes */${found.sizeBytes}` } }
  const contentRange = `bytes ${piece.start}-${piece.end}/${found.sizeBytes}`
  return { status: 206, headers: { ...headers, 'content-range': contentRange }, piece }
}

/** What is told of a file, whoever asks. */
interface Statement {
  validators: Validators
  headers: Readonly<Record<string, string>>
  /** Those of the headers that a 304 has too. */
  caching: Readonly<Record<string, string>>
}

const statements = new WeakMap<FoundBytes, Statement>()

function statementOf(site: Site, found: FoundBytes): Statement {
  const known = statements.get(found)
  if (known) return known
  const validators = validatorsOf(found.key, found.file.createdAt)
  const caching = cachingHeaders(site, found, validators)
  const statement = { validators, headers: { ...fileHeaders(found), ...caching }, caching }
  // How long a file may be kept changes with the time where it has an end.
  if (!found.file.expiresAt) statements.set(found, statement)
  return statement
}

/** Nothing in a file ever runs or reaches out, whatever a browser takes it for. */
const sandboxPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors *"
/** Opened by itself, a film is a page with a player that asks for this address once more. */
const filmPolicy = `${sandboxPolicy}; media-src 'self'`

function fileHeaders({ mime }: FoundBytes) {
  return {
    'content-type': mime,
    'content-security-policy': mime.startsWith('video/') ? filmPolicy : sandboxPolicy,
    'cross-origin-resource-policy': 'cross-origin',
    'accept-ranges': 'bytes',
  }
}

/** No cache keeps a file beyond its own time. */
function cachingHeaders(site: Site, { file }: FoundBytes, { etag, modifiedAt }: Validators) {
  const leftMs = file.expiresAt
    ? file.expiresAt.getTime() - site.clock.now().getTime()
    : Number.POSITIVE_INFINITY
  const seconds = Math.max(0, Math.min(longestCachingSeconds, Math.floor(leftMs / 1_000)))
  return {
    etag,
    'last-modified': modifiedAt.toUTCString(),
    'cache-control': `public, max-age=${seconds}, immutable`,
  }
}
