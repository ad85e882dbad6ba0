import { allUsernames } from '../../../accounts/index.ts'
import { writeTime } from '../../../lib/times.ts'
import {
  type Album,
  allAlbums,
  createAlbum,
  editAlbum,
  type ListedAlbum,
  type Privacy,
  removeAlbum,
} from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'
import type { Session } from '../../session.ts'
import { type Column, counted, plain, tableOf } from '../../terminal/table.ts'
import { nothingToChange } from '../../terminal/usage-fault.ts'
import { changeOnSite, onSite } from './on-site.ts'

interface AlbumInput {
  tenant: string
  username: string
  title: string
  privacy: Privacy
  password?: string
}

export async function createSiteAlbum(session: Session, { tenant, ...input }: AlbumInput): Promise<void> {
  const { id, title, privacy, username } = await changeOnSite(session, tenant, async (site) =>
    named(site, await createAlbum(site, input)),
  )
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
  const { id, title, privacy, username } = await changeOnSite(session, tenant, async (site) =>
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
  const { album, files } = await changeOnSite(session, tenant, (site) => removeAlbum(site, id))
  session.answer({ id, deleted: true, files_kept: files }, () => `Deleted the album ${plain(album.title)}.`)
  if (files === 0) return
  const isHidden = album.privacy === 'private' || album.privacy === 'password'
  const pages = isHidden ? ' as private: only the owner and administrators can open their pages' : ''
  session.note(`Kept ${counted(files, 'file')}${pages}.`)
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
    ifEmpty: `There are no albums yet. Create one: terrace site --tenant ${tenant} album:create --username NAME --title TEXT`,
  })
}

const writeAlbum = ({ id, title, privacy, username, files, createdAt }: NamedAlbum) => ({
  id,
  title,
  privacy,
  username,
  files,
  created_at: writeTime(createdAt),
})
