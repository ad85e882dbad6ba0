import type { Caller } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { faultOf } from '../../lib/faults.ts'
import { Refusal } from '../../lib/refusal.ts'
import { openSealedText, sealText } from '../../lib/sealed-text.ts'
import type { Site } from '../../site/index.ts'
import { siteKey } from '../site-key.ts'

/** What a cursor belongs to, besides its site and its caller: it is refused for anything else. */
export interface CursorList {
  /** The list's own name, such as `keys`. */
  list: string
  sort: string
  /** The parameters that choose the list's rows. */
  filter?: Readonly<Record<string, unknown>>
}

const validMs = 24 * 3_600_000

/** The parts of a call that a cursor depends on. */
export interface PagedCall {
  app: App
  site: Site
  caller: Caller
  query: Readonly<Record<string, unknown>>
}

/** Seals the position after which the next page begins. */
export function writeCursor(call: PagedCall, list: CursorList, position: unknown): string {
  const endsAt = call.site.clock.now().getTime() + validMs
  const text = JSON.stringify({ endsAt, position })
  return sealText(siteKey(call.app, call.site, 'cursors'), text, boundTo(call, list))
}

/** Undefined without a cursor: the list begins at its first row. */
export function readCursor<Position>(call: PagedCall, list: CursorList): Position | undefined {
  const { cursor } = call.query as { cursor?: string }
  if (cursor === undefined) return undefined
  const text = openSealedText(siteKey(call.app, call.site, 'cursors'), cursor, boundTo(call, list))
  if (text === undefined) throw invalidCursor()
  const { endsAt, position } = JSON.parse(text) as { endsAt: number; position: Position }
  if (endsAt <= call.site.clock.now().getTime()) throw invalidCursor()
  return position
}

/** What a caller sees depends on the user, the scope and the album of the key, and on an opened share. */
function boundTo({ site, caller }: PagedCall, { list, sort, filter = {} }: CursorList): string {
  const access = caller.kind === 'guest' ? ['guest'] : [caller.userId, caller.scope, caller.albumId ?? '']
  const chosen = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([site.number, list, sort, chosen, access, caller.share?.shareId ?? ''])
}

const invalidCursor = () =>
  new Refusal('invalid', 'cursor-invalid', 'cursor: is not valid here. Begin at the first page.', {
    faults: [{ ...faultOf('cursor', 'cursor'), in: 'query' }],
  })
