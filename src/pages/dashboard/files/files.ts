import { findUserByName } from '../../../accounts/index.ts'
import { type FileSelection, type FileSort, readQuery } from '../../../media/index.ts'
import { callerOf, type FileList, fileSorts, isSortWord, lastDeleted } from '../../browse/lists/file-list.ts'
import { readFilePage } from '../../browse/lists/read-page.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import { changedFiles } from './changed-files.ts'
import { type FileShow, fileShows } from './file-shows.ts'
import { filesPage } from './files-page.ts'

const selections: Readonly<Record<FileShow, FileSelection>> = {
  all: {},
  images: { type: 'image' },
  videos: { type: 'video' },
  waiting: { isApproved: false },
  nsfw: { isNsfw: true },
  trash: { isTrashed: true },
}

/** Files of everyone, whatever their privacy. */
export const showFiles: PageHandler = async (call) => {
  const show = fileShows.find((each) => each === call.query.get('show')) ?? 'all'
  const page = await readFilePage(call, await listOf(call, show))
  return { page: filesPage(call, { page, show, done: await changedFiles(call, '/dashboard/files') }) }
}

async function listOf(call: PageCall, show: FileShow): Promise<FileList> {
  const { query, site } = call
  const [words, owner] = [query.get('q')?.trim() ?? '', query.get('user')?.trim() ?? '']
  const selection: FileSelection = {
    ...selections[show],
    ...(words !== '' && { query: readQuery(words) }),
    // A name that no user has selects no file.
    ...(owner !== '' && { userId: (await findUserByName(site.db, owner))?.id ?? '' }),
  }
  return { name: 'files', caller: callerOf(call), selection, sort: sortOf(call, show) }
}

function sortOf({ query }: PageCall, show: FileShow): FileSort {
  const text = query.get('sort')
  if (text === 'size') return { by: 'size', isDescending: true }
  if (isSortWord(text)) return fileSorts[text]
  if (query.get('q')?.trim()) return { by: 'relevance', isDescending: false }
  return show === 'trash' ? lastDeleted : fileSorts.newest
}
