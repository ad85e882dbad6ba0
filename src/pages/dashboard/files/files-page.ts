import { findUserByName } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import { type FileSelection, type FileSort, type ListedFile, readQuery } from '../../../media/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { addressWith } from '../../../ui/list-address.ts'
import { submitButton } from '../../../ui/parts/controls.ts'
import { icon } from '../../../ui/parts/icon.ts'
import { type Column, chip, linkChip, pager, table } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import { writeAgo, writeNumber, writeSize } from '../../../words/format.ts'
import { callerOf, type FileList, fileSorts, isSortWord, lastDeleted } from '../../browse/lists/file-list.ts'
import { type FilePageOf, readFilePage } from '../../browse/lists/read-page.ts'
import { titleOf } from '../../browse/viewer/title.ts'
import type { PageCall, PageHandler } from '../../page-call.ts'
import { dashboardPage, limitUse, searchForm } from '../dashboard-frame.ts'
import { changedFiles } from './changed-files.ts'
import { reasonField, writeChosen } from './file-choices.ts'
import { staffTileOf } from './staff-tile.ts'

/** Which files of the site are shown; all by default. */
const fileShows = ['all', 'images', 'videos', 'waiting', 'nsfw', 'trash'] as const
type FileShow = (typeof fileShows)[number]

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
  const { words } = call.reader
  const uses = html`${await limitUse(call, 'SERVICE_MAX_FILES', words.filesTab)}${await limitUse(call, 'SERVICE_MAX_STORAGE', words.storage)}`
  const done = await changedFiles(call, '/dashboard/files')
  return { page: filesPage(call, { page, show, uses, done }) }
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

interface Files {
  page: FilePageOf
  show: FileShow
  /** How much of their limits the files of the site use. */
  uses: Html
  done: Html | undefined
}

function filesPage(call: PageCall, { page, show, uses, done }: Files): string {
  const { words } = call.reader
  const content = html`${uses}${filters(call, show)}
${page.files.length === 0 ? emptyState({ title: words.noFiles, text: words.noFilesHere }) : files(call, page, show)}`
  return dashboardPage(call, { part: '/dashboard/files', content, done })
}

/** What the last form did is no part of another list. */
const fresh = { did: undefined, files: undefined, left: undefined, count: undefined }

function filters(call: PageCall, show: FileShow): Html {
  const { query, reader } = call
  const { words } = reader
  const chips = fileShows.map((each) =>
    linkChip(
      words.fileShows[each],
      addressWith(call, { ...fresh, show: each === 'all' ? undefined : each }),
      each === show,
    ),
  )
  const kept = { show: query.get('show'), user: query.get('user') }
  return html`${searchForm(call, { action: '/dashboard/files', label: words.searchFiles, kept })}
<nav class="chips" aria-label="${words.sortAndFilter}">${chips}</nav>`
}

function files(call: PageCall, { files: listed, first, next }: FilePageOf, show: FileShow): Html {
  const { reader, query } = call
  const { words } = reader
  const sortable = (name: string, sort: string, usual = false): Column => ({
    name,
    sortAddress: addressWith(call, { ...fresh, sort: usual ? undefined : sort }),
    ...((query.get('sort') ?? (usual ? sort : '')) === sort && { sorted: 'descending' }),
  })
  const columns = [
    { name: words.trashFile },
    { name: words.fileOwner },
    { ...sortable(words.factSize, 'size'), isNumber: true },
    { ...sortable(words.viewsColumn, 'popular'), isNumber: true },
    // A trash is sorted by deletion unless its reader asks for more.
    sortable(words.uploadedAt, 'newest', show !== 'trash'),
    { name: words.state },
  ]
  const action = (value: string, label: string, name: 'check' | 'delete' | 'undo') =>
    submitButton(label, { look: 'plain', icon: name, more: { name: 'action', value } })
  const actions =
    show === 'trash'
      ? action('restore', words.restore, 'undo')
      : html`${action('trash', words.fileTrash, 'delete')}${action('approve', words.approveMarked, 'check')}`
  const pageLinks =
    first === undefined && next === undefined
      ? undefined
      : pager({ words, newer: first, older: next, labels: [words.listFirst, words.listNext] })
  return html`<form method="post" action="/dashboard/files" class="decisions">
${tokenField(reader)}<input name="show" value="${show === 'all' ? '' : show}" type="hidden">
<p class="actions">${actions}</p>
${show === 'trash' ? undefined : reasonField(words)}
${table(
  words.filesTab,
  columns,
  listed.map((each) => row(call, each)),
)}
</form>${pageLinks}`
}

function row(call: PageCall, shown: ListedFile): Html[] {
  const { words, language } = call.reader
  const { file, username } = shown
  const { path, picture, title } = staffTileOf(call, shown)
  const small =
    picture === null
      ? icon(file.isNsfw ? 'eye-off' : file.type === 'video' ? 'video' : 'picture')
      : html`<img src="${picture}" alt="" width="40" height="40" loading="lazy" decoding="async">`
  return [
    html`<span class="file-cell"><input type="checkbox" name="file" value="${writeChosen(file)}" aria-label="${words.mark}: ${titleOf(file)}"><span class="file-picture">${small}</span><a href="${path}" dir="auto">${title}</a></span>`,
    html`<span dir="auto">${username ?? words.guest}</span>`,
    html`${writeSize(language, file.sizeBytes)}`,
    html`${writeNumber(language, file.views)}`,
    html`${writeAgo(language, file.createdAt, call.site.clock.now()) ?? words.momentsAgo}`,
    html`<span class="with-chip">${states(call, shown)}</span>`,
  ]
}

function states({ reader: { words } }: PageCall, { file }: ListedFile): Html[] {
  return [
    ...(file.isApproved ? [] : [chip(words.stateWaiting, 'warn')]),
    ...(file.isPrivate ? [chip(words.statePrivate)] : []),
    ...(file.isNsfw ? [chip(words.fileShows.nsfw)] : []),
  ]
}
