import { Type } from 'typebox'
import { unauthenticated } from '../../../accounts/index.ts'
import { readTime, Text } from '../../../http/fields.ts'
import { countParameter, pageParameters } from '../../../http/wire/pages.ts'
import {
  idParameter,
  textParameter,
  timeParameter,
  wordParameter,
  yesNoParameter,
} from '../../../http/wire/query.ts'
import { broken, faultOf } from '../../../lib/faults.ts'
import { invalidFields } from '../../../lib/refusal.ts'
import { largestWholeNumber } from '../../../lib/sizes.ts'
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

const whole = (description: string, maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }))
const list = (one: string, most: number) => `^${one}(?:,${one}){0,${most - 1}}$`

export const fieldsParameter = {
  fields: wordParameter(['exif'], '`exif` adds the metadata of the camera'),
}

const sortWords = [...fileSortNames, 'deleted'].flatMap((name) => [name, `-${name}`]).concat('relevance')
const mostIds = 200
const mostTags = 16

const queryText =
  'Found by these words, in title, tags, name and description: all `words`, a `"phrase"`, not ' +
  'a `-word`, the beginning of a `word*`; ' +
  'at most 200 characters and 16 terms, one of which is not excluded'

/** The parameters that choose the files of a list. */
const selectionParameters = {
  album_id: idParameter('Of this album; `none`: without an album'),
  user_id: idParameter('Of this user; `me`: of the caller'),
  type: wordParameter(['image', 'video'], 'Pictures or videos'),
  kind: textParameter('Of this kind, as in `kinds` of `GET /api/5/me`', 32),
  tag: Type.Optional(
    Text({
      most: 2_000,
      description: `With all of these tags, at most ${mostTags}, separated by commas`,
      pattern: list('\\s*[^,\\s\\u0000][^,\\u0000]*', mostTags),
      rule: broken('tagList', { most: mostTags }),
    }),
  ),
  category_id: whole('Of this category', 2_147_483_647),
  is_nsfw: yesNoParameter('Whether it is sensitive content'),
  is_approved: yesNoParameter('Whether it is approved'),
  created_after: timeParameter('Uploaded after this time'),
  created_before: timeParameter('Uploaded before this time'),
  date_after: timeParameter('With a date after this time'),
  date_before: timeParameter('With a date before this time'),
  min_size: whole('Of at least this many bytes', largestWholeNumber),
  max_size: whole('Of at most this many bytes', largestWholeNumber),
  min_width: whole('At least this wide, in pixels', 2_147_483_647),
  orientation: wordParameter(orientations, 'Wider than high, higher than wide, or neither'),
  trashed: yesNoParameter('`true`: the files in the trash instead of all others'),
  q: textParameter(queryText, 200),
  ids: Type.Optional(
    Text({
      most: mostIds * 65,
      description: `These files, at most ${mostIds}, separated by commas`,
      pattern: list('[A-Za-z0-9]{1,64}', mostIds),
      rule: broken('idList', { most: mostIds }),
    }),
  ),
}

export const FilesQuery = Type.Object({
  ...selectionParameters,
  sort: wordParameter(
    sortWords,
    'The order; `-` for descending. `-created` by default; with `q` `relevance`: all terms in ' +
      'title or tags, then with the name, then the rest. `deleted`, the time when a file was ' +
      'moved to the trash, is for `trashed=true`',
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
    throw invalidFields([{ ...faultOf('sort', 'sortNeeds', { sort, needs: 'q' }), in: 'query' }])
  if (/^-?deleted$/.test(sort) && trashed !== true)
    throw invalidFields([{ ...faultOf('sort', 'sortNeeds', { sort, needs: 'trashed=true' }), in: 'query' }])
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

/** What the parameters select, whose form is checked. */
export function readSelection(call: MediaCall): FileSelection {
  const query = call.query as GivenQuery
  const timeOf = (name: 'created_after' | 'created_before' | 'date_after' | 'date_before') => {
    const given = query[name]
    return given === undefined ? undefined : readTime(given)
  }
  const ids = query.ids?.split(',')
  const tags = query.tag?.split(',').map(tagNameOf)
  const found = query.q === undefined ? undefined : parseQuery(query.q)
  if (found && 'fault' in found) throw invalidFields([{ field: 'q', in: 'query', ...found.fault }])
  const { album_id: albumId, user_id: userId } = query
  const selection = {
    albumId: albumId === 'none' ? null : albumId,
    userId: userId === 'me' ? ownId(call) : userId,
    type: query.type,
    kind: query.kind,
    tags,
    categoryId: query.category_id,
    isNsfw: query.is_nsfw,
    isApproved: query.is_approved,
    createdAfter: timeOf('created_after'),
    createdBefore: timeOf('created_before'),
    dateAfter: timeOf('date_after'),
    dateBefore: timeOf('date_before'),
    minSizeBytes: query.min_size,
    maxSizeBytes: query.max_size,
    minWidth: query.min_width,
    orientation: query.orientation,
    isTrashed: query.trashed,
    ids,
    query: found,
  }
  return Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined))
}

function ownId({ caller }: MediaCall): string {
  if (caller.kind === 'guest') throw unauthenticated()
  return caller.userId
}
