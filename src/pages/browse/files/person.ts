import { findUserByName, isReservedName, readProfile, userNotFound } from '../../../accounts/index.ts'
import { orCannotRead, routeNotFound } from '../../../http/responses/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { checkListing, coversOf, listAlbums } from '../../../media/index.ts'
import { profilePicturePath } from '../../../ui/own-path.ts'
import { linkButton } from '../../../ui/parts/controls.ts'
import { avatar, tabs } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import { readAlbumPage } from '../albums/read-album-page.ts'
import { albumCards } from '../lists/album-card.ts'
import { fileGrid } from '../lists/file-grid.ts'
import { callerOf, openList } from '../lists/file-list.ts'
import { fileChips, listPage, noFiles, ofListing } from '../lists/list-page.ts'
import { readFilePage } from '../lists/read-page.ts'
import { personPath } from './person-path.ts'

interface Person {
  id: string
  username: string
}

/**
 * A name that is reserved leads to a page of ours, so that it is a person's at `/user/` alone. Where people are not listed, a name
 * that exists is answered as one that does not.
 */
async function personAt(call: PageCall): Promise<Person> {
  const { site, params, request, session } = call
  const { name = '' } = params
  const isPlain = !request.url.startsWith('/user/')
  if (isPlain && isReservedName(name)) throw routeNotFound()
  const isSelf = session?.username.toLowerCase() === name.toLowerCase()
  if (!isSelf)
    await checkListing(site, callerOf(call)).catch((refusal) => Promise.reject(hidden(isPlain, refusal)))
  const user = await findUserByName(site.db, name)
  if (!user) throw isPlain ? routeNotFound() : userNotFound(name.slice(0, 32).replaceAll('\0', ''))
  return user
}

/** Any word may be mistyped at `/WORD`: that is no reason to explain how this site lists people. */
const hidden = (isPlain: boolean, refusal: unknown) =>
  isPlain && refusal instanceof Refusal && refusal.code === 'listing-off' ? routeNotFound() : refusal

/** A person's files, as the caller sees them. */
export const getPerson: PageHandler = ofListing(async (call) => {
  const person = await personAt(call)
  const page = await readFilePage(call, await openList(call, `user:${person.username}`))
  const { words } = call.reader
  const body = page.files.length === 0 ? noFiles(call, words.noFilesOfPerson) : fileGrid(call, page)
  return personPage(call, person, {
    isAlbums: false,
    body,
    about: fileChips(call, page, ['newest', 'popular', 'liked']),
  })
})

/** A person's albums. */
export const getPersonAlbums: PageHandler = ofListing(async (call) => {
  const { site } = call
  const person = await personAt(call)
  const { albums, pageLinks } = await readAlbumPage(call, (page) =>
    listAlbums(
      site,
      callerOf(call),
      { sort: 'createdAt', isDescending: true, userId: person.id, parentId: null },
      page,
    ),
  )
  const covers = await coversOf(site, callerOf(call), albums)
  const { words } = call.reader
  const body =
    albums.length === 0
      ? emptyState({ title: words.noAlbums, text: words.noAlbumsText })
      : html`${albumCards(call, albums, covers)}${pageLinks}`
  return personPage(call, person, { isAlbums: true, body, about: undefined })
})

interface Shown {
  isAlbums: boolean
  body: Html
  about: Html | undefined
}

async function personPage(call: PageCall, { id, username }: Person, { isAlbums, body, about }: Shown) {
  const { words } = call.reader
  const profile = await orCannotRead(readProfile(call.site, id))
  const path = personPath(username)
  const tabBar = tabs(words.personTabs, [
    { label: words.filesTab, address: path, isCurrent: !isAlbums },
    { label: words.albums, address: `${path}/albums`, isCurrent: isAlbums },
  ])
  const isOwn = call.session?.caller.userId === id
  return {
    page: listPage(call, {
      title: username,
      face: avatar(username, profilePicturePath(id, profile.pictureHash)),
      description: profile.about,
      actions: isOwn
        ? linkButton(words.editProfile, '/settings', { look: 'plain', icon: 'edit' })
        : undefined,
      isListed: true,
      about: html`${tabBar}${about}`,
      body,
    }),
  }
}
