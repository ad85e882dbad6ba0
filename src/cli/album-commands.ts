import { allUsernames } from '../accounts/index.ts'
import { writeTime } from '../lib/times.ts'
import {
  type Album,
  allAlbums,
  createAlbum,
  editAlbum,
  type ListedAlbum,
  type Privacy,
  removeAlbum,
} from '../media/index.ts'
import type { Site } from '../site/index.ts'
import { publishTotals } from '../tenants/index.ts'
import { plain } from './cells.ts'
import { onSite } from './on-site.ts'
import type { Session } from './session.ts'
import { type Column, tableOf } from './table.ts'
import { nothingToChange } from './usage-fault.ts'

interface AlbumInput {
  tenant: string
  username: string
  title: string
  privacy: Privacy
  password?: string
}

export async function createSiteAlbum(session: Session, { tenant, ...input }: AlbumInput): Promise<void> {
  const { id, title, privacy, username } = await onSite(session, tenant, async (site, control) => {
    const album = await createAlbum(site, input)
    await publishTotals(control, site)
    return named(site, album)
  })
  session.answer(
    { id, title, privacy, username },
    () => `Created the album ${id} of ${username}: ${plain(title)} (${privacy}).`,
  )
}

const named = async (site: Site, album: Album) => ({
  ...album,
  username: (await allUsernames(site.db)).get(album.userId) ?? '',
})

interface AlbumEdit {
  tenant: string
  id: string
  title?: string
  privacy?: Privacy
  password?: string
}

export async function editSiteAlbum(session: Session, { tenant, ...edit }: AlbumEdit): Promise<void> {
  if (Object.keys(edit).length === 1) throw nothingToChange('terrace site album:edit')
  const { id, title, privacy, username } = await onSite(session, tenant, async (site) =>
    named(site, await editAlbum(site, edit)),
  )
  session.answer(
    { id, title, privacy, username },
    () => `Changed the album ${id} of ${username}: ${plain(title)} (${privacy}).`,
  )
}

export async function deleteSiteAlbum(
  session: Session,
  { tenant, id }: { tenant: string; id: string },
): Promise<void> {
  const { album, files } = await onSite(session, tenant, async (site, control) => {
    const removed = await removeAlbum(site, id)
    await publishTotals(control, site)
    return removed
  })
  session.answer({ id, deleted: true, files_kept: files }, () => `Deleted the album ${plain(album.title)}.`)
  if (files === 0) return
  const kept = files === 1 ? 'Its file stays' : `Its ${files} files stay`
  const pages = album.privacy === 'public' ? '' : ', and what kept their pages from others is gone'
  session.note(`${kept}, without an album${pages}.`)
}

type NamedAlbum = ListedAlbum & { username: string }

const columns: readonly Column<NamedAlbum>[] = [
  { title: 'ID', value: (album) => album.id, style: () => 'cyan' },
  { title: 'TITLE', value: (album) => album.title },
  { title: 'PRIVACY', value: (album) => album.privacy },
  { title: 'USER', value: (album) => album.username },
  { title: 'FILES', value: (album) => String(album.files), isRight: true },
  { title: 'CREATED', value: (album) => writeTime(album.createdAt), style: () => 'dim' },
]

export async function listAlbums(session: Session, { tenant }: { tenant: string }): Promise<void> {
  const albums = await onSite(session, tenant, async (site) => {
    const usernames = await allUsernames(site.db)
    return (await allAlbums(site.db)).map((album) => ({
      ...album,
      username: usernames.get(album.userId) ?? '',
    }))
  })
  session.answerList(albums.map(writeAlbum), () => tableOf(session.out, columns, albums), {
    ifEmpty: `There are no albums yet. Make one: terrace site --tenant ${tenant} album:create --username NAME --title TEXT`,
  })
}

const writeAlbum = ({ id, title, privacy, username, files, createdAt }: NamedAlbum) => ({
  ...{ id, title, privacy, username, files },
  created_at: writeTime(createdAt),
})
