import type { ExpressionBuilder } from 'kysely'
import type { SiteDb, SiteTables } from '../db/index.ts'
import { isListedAlbum } from './albums/album-lists-table.ts'
import { isLive } from './files/files-table.ts'
import { isListedTo, type Visibility } from './visibility-table.ts'

/** How many rows with the beginning are looked at, and how many files of each: what a reader types costs no more. */
const [mostCandidates, mostFiles] = [50, 200]

/** Both stores compare texts by code points, and no character is behind this one. */
const lastCharacter = '\u{10ffff}'

interface Sought {
  /** What the sorted form begins with. */
  beginning: string
  limit: number
  now: Date
}

type FileExpressions = ExpressionBuilder<SiteTables, 'file'>

const isListed = (visibility: Visibility, now: Date) => (eb: FileExpressions) =>
  eb.and([isListedTo(visibility)(eb), isLive(now.toISOString())(eb)])

/** Tags that begin so, of files that the caller may list. */
export async function tagsBeginning(
  db: SiteDb,
  visibility: Visibility,
  { beginning, limit, now }: Sought,
): Promise<string[]> {
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('tag')
        .select(['tag.name', 'tag.form'])
        .where('tag.form', '>=', beginning)
        .where('tag.form', '<', `${beginning}${lastCharacter}`)
        .orderBy('tag.form')
        .orderBy('tag.name')
        .limit(mostCandidates)
        .as('tag'),
    )
    .select('tag.name')
    .where((eb) => {
      const tagged = eb
        .selectFrom('fileTag')
        .select('fileTag.fileId')
        .whereRef('fileTag.tagName', '=', 'tag.name')
      const files = eb.selectFrom('file').select('file.id').where('file.id', 'in', tagged.limit(mostFiles))
      return eb.exists(files.where((file) => isListed(visibility, now)(file as unknown as FileExpressions)))
    })
    .orderBy('tag.form')
    .orderBy('tag.name')
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}

/** Albums whose title begins so, and that the caller may list. */
export async function albumsBeginning(
  db: SiteDb,
  visibility: Visibility,
  { beginning, limit }: Sought,
): Promise<{ id: string; title: string }[]> {
  return db
    .selectFrom((eb) =>
      eb
        .selectFrom('album')
        .select(['album.id', 'album.title', 'album.titleSort', 'album.userId', 'album.privacy'])
        .where('album.titleSort', '>=', beginning)
        .where('album.titleSort', '<', `${beginning}${lastCharacter}`)
        .orderBy('album.titleSort')
        .orderBy('album.id')
        .limit(mostCandidates)
        .as('album'),
    )
    .select(['album.id', 'album.title'])
    .where((eb) => isListedAlbum(visibility)(eb as unknown as ExpressionBuilder<SiteTables, 'album'>))
    .orderBy('album.titleSort')
    .orderBy('album.id')
    .limit(limit)
    .execute()
}

/** People whose name begins so, with a file that the caller may list. */
export async function usersBeginning(
  db: SiteDb,
  visibility: Visibility,
  { beginning, limit, now }: Sought,
): Promise<string[]> {
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('user')
        .select(['user.id', 'user.username', 'user.usernameKey'])
        .where('user.usernameKey', '>=', beginning)
        .where('user.usernameKey', '<', `${beginning}${lastCharacter}`)
        .orderBy('user.usernameKey')
        .limit(mostCandidates)
        .as('user'),
    )
    .select('user.username')
    .where((eb) => {
      const owned = eb.selectFrom('file as owned').select('owned.id').whereRef('owned.userId', '=', 'user.id')
      const files = eb.selectFrom('file').select('file.id').where('file.id', 'in', owned.limit(mostFiles))
      return eb.exists(files.where((file) => isListed(visibility, now)(file as unknown as FileExpressions)))
    })
    .orderBy('user.usernameKey')
    .limit(limit)
    .execute()
  return rows.map(({ username }) => username)
}
