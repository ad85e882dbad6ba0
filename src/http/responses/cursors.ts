import { createHmac } from 'node:crypto'
import type { Caller } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import type { Clock } from '../../lib/clock.ts'
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
  const key = siteKey(call.app, call.site, 'cursors')
  return sealPosition({ key, boundTo: boundTo(call, list), clock: call.site.clock }, position)
}

/** Undefined without a cursor: the list begins at its first row. */
export function readCursor<Position>(call: PagedCall, list: CursorList): Position | undefined {
  const key = siteKey(call.app, call.site, 'cursors')
  const sealing = { key, boundTo: boundTo(call, list), clock: call.site.clock }
  return openPosition<Position>(sealing, (call.query as { cursor?: string }).cursor)?.position
}

/** For a list of the installation: the same for all management keys. Its page may be kept, and sent again, for a day. */
export const writeControlCursor = (
  app: App,
  list: CursorList,
  position: unknown,
  { isKeptForDay = false } = {},
): string => sealPosition(controlSealing(app, list), position, isKeptForDay ? 2 * validMs : validMs)

export const readControlCursor = <Position>(
  app: App,
  list: CursorList,
  cursor: string | undefined,
): Position | undefined => openControlCursor<Position>(app, list, cursor)?.position

/** With the time at which it ends, for callers that keep what it says. */
export const openControlCursor = <Position>(
  app: App,
  list: CursorList,
  cursor: string | undefined,
): SealedPosition<Position> | undefined =>
  cursor === undefined ? undefined : openPosition(controlSealing(app, list), cursor)

const controlSealing = (app: App, list: CursorList): Sealing => ({
  key: controlKeyOf(app),
  boundTo: JSON.stringify([list.list, list.sort, chosenBy(list)]),
  clock: app.control.clock,
})

const controlKeys = new WeakMap<App, Buffer>()

function controlKeyOf(app: App): Buffer {
  const known = controlKeys.get(app)
  if (known) return known
  const key = createHmac('sha256', app.requestSecret).update('cursors of the installation').digest()
  controlKeys.set(app, key)
  return key
}

interface Sealing {
  key: Uint8Array
  boundTo: string
  clock: Clock
}

function sealPosition({ key, boundTo, clock }: Sealing, position: unknown, forMs = validMs): string {
  const endsAt = clock.now().getTime() + forMs
  return sealText(key, JSON.stringify({ endsAt, position }), boundTo)
}

interface SealedPosition<Position> {
  position: Position
  endsAt: number
}

function openPosition<Position>(
  { key, boundTo, clock }: Sealing,
  cursor: string | undefined,
): SealedPosition<Position> | undefined {
  if (cursor === undefined) return undefined
  const text = openSealedText(key, cursor, boundTo)
  if (text === undefined) throw invalidCursor()
  const sealed = JSON.parse(text) as SealedPosition<Position>
  if (sealed.endsAt <= clock.now().getTime()) throw invalidCursor()
  return sealed
}

/** What a caller sees depends on the user, the scope and the album of the key, and on an opened share. */
function boundTo({ site, caller }: PagedCall, list: CursorList): string {
  const access = caller.kind === 'guest' ? ['guest'] : [caller.userId, caller.scope, caller.albumId ?? '']
  const shareId = caller.share?.shareId ?? ''
  return JSON.stringify([site.number, list.list, list.sort, chosenBy(list), access, shareId])
}

const chosenBy = ({ filter = {} }: CursorList) => Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1))

const invalidCursor = () =>
  new Refusal('invalid', 'cursor-invalid', 'cursor: is not valid here. Begin at the first page.', {
    faults: [{ ...faultOf('cursor', 'cursor'), in: 'query' }],
  })
