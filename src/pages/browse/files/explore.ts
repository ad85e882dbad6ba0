import { html } from '../../../lib/html.ts'
import type { PageHandler } from '../../page-call.ts'
import { fileGrid } from '../lists/file-grid.ts'
import { openList } from '../lists/file-list.ts'
import { exploreTabs, fileChips, listPage, noFiles, ofListing, uploadButton } from '../lists/list-page.ts'
import { readFilePage } from '../lists/read-page.ts'

/** What everyone may see, the newest first. */
export const getExplore: PageHandler = ofListing(async (call) => {
  const { words } = call.reader
  const page = await readFilePage(call, await openList(call, 'explore'))
  const body =
    page.files.length === 0
      ? noFiles(call, words.noFilesText, uploadButton(call.reader, '/upload'))
      : fileGrid(call, page)
  return {
    page: listPage(call, {
      title: words.explore,
      isListed: true,
      about: html`${exploreTabs(call, 'files')}${fileChips(call, page, ['newest', 'popular', 'liked'])}`,
      body: html`${body}`,
    }),
  }
})
