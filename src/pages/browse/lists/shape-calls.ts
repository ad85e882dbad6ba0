import { shapeCharacter, shapeOf } from '../../../common/shapes.ts'
import type { IdBlock, NewFiles, ShapeBlock, TileWindow } from '../../../common/wire.ts'
import { isSameOrigin } from '../../../http/session/session-cookie.ts'
import { faultOf } from '../../../lib/faults.ts'
import { invalidFields } from '../../../lib/refusal.ts'
import { countShownFiles, type FileShape, listShapes, listShownFiles } from '../../../media/index.ts'
import { notSameOrigin } from '../../../ui/form.ts'
import type { PageAnswer, PageCall, PageHandler } from '../../page-call.ts'
import { type FileList, isByDate, openList } from './file-list.ts'
import { readPosition, writePosition } from './read-page.ts'
import { tileOf } from './tiles.ts'

const filesOfBlock = 10_000
export const filesOfWindow = 200

/** A call of a script in our own pages, answered with JSON; other origins and programs have `/api/5`. */
export const ofOwnScript =
  (answer: (call: PageCall) => Promise<unknown>): PageHandler =>
  async (call): Promise<PageAnswer> => {
    const { app, site, request, reply } = call
    if (!isSameOrigin(app, site, request)) throw notSameOrigin()
    const body = await answer(call)
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(JSON.stringify(body))
  }

const ofGrid = (
  answer: (call: PageCall, list: FileList) => Promise<ShapeBlock | TileWindow | NewFiles | IdBlock>,
): PageHandler => ofOwnScript(async (call) => answer(call, await openList(call, call.query.get('in') ?? '')))

/** The shapes of up to 10,000 files of a list, so that its layout is known before anything else of them is read. */
export const getShape: PageHandler = ofGrid(async (call, list) => {
  const { moment, shapes, next } = await readBlock(call, list)
  return {
    moment: moment.toISOString(),
    shapes: shapes.map((shape) => shapeCharacter(shapeOf(shape))).join(''),
    months: isByDate(list.sort) ? monthsOf(shapes) : [],
    windows: windowsOf(shapes),
    next,
  }
})

/** The ids of up to 10,000 files of a list: what is chosen with the whole list, and nothing that arrives later. */
export const getIds: PageHandler = ofGrid(async (call, list) => {
  // By relevance a position has the number of a file in the index, and no page selects from such a list.
  if (list.sort.by === 'relevance') throw invalidFields([{ ...faultOf('in', 'unsupported'), in: 'query' }])
  const { shapes, next } = await readBlock(call, list)
  return { ids: shapes.map(({ position }) => position.id), next }
})

async function readBlock({ site, query }: PageCall, list: FileList) {
  const moment = momentOf(query.get('moment')) ?? site.clock.now()
  const { sort, caller } = list
  const after = readPosition(query.get('after'), sort)
  const selection = pinned(list, moment)
  const shapes = await listShapes(site, caller, { selection, sort, after, limit: filesOfBlock })
  const last = shapes.length === filesOfBlock ? shapes.at(-1) : undefined
  return { moment, shapes, next: last ? writePosition(last.position) : null }
}

/** The month of a file is a part of its place in the list, so nothing more is read for it. */
function monthsOf(shapes: readonly FileShape[]): [month: string, files: number][] {
  const months: [string, number][] = []
  for (const { position } of shapes) {
    const month = String(position.value).slice(0, 'YYYY-MM'.length)
    const last = months.at(-1)
    if (last?.[0] === month) last[1] += 1
    else months.push([month, 1])
  }
  return months
}

const windowsOf = (shapes: readonly FileShape[]): string[] =>
  shapes.flatMap((shape, index) =>
    (index + 1) % filesOfWindow === 0 || index === shapes.length - 1 ? [writePosition(shape.position)] : [],
  )

/** The files of one window, after a position and up to another one. */
export const getWindow: PageHandler = ofGrid(async (call, list) => {
  const { site, query } = call
  const { sort, caller } = list
  const selection = pinned(list, momentOf(query.get('moment')) ?? site.clock.now())
  const after = readPosition(query.get('after'), sort)
  const until = readPosition(query.get('until'), sort, 'until')
  const page = { selection, sort, after, until, limit: filesOfWindow, hasExif: false }
  const files = await listShownFiles(site, caller, page)
  return { tiles: files.map((shown) => tileOf(call, shown, list)) }
})

/** How many files have come into the list since a moment. */
export const getNew: PageHandler = ofGrid(async ({ site, query }, { selection, caller }) => {
  const since = momentOf(query.get('since'))
  if (!since) throw invalidFields([{ ...faultOf('since', 'time'), in: 'query' }])
  return {
    count: await countShownFiles(site, caller, {
      selection: { ...selection, createdAfter: since },
      most: 1_000,
    }),
  }
})

/** Without what arrives later, so that no file moves while a person scrolls. */
const pinned = ({ selection }: FileList, moment: Date) => ({
  ...selection,
  createdBefore: new Date(moment.getTime() + 1),
})

function momentOf(text: string | null): Date | undefined {
  if (text === null || text === '') return undefined
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) || Number.isNaN(Date.parse(text)))
    throw invalidFields([{ ...faultOf('moment', 'time'), in: 'query' }])
  return new Date(text)
}
