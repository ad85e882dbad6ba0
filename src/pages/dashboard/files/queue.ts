import { changeSettingsAs } from '../../../accounts/index.ts'
import { readSettings } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { callerOf, fileSorts } from '../../browse/lists/file-list.ts'
import { readFilePage } from '../../browse/lists/read-page.ts'
import { type PageHandler, userOf } from '../../page-call.ts'
import { changedFiles } from './changed-files.ts'
import { queuePage } from './queue-page.ts'

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
