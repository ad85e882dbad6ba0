import { addressesOf } from '../../http/addresses/file-addresses.ts'
import { type Html, html } from '../../lib/html.ts'
import { listReported, type ReportedFile } from '../../media/index.ts'
import { tokenField } from '../../ui/form.ts'
import { addressWith } from '../../ui/list-address.ts'
import { submitButton } from '../../ui/parts/controls.ts'
import { icon } from '../../ui/parts/icon.ts'
import { chip, pager } from '../../ui/parts/lists.ts'
import { emptyState } from '../../ui/parts/states.ts'
import { writeAgo, writeCount, writeNumber } from '../../words/format.ts'
import { titleOf } from '../browse/viewer/title.ts'
import { type PageCall, type PageHandler, userOf } from '../page-call.ts'
import { dashboardPage, pageNumberIn } from './dashboard-frame.ts'
import { changedFiles } from './files/changed-files.ts'
import { reasonField, writeChosen } from './files/file-choices.ts'
import { staffTileOf } from './files/staff-tile.ts'

const filesOfPage = 20

/** Files that were reported, those that have waited longest first. */
export const showReports: PageHandler = async (call) => {
  const page = pageNumberIn(call)
  const found = await listReported(call.site, userOf(call), {
    offset: (page - 1) * filesOfPage,
    limit: filesOfPage + 1,
  })
  const [files, hasNext] = [found.slice(0, filesOfPage), found.length > filesOfPage]
  const done = await changedFiles(call, '/dashboard/reports')
  return { page: reportsPage(call, { files, page, hasNext, done }) }
}

interface Reports {
  files: readonly ReportedFile[]
  page: number
  hasNext: boolean
  done: Html | undefined
}

function reportsPage(call: PageCall, { files, page, hasNext, done }: Reports): string {
  const { words } = call.reader
  const content =
    files.length === 0
      ? emptyState({ title: words.reportsEmpty, text: words.reportsEmptyText })
      : html`<p class="soft">${words.reportsText}</p>${cases(call, files)}${pageLinks(call, page, hasNext)}`
  return dashboardPage(call, { part: '/dashboard/reports', content, done })
}

/** One form: its buttons decide on one file each, or on all that are marked. */
function cases(call: PageCall, files: readonly ReportedFile[]): Html {
  const { reader } = call
  const { words } = reader
  return html`<form method="post" action="/dashboard/reports" class="decisions">
${tokenField(reader)}
<p class="actions">${submitButton(words.keepMarked, { look: 'plain', icon: 'check', more: { name: 'action', value: 'keep' } })}${submitButton(words.removeMarked, { look: 'plain', icon: 'delete', more: { name: 'action', value: 'trash' } })}</p>
${reasonField(words)}
<ul class="decision-cards">${files.map((reported) => card(call, reported))}</ul>
</form>`
}

function pageLinks(call: PageCall, page: number, hasNext: boolean): Html | undefined {
  if (page === 1 && !hasNext) return undefined
  const { words } = call.reader
  const at = (number: number) => addressWith(call, { page: number === 1 ? undefined : String(number) })
  return pager({
    words,
    newer: page > 1 ? at(page - 1) : undefined,
    older: hasNext ? at(page + 1) : undefined,
    labels: [words.previousPage, words.listNext],
  })
}

function card(call: PageCall, reported: ReportedFile): Html {
  const { app, site, reader } = call
  const { words, language } = reader
  const { shown, reports, firstAt } = reported
  const { file, username } = shown
  const [title, chosen] = [titleOf(file), writeChosen(file)]
  const { picture } = staffTileOf(call, shown)
  const ago = writeAgo(language, firstAt, site.clock.now()) ?? words.momentsAgo
  const decide = (action: 'keep' | 'trash', label: string) =>
    submitButton(label, {
      look: action === 'keep' ? 'main' : 'plain',
      isDense: true,
      more: { name: 'one', value: `${action} ${chosen}`, 'aria-label': `${label}: ${title}` },
    })
  return html`<li class="decision">
<a class="decision-picture" href="${addressesOf(app, site, file).viewerPath}">${picture === null ? html`${icon(file.isNsfw ? 'eye-off' : file.type === 'video' ? 'video' : 'picture')}<span class="only-read">${title}</span>` : html`<img src="${picture}" alt="${title}" loading="lazy" decoding="async">`}</a>
<label class="check"><input type="checkbox" name="file" value="${chosen}"><span dir="auto">${title}</span></label>
<p class="small soft"><span dir="auto">${username ?? words.guest}</span></p>
<p class="small">${writeCount(language, words.reportCount, reports)}, ${words.reportedFirst(ago)}</p>
<p class="chips">${file.isApproved ? undefined : chip(words.reportHidden, 'warn')}${reasons(call, reported)}</p>
${texts(call, reported)}
<p class="actions">${decide('keep', words.keep)}${decide('trash', words.remove)}</p>
</li>`
}

const reasons = ({ reader: { words, language } }: PageCall, reported: ReportedFile): Html[] =>
  reported.reasons.map(({ reason, count }) =>
    chip(
      count === 1
        ? words.reportReasons[reason]
        : `${words.reportReasons[reason]} × ${writeNumber(language, count)}`,
    ),
  )

/** What reporters wrote, folded if it is more than one text. */
function texts({ reader: { words, language } }: PageCall, reported: ReportedFile): Html | undefined {
  const [newest] = reported.texts
  if (!newest) return undefined
  const lines = reported.texts.map(
    ({ text, username }) =>
      html`<li><span class="soft" dir="auto">${username ?? words.guest}</span> <q dir="auto">${text}</q></li>`,
  )
  const list = html`<ul class="report-texts small">${lines}</ul>`
  if (reported.texts.length === 1) return list
  return html`<details><summary class="small">${writeCount(language, words.reportTexts, reported.texts.length)}</summary>${list}</details>`
}
