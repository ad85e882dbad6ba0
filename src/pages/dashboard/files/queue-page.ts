import { changeSettingsAs, mayDo } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { ListedFile } from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { selectField, submitButton } from '../../../ui/parts/controls.ts'
import { icon } from '../../../ui/parts/icon.ts'
import { pager } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import { writeAgo } from '../../../words/format.ts'
import { callerOf, fileSorts } from '../../browse/lists/file-list.ts'
import { type FilePageOf, readFilePage } from '../../browse/lists/read-page.ts'
import { titleOf } from '../../browse/viewer/title.ts'
import { type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { dashboardPage, dashboardSection } from '../dashboard-frame.ts'
import { changedFiles } from './changed-files.ts'
import { reasonField, writeChosen } from './file-choices.ts'
import { staffTileOf } from './staff-tile.ts'

/** Files that wait for approval, those that have waited longest first. */
export const showQueue: PageHandler = async (call) => {
  const list = {
    name: 'queue',
    caller: callerOf(call),
    selection: { isApproved: false },
    sort: fileSorts.oldest,
  }
  const page = await readFilePage(call, list)
  const { moderation } = await readSettings(call.site)
  return { page: queuePage(call, { page, moderation, done: await changedFiles(call, '/dashboard/queue') }) }
}

/** Whose uploads wait. A value of another kind is refused by the setting itself. */
export const postModeration: PageHandler = async (call) => {
  const edit = new Map([['moderation', call.form.get('moderation') ?? ''] as const])
  await changeSite(call.app.control, call.site, (site) => changeSettingsAs(site, userOf(call), edit))
  return { to: '/dashboard/queue?saved=1' }
}

interface Queue {
  page: FilePageOf
  /** The setting that says whose uploads wait. */
  moderation: string
  done: Html | undefined
}

function queuePage(call: PageCall, { page, moderation, done }: Queue): string {
  const { words, account } = call.reader
  const content = html`${page.files.length === 0 ? nothing(call, moderation) : waiting(call, page)}
${account?.user && mayDo(account.user.role, 'change-settings') ? dashboardSection(words.moderationTitle, moderationForm(call, moderation)) : undefined}`
  const keys = [
    { key: 'a', does: words.keyApprove },
    { key: 'r', does: words.keyReject },
  ]
  return dashboardPage(call, {
    part: '/dashboard/queue',
    content,
    done,
    keys: page.files.length === 0 ? [] : keys,
  })
}

const nothing = ({ reader: { words } }: PageCall, moderation: string): Html =>
  emptyState({
    title: words.queueEmpty,
    text: moderation === 'off' ? words.queueEmptyOff : words.queueEmptyText,
  })

/** One form: its buttons decide on one file each, or on all that are marked. */
function waiting(call: PageCall, { files, first, next }: FilePageOf): Html {
  const { reader } = call
  const { words } = reader
  const pageLinks =
    first === undefined && next === undefined
      ? undefined
      : pager({ words, newer: first, older: next, labels: [words.listFirst, words.listNext] })
  return html`<form method="post" action="/dashboard/queue" class="decisions">
${tokenField(reader)}
<p class="actions">${submitButton(words.approveMarked, { look: 'plain', icon: 'check', more: { name: 'action', value: 'approve' } })}${submitButton(words.rejectMarked, { look: 'plain', icon: 'delete', more: { name: 'action', value: 'reject' } })}</p>
${reasonField(words)}
<ul class="decision-cards">${files.map((listed, index) => card(call, listed, index === 0))}</ul>
</form>${pageLinks}`
}

function card(call: PageCall, shown: ListedFile, isFirst: boolean): Html {
  const { words, language } = call.reader
  const { file, username } = shown
  const [title, chosen] = [titleOf(file), writeChosen(file)]
  const { path, picture } = staffTileOf(call, shown)
  const ago = writeAgo(language, file.createdAt, call.site.clock.now()) ?? words.momentsAgo
  const decide = (action: 'approve' | 'reject', label: string, key: string) =>
    submitButton(label, {
      look: action === 'approve' ? 'main' : 'plain',
      isDense: true,
      more: {
        name: 'one',
        value: `${action} ${chosen}`,
        'aria-label': `${label}: ${title}`,
        'aria-keyshortcuts': isFirst ? key : undefined,
      },
    })
  return html`<li class="decision">
<a class="decision-picture" href="${path}">${picture === null ? html`${icon(file.isNsfw ? 'eye-off' : file.type === 'video' ? 'video' : 'picture')}<span class="only-read">${title}</span>` : html`<img src="${picture}" alt="${title}" loading="lazy" decoding="async">`}</a>
<label class="check"><input type="checkbox" name="file" value="${chosen}"><span dir="auto">${title}</span></label>
<p class="small soft"><span dir="auto">${username ?? words.guest}</span>, ${ago}</p>
<p class="actions">${decide('approve', words.approve, 'a')}${decide('reject', words.reject, 'r')}</p>
</li>`
}

function moderationForm({ reader }: PageCall, moderation: string): Html {
  const { words } = reader
  const options = (['off', 'guest', 'all'] as const).map((each) => [each, words.moderations[each]] as const)
  return html`<form method="post" action="/dashboard/queue/moderation" class="stack">${tokenField(reader)}
${selectField({ label: words.moderationLabel, name: 'moderation', value: moderation, options })}
<p>${submitButton(words.save, { look: 'plain' })}</p>
</form>`
}
