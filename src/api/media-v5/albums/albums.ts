import { Type } from 'typebox'
import { hashNewPassword, limitReached, scopeMissing } from '../../../accounts/index.ts'
import { slugOf } from '../../../http/addresses/file-addresses.ts'
import { publicUrl } from '../../../http/addresses/public-url.ts'
import { answerVersion, checkIfMatch, etagOf } from '../../../http/requests/conditions.ts'
import { noProof } from '../../../http/requests/proof-rule.ts'
import { searchRate } from '../../../http/requests/rates.ts'
import {
  AlbumEditBody,
  AlbumObject,
  NewAlbumBody,
  readAlbumEdit,
  readNewAlbum,
  writeAlbum,
} from '../../../http/wire/albums.ts'
import { answerPage, CountedPageOf, countParameter, pageParameters } from '../../../http/wire/pages.ts'
import { idParameter, textParameter } from '../../../http/wire/query.ts'
import { faultOf } from '../../../lib/faults.ts'
import { invalidFields } from '../../../lib/refusal.ts'
import {
  type AlbumListSort,
  type AlbumPosition,
  albumCircle,
  albumNotFound,
  countAlbums,
  createOwnAlbum,
  editOwnAlbum,
  listAlbums,
  readAlbum,
  readQuery,
  removeOwnAlbum,
  type SeenAlbum,
  type WithPosition,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { ChangingEndpoint, MediaCall, MediaEndpoint } from '../media-endpoint.ts'
import {
  bodyRefusals,
  changeRefusals,
  noContent,
  notModified,
  onceRefusals,
  refusedAs,
  scopedRefusals,
  versionRefusals,
} from '../responses.ts'
import { idOf, ofId, userOf } from '../rules/call-parts.ts'
import { prepareAndChangeOnce } from '../rules/idempotency.ts'

const unknownAlbum = refusedAs(
  'The album does not exist, or the caller may not see it.',
  albumNotFound('Zk3Qm8vTxLw2'),
)
const notYours = refusedAs(
  'The album belongs to another user, or the scope is missing.',
  scopeMissing('admin'),
)
const misplaced = refusedAs('The album would be below itself, or too deep.', albumCircle())
const tagged = { ETag: 'The version, for If-Match' }

const sorts: Readonly<Record<string, AlbumListSort>> = {
  created: 'createdAt',
  title: 'titleSort',
  views: 'views',
  likes: 'likes',
}
const sortWords = Object.keys(sorts).flatMap((word) => [word, `-${word}`])

export const getAlbums: MediaEndpoint = {
  tag: 'Albums',
  summary: 'List albums',
  description:
    'The caller’s albums, and public albums of others as the setting `listing` allows; ' +
    'administrators and managers see all.',
  access: 'visitor-read',
  rate: searchRate,
  query: Type.Object({
    ...pageParameters,
    ...countParameter,
    q: textParameter('Words in title and description, in the form of `q` of the list of files', 200),
    user_id: idParameter('Albums of this user; `me` is the caller'),
    parent_id: idParameter('Albums directly below this one; `none`: albums without a parent'),
    sort: Type.Optional(
      Type.String({ enum: sortWords, default: '-created', description: 'The order; `-` reverses it' }),
    ),
  }),
  responses: {
    200: { description: 'A page of albums.', schema: CountedPageOf(AlbumObject) },
    ...scopedRefusals,
  },
  handle: (call) => {
    const {
      sort = '-created',
      parent_id: parentId,
      q,
    } = call.query as { sort?: string; parent_id?: string; q?: string }
    const listing = {
      sort: sorts[sort.replace('-', '')] ?? 'createdAt',
      isDescending: sort.startsWith('-'),
      userId: userIdOf(call),
      parentId: parentId === 'none' ? null : parentId,
      query: q === undefined ? undefined : readQuery(q),
    }
    const { userId, parentId: below } = listing
    return answerPage<WithPosition<SeenAlbum>, AlbumPosition>(call, {
      list: 'albums',
      sort,
      filter: { userId, below, q },
      read: (page) => listAlbums(call.site, call.caller, listing, page),
      count: (most) => countAlbums(call.site, call.caller, listing, most),
      positionOf: ({ position }) => position,
      write: writeAlbum(albumUrlOf(call)),
    })
  },
}

function userIdOf({ caller, query }: MediaCall): string | undefined {
  const { user_id: userId } = query as { user_id?: string }
  if (userId !== 'me') return userId
  if (caller.kind === 'guest') throw invalidFields([{ ...faultOf('user_id', 'callerNeeded'), in: 'query' }])
  return caller.userId
}

export const postAlbum: ChangingEndpoint = {
  tag: 'Albums',
  summary: 'Create an album',
  description: 'A sub-album is never more open than its parent; by default it has the privacy of its parent.',
  access: 'account-write',
  proof: noProof.ownThings,
  body: NewAlbumBody,
  bodyExample: { title: 'Kittens', privacy: 'link', description: 'All of them' },
  responses: {
    201: {
      description: 'The album.',
      schema: AlbumObject,
      headers: { Location: 'The address of the album', ...tagged },
    },
    ...onceRefusals,
    403: refusedAs('The site has reached its album limit.', limitReached('SERVICE_MAX_ALBUMS', 10)),
    409: misplaced,
  },
  handle: (call) => {
    const { password, ...input } = readNewAlbum(call.body)
    return prepareAndChangeOnce(
      call,
      () => hashNewPassword(password),
      async (site, passwordHash) => {
        const album = await createOwnAlbum(site, userOf(call), { ...input, passwordHash })
        const headers = { location: `/api/5/albums/${album.id}`, etag: etagOf(album.version) }
        return { status: 201, body: writeAlbum(albumUrlOf(call))(album), headers }
      },
    )
  },
}

export const getAlbum: MediaEndpoint = {
  tag: 'Albums',
  summary: 'Read an album',
  description: 'Every caller can read a public or link album by its id.',
  access: 'visitor-read',
  requestHeaders: ['IfNoneMatch'],
  params: ofId,
  responses: {
    200: { description: 'The album.', schema: AlbumObject, headers: tagged },
    304: notModified,
    ...scopedRefusals,
    404: unknownAlbum,
  },
  handle: async (call) => {
    const album = await readAlbum(call.site, call.caller, idOf(call, albumNotFound))
    return answerVersion(call, album.version, writeAlbum(albumUrlOf(call))(album))
  },
}

export const patchAlbum: ChangingEndpoint = {
  tag: 'Albums',
  summary: 'Change an album',
  description:
    'Omitted fields keep their values; null clears one. If the album becomes less open, more ' +
    'open sub-albums follow, and signed addresses of its files end. Caches may still hold bytes ' +
    'that were public before.',
  access: 'write',
  proof: noProof.ownThings,
  requestHeaders: ['IfMatch'],
  params: ofId,
  body: AlbumEditBody,
  bodyExample: { title: 'Cats', privacy: 'password', password: 'nine lives' },
  responses: {
    200: { description: 'The album.', schema: AlbumObject, headers: tagged },
    ...bodyRefusals,
    403: notYours,
    404: unknownAlbum,
    409: misplaced,
    ...versionRefusals,
  },
  handle: async (call) => {
    const { password, ...edit } = readAlbumEdit(call.body)
    const id = idOf(call, albumNotFound)
    // Refused before the slow hashing of the password; the change itself checks again.
    await readAlbum(call.site, call.caller, id)
    const passwordHash = await hashNewPassword(password)
    const change = { ...edit, id, passwordHash, checkVersion: versionCheck(call) }
    const album = await changeSite(call.app.control, call.site, (site) =>
      editOwnAlbum(site, userOf(call), change),
    )
    const headers = { etag: etagOf(album.version), 'cache-control': 'private, no-cache' }
    return { status: 200, body: writeAlbum(albumUrlOf(call))(album), headers }
  },
}

export const deleteAlbum: ChangingEndpoint = {
  tag: 'Albums',
  summary: 'Delete an album',
  description:
    'With `files=trash` its files are moved to the trash. Otherwise they are kept without an ' +
    'album; files of a private album or of one with a password become private. Sub-albums move ' +
    'to the parent album, keys that are bound to the album are revoked, and its shares end.',
  access: 'write',
  proof: noProof.ownThings,
  requestHeaders: ['IfMatch'],
  params: ofId,
  query: Type.Object({
    files: Type.Optional(
      Type.String({ enum: ['keep', 'trash'], default: 'keep', description: 'What happens to its files' }),
    ),
  }),
  responses: { 204: noContent, ...changeRefusals, ...versionRefusals, 403: notYours, 404: unknownAlbum },
  handle: async (call) => {
    const removal = {
      id: idOf(call, albumNotFound),
      checkVersion: versionCheck(call),
      trashesFiles: call.query.files === 'trash',
    }
    await changeSite(call.app.control, call.site, (site) => removeOwnAlbum(site, userOf(call), removal))
    return { status: 204 }
  },
}

const versionCheck =
  ({ request }: MediaCall) =>
  (version: number) =>
    checkIfMatch(request.headers, version)

/** The address of an album's page. */
export const albumUrlOf =
  ({ app, site, request }: MediaCall) =>
  ({ id, title }: Pick<SeenAlbum, 'id' | 'title'>): string => {
    const slug = slugOf(title)
    const name = slug === '' ? id : `${slug}.${id}`
    return `${publicUrl(app.config, site.hostname, request.client.scheme)}album/${name}`
  }
