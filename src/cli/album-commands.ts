import { allUsernames, findUserByName, userNotFound } from '../accounts/index.ts'
import { writeTime } from '../lib/times.ts'
import { type Album, allAlbums, createAlbum, type Privacy } from '../media/index.ts'
import { publishTotals } from '../tenants/index.ts'
import { plain } from './cells.ts'
import { onSite } from './on-site.ts'
import type { Session } from './session.ts'
import { type Column, tableOf } from './table.ts'

interface AlbumInput {
  tenant: string
  username: string
  title: string
  privacy: Privacy
  password?: string
}

export async function createSiteAlbum(session: Session, { tenant, ...input }: AlbumInput): Promise<void> {
  const { album, owner } = await onSite(session, tenant, async (site, control) => {
    const owner = await findUserByName(site.db, input.username)
    if (!owner) throw userNotFound(input.username)
    const album = await createAlbum(site, input)
    await publishTotals(control, site)
    return { album, owner }
  })
  const { id, title, privacy } = album
  session.answer(
    { id, title, privacy, username: owner.username },
    () => `Created the album ${id} of ${owner.username}: ${plain(title)} (${privacy}).`,
  )
}

type NamedAlbum = Album & { username: string }

const columns: readonly Column<NamedAlbum>[] = [
  { title: 'ID', value: (album) => album.id, style: () => 'cyan' },
  { title: 'TITLE', value: (album) => album.title },
  { title: 'PRIVACY', value: (album) => album.privacy },
  { title: 'USER', value: (album) => album.username },
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

const writeAlbum = ({ id, title, privacy, username, createdAt }: NamedAlbum) => ({
  ...{ id, title, privacy, username },
  created_at: writeTime(createdAt),
})
