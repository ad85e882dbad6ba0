import { Type } from 'typebox'
import { unauthenticated } from '../../../accounts/index.ts'
import type { RequestFault } from '../../../lib/refusal.ts'
import {
  type FileSelection,
  type FileSort,
  fileSortNames,
  type Orientation,
  orientations,
  parseQuery,
  tagNameOf,
} from '../../../media/index.ts'
import type { MediaCall } from '../media-endpoint.ts'
import { invalidRequest } from '../problem.ts'
import { countParameter, pageParameters } from '../rules/pages.ts'
import { idParameter, textParameter, timeParameter, yesNoParameter } from '../rules/query.ts'
import { readTime } from '../wire/common.ts'

const whole = (description: string, maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }))
const word = (words: readonly string[], description: string) =>
  Type.Optional(Type.String({ enum: [...words], description }))

export const fieldsParameter = {
  fields: word(['exif'], '`exif` adds the metadata of the camera'),
}

const sortWords = [...fileSortNames, 'deleted'].flatMap((name) => [name, `-${name}`]).concat('relevance')
const mostIds = 200
const mostTags = 16

const queryText =
  'Found by these words, in title, tags, name and description: all `words`, a `"phrase"`, not a `-word`, the beginning of a `word*`; ' +
  'at most 200 characters and 16 terms'

/** The parameters that choose the files of a list. */
const selectionParameters = {
  album_id: idParameter('Of this album; `none`: without an album'),
  user_id: idParameter('Of this user; `me`: of the caller'),
  type: word(['image', 'video'], 'Pictures or videos'),
  kind: textParameter('Of this kind, as in `kinds` of `GET /api/5/me`', 32),
  tag: textParameter(`With all of these tags, at most ${mostTags}, separated by commas`, 2_000),
  category_id: whole('Of this category', 2_147_483_647),
  is_nsfw: yesNoParameter('Whether it is shown behind a cover'),
  is_approved: yesNoParameter('Whether it is approved'),
  created_after: timeParameter('Uploaded after this time'),
  created_before: timeParameter('Uploaded before this time'),
  date_after: timeParameter('With a date after this time'),
  date_before: timeParameter('With a date before this time'),
  min_size: whole('Of at least this many bytes', Number.MAX_SAFE_INTEGER),
  max_size: whole('Of at most this many bytes', Number.MAX_SAFE_INTEGER),
  min_width: whole('At least this wide, in pixels', 2_147_483_647),
  orientation: word(orientations, 'Wider than high, higher than wide, or neither'),
  trashed: yesNoParameter('`true`: the files in the trash, in place of all others'),
  q: textParameter(queryText, 200),
  ids: textParameter(`These files, at most ${mostIds}, separated by commas`, mostIds * 65),
}

export const FilesQuery = Type.Object({
  ...selectionParameters,
  sort: Type.Optional(
    Type.String({
      enum: sortWords,
      description:
        'The order; `-` for downwards. `-created` by default, with `q` `relevance`: all terms in title or tags, then with the name, then the rest. `deleted`, when a file was put into the trash, is for `trashed=true`',
    }),
  ),
  ...fieldsParameter,
  ...countParameter,
  ...pageParameters,
})

interface GivenSort {
  q?: string
  trashed?: boolean
  sort?: string
}

export function readSort({ query }: MediaCall): FileSort {
  const { q, trashed, sort = q === undefined ? '-created' : 'relevance' } = query as GivenSort
  if (sort === 'relevance' && q === undefined)
    throw invalidRequest([{ in: 'query', name: 'sort', detail: 'relevance needs q' }])
  if (/^-?deleted$/.test(sort) && trashed !== true)
    throw invalidRequest([{ in: 'query', name: 'sort', detail: `${sort} needs trashed=true` }])
  const isDescending = sort.startsWith('-')
  return { by: sort.slice(isDescending ? 1 : 0) as FileSort['by'], isDescending }
}

/** The parameters that a cursor belongs to. */
export const chosenParameters = ({ query }: MediaCall): Record<string, unknown> =>
  Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(selectionParameters, name)))

interface GivenQuery {
  album_id?: string
  user_id?: string
  type?: 'image' | 'video'
  kind?: string
  tag?: string
  category_id?: number
  is_nsfw?: boolean
  is_approved?: boolean
  created_after?: string
  created_before?: string
  date_after?: string
  date_before?: string
  min_size?: number
  max_size?: number
  min_width?: number
  orientation?: Orientation
  trashed?: boolean
  ids?: string
  q?: string
}

/** What the parameters select; all faults are refused at once. */
export function readSelection(call: MediaCall): FileSelection {
  const query = call.query as GivenQuery
  const faults: RequestFault[] = []
  const refuse = (name: string, detail: string) => void faults.push({ in: 'query', name, detail })

  const timeOf = (name: 'created_after' | 'created_before' | 'date_after' | 'date_before') => {
    const given = query[name]
    const at = given === undefined ? undefined : readTime(given)
    if (given !== undefined && !at) refuse(name, 'must be a time in UTC like 2027-01-31T12:00:00.000Z')
    return at
  }
  const idOf = (name: 'album_id' | 'user_id', otherwise: string) => {
    const given = query[name]
    if (given !== undefined && !isId(given)) refuse(name, `must be an id or ${otherwise}`)
    return given
  }

  const ids = query.ids?.split(',')
  if (ids && ids.length > mostIds) refuse('ids', `must be at most ${mostIds} ids, not ${ids.length}`)
  else if (ids && !ids.every(isId)) refuse('ids', 'must be ids, separated by commas')
  const tags = query.tag?.split(',').map(tagNameOf)
  if (tags && tags.length > mostTags) refuse('tag', `must be at most ${mostTags} tags, not ${tags.length}`)
  else if (tags?.includes('')) refuse('tag', 'must be names of tags, separated by commas')

  const found = query.q === undefined ? undefined : parseQuery(query.q)
  if (found && 'fault' in found) refuse('q', found.fault)

  const albumId = idOf('album_id', 'none')
  const userId = idOf('user_id', 'me')
  const selection = {
    albumId: albumId === 'none' ? null : albumId,
    userId: userId === 'me' ? ownId(call) : userId,
    ...{ type: query.type, kind: query.kind, tags, categoryId: query.category_id },
    ...{ isNsfw: query.is_nsfw, isApproved: query.is_approved },
    ...{ createdAfter: timeOf('created_after'), createdBefore: timeOf('created_before') },
    ...{ dateAfter: timeOf('date_after'), dateBefore: timeOf('date_before') },
    ...{ minSizeBytes: query.min_size, maxSizeBytes: query.max_size, minWidth: query.min_width },
    ...{ orientation: query.orientation, isTrashed: query.trashed, ids, query: found },
  }
  if (faults.length > 0) throw invalidRequest(faults)
  return Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined))
}

const isId = (given: string) => /^[A-Za-z0-9]{1,64}$/.test(given)

function ownId({ caller }: MediaCall): string {
  if (caller.kind === 'guest') throw unauthenticated()
  return caller.userId
}
