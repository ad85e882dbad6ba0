import { type Caller, findUserByName, unauthenticated } from '../../../accounts/index.ts'
import { badRequest } from '../../../http/responses/errors.ts'
import { siteKey } from '../../../http/site-key.ts'
import { isId } from '../../../lib/ids.ts'
import { invalidFields } from '../../../lib/refusal.ts'
import {
  accessOf,
  albumAccessOf,
  albumNotFound,
  categoryOfKey,
  checkListing,
  type FileSelection,
  type FileSort,
  fileNotFound,
  insideAlbum,
  type OpenedShare,
  readAlbum,
  type SeenAlbum,
  shareOfPass,
  shareOfToken,
  tagNameOf,
  tagNotFound,
  unknownShare,
} from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'
import type { PageCall } from '../../page-call.ts'
import { hasUnlockToken } from '../../password/unlock-token.ts'
import { dayOf, readSearch, type SearchFilter } from './search-words.ts'

/** A list of files that a page shows and that its grid asks for. */
export interface FileList {
  /** Names the list in requests of the grid: `explore`, `album:ID`, `search:QUERY`. Empty: it is read by pages alone. */
  name: string
  selection: FileSelection
  sort: FileSort
  /** The caller with what the list opens. */
  caller: Caller
  /** The page of the share that shows the list. */
  sharePath?: string
}

export const callerOf = ({ session }: Pick<PageCall, 'session'>): Caller =>
  session?.caller ?? { kind: 'guest', hasPublicKey: false }

/** The visitor of a share, with what it shows. */
export const visitorOf = (opened: OpenedShare): Caller => ({
  kind: 'guest',
  hasPublicKey: false,
  share: accessOf(opened),
})

export const fileSorts = {
  newest: { by: 'created', isDescending: true },
  oldest: { by: 'created', isDescending: false },
  popular: { by: 'views', isDescending: true },
  liked: { by: 'likes', isDescending: true },
} as const satisfies Readonly<Record<string, FileSort>>

export type SortWord = keyof typeof fileSorts

export const isSortWord = (text: string | null): text is SortWord =>
  text !== null && Object.hasOwn(fileSorts, text)

/** Opens a list by its name, with `sort` and `type` of the address, or refuses it as its page does. */
export async function openList(call: PageCall, name: string): Promise<FileList> {
  const [kind = '', ...rest] = name.split(':')
  const opener = Object.hasOwn(openers, kind) ? openers[kind as ListKind] : undefined
  if (!opener) throw badRequest('in: must be the name of a list.')
  const list = await opener(call, rest.join(':'))
  const { query } = call
  const [sort, type] = [query.get('sort'), query.get('type')]
  return {
    name,
    caller: callerOf(call),
    ...list,
    selection: { ...list.selection, ...((type === 'image' || type === 'video') && { type }) },
    sort: isSortWord(sort) ? fileSorts[sort] : list.sort,
  }
}

type Opened = Pick<FileList, 'selection' | 'sort' | 'sharePath'> & { caller?: Caller }
type Opener = (call: PageCall, value: string) => Promise<Opened>
type ListKind = 'explore' | 'mine' | 'trash' | 'album' | 'tag' | 'category' | 'user' | 'search' | 'share'

const newest: FileSort = fileSorts.newest

/** Lists in the order of time have a rail of dates, unless they are short. */
export const isByDate = ({ by }: FileSort): boolean => by === 'created' || by === 'date'
export const leastWithRail = 50

/** The order of a trash: what was deleted by mistake was deleted just now. */
export const lastDeleted: FileSort = { by: 'deleted', isDescending: true }

const openers: Readonly<Record<ListKind, Opener>> = {
  async explore(call) {
    await checkListing(call.site, callerOf(call))
    return { selection: {}, sort: newest }
  },
  mine: async (call) => ({ selection: { userId: ownId(call) }, sort: newest }),
  trash: async (call) => ({ selection: { userId: ownId(call), isTrashed: true }, sort: lastDeleted }),
  async album(call, id) {
    const { site, app, request } = call
    const { album, lock } = await albumAccessOf(site, callerOf(call), albumIdOf(id))
    if (lock && !hasUnlockToken(app, site, { request, lock })) throw albumNotFound(album.id)
    return {
      selection: { albumId: album.id },
      sort: sortOf(album.sort),
      caller: insideAlbum(site, callerOf(call), album),
    }
  },
  async tag(call, text) {
    await checkListing(call.site, callerOf(call))
    const name = tagNameOf(text)
    // PostgreSQL refuses a NUL in a text, and no tag has one.
    if (name === '' || name.includes('\0')) throw tagNotFound(name.replaceAll('\0', ''))
    return { selection: { tags: [name] }, sort: newest }
  },
  async category(call, key) {
    await checkListing(call.site, callerOf(call))
    return { selection: { categoryId: (await categoryOfKey(call.site, key)).id }, sort: newest }
  },
  async user(call, name) {
    const user = await findUserByName(call.site.db, name)
    const isSelf = user !== undefined && call.session?.caller.userId === user.id
    if (!isSelf) await checkListing(call.site, callerOf(call))
    return { selection: { userId: user?.id ?? '' }, sort: newest }
  },
  async search(call, text) {
    await checkListing(call.site, callerOf(call))
    const { filters, query, fault } = readSearch(text.replaceAll('\0', ' '))
    if (fault !== undefined) throw invalidFields([{ field: 'in', in: 'query', ...fault }])
    const selection = { ...(await selectionOf(call, filters)), ...(query && { query }) }
    return { selection, sort: query ? { by: 'relevance', isDescending: false } : newest }
  },
  async share({ app, site }, text) {
    const [token = '', pass = ''] = text.split(':')
    const opened = await shareOfPass(site, siteKey(app, site, 'share passes'), pass)
    if ((await shareOfToken(site, token)).id !== opened.share.id) throw unknownShare()
    const { selection, sort } = await openShared(site, opened)
    return { selection, sort, caller: visitorOf(opened), sharePath: `/share/${token}` }
  },
}

/** The files of a shared album, or those that are shared together, for a visitor who is in. */
export async function openShared(
  site: Site,
  opened: OpenedShare,
): Promise<Pick<FileList, 'selection' | 'sort'> & { album: SeenAlbum | undefined }> {
  const { albumId = '', fileIds } = opened.share
  if (fileIds?.length === 0) throw fileNotFound()
  if (fileIds)
    return { album: undefined, selection: { ids: fileIds }, sort: { by: 'given', isDescending: false } }
  const album = await readAlbum(site, visitorOf(opened), albumId)
  return { album, selection: { albumId }, sort: sortOf(album.sort) }
}

function ownId({ session }: PageCall): string {
  if (!session) throw unauthenticated()
  return session.caller.userId
}

/** The id in `words.id`. No album has an id of another form, and PostgreSQL refuses some characters. */
export function albumIdOf(text: string): string {
  const id = text.slice(text.lastIndexOf('.') + 1)
  if (!isId(id)) throw albumNotFound(id.slice(0, 64).replaceAll('\0', ''))
  return id
}

/** The order that an album has by itself. */
export function sortOf(text: string): FileSort {
  const isDescending = text.startsWith('-')
  return { by: text.slice(isDescending ? 1 : 0) as FileSort['by'], isDescending }
}

async function selectionOf({ site }: PageCall, filters: readonly SearchFilter[]): Promise<FileSelection> {
  const selection: { -readonly [Key in keyof FileSelection]: FileSelection[Key] } = {}
  for (const { name, value } of filters) {
    const at = dayOf(value)
    if (name === 'tag') selection.tags = [...(selection.tags ?? []), tagNameOf(value)]
    else if (name === 'user') selection.userId = (await findUserByName(site.db, value))?.id ?? ''
    else if (name === 'type') selection.type = value as 'image' | 'video'
    else if (name === 'album') selection.albumId = albumIdOf(value)
    else if (name === 'before' && at) selection.dateBefore = at
    // With that moment itself: a person means the whole day.
    else if (name === 'after' && at) selection.dateAfter = new Date(at.getTime() - 1)
  }
  return selection
}
