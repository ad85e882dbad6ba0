import { html } from '../../../lib/html.ts'
import type { PageHandler } from '../../page-call.ts'
import { emptyState } from '../../parts/states.ts'
import { fileGrid } from '../lists/file-grid.ts'
import { openList } from '../lists/file-list.ts'
import { exploreTabs, listChips, listPage, ofListing, uploadButton } from '../lists/list-page.ts'
import { readFilePage } from '../lists/read-page.ts'

/** What everyone may see, the newest first. */
export const getExplore: PageHandler = ofListing(async (call) => {
  const { words } = call.reader
  const page = await readFilePage(call, await openList(call, 'explore'))
  const body =
    page.files.length === 0
      ? emptyState({
          title: words.noFiles,
          text: words.noFilesText,
          action: uploadButton(call.reader, '/upload'),
        })
      : fileGrid(call, page)
  return {
    page: listPage(call, {
      title: words.explore,
      isListed: true,
      about: html`${exploreTabs(call, 'files')}${listChips(call, ['newest', 'popular', 'liked'], 'newest')}`,
      body: html`${body}`,
    }),
  }
})
