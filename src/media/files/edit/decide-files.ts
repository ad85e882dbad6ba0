import { type ChangingSite, recordChange } from '../../../site/index.ts'
import { hideIfReported } from '../../reports/report-file.ts'
import { closeReports, reopenReports } from '../../reports/reports-table.ts'
import { updateFiles } from '../files-table.ts'
import { recordFiles } from '../removal/trash.ts'
import type { StoredFile } from '../stored-file.ts'

const decisions = ['approve', 'hold', 'keep', 'reopen'] as const
/** What the staff decides on files that wait or are reported, and what takes it back. */
type Decision = (typeof decisions)[number]

export const isDecision = (action: string): action is Decision =>
  (decisions as readonly string[]).includes(action)

/** Part of the caller's transaction, under the lock of the site. */
export function decide(site: ChangingSite, files: readonly StoredFile[], decision: Decision): Promise<void> {
  if (decision === 'approve') return show(site, files, 'file.approved')
  if (decision === 'keep') return show(site, files, 'file.kept')
  return takeBack(site, files, decision === 'hold')
}

/** A file that is approved has been looked at: its reports are decided on too. */
async function show(
  site: ChangingSite,
  files: readonly StoredFile[],
  verb: 'file.approved' | 'file.kept',
): Promise<void> {
  const ids = files.map(({ id }) => id)
  await updateFiles(site.db, ids, { isApproved: 1 }, site.clock.now())
  await closeReports(site.db, ids, site.clock.now())
  await recordFiles(site, verb, files)
}

/** Its reports are open again. It is hidden if it waited for approval, or has enough reports. */
async function takeBack(site: ChangingSite, files: readonly StoredFile[], isWaiting: boolean): Promise<void> {
  const now = site.clock.now()
  for (const file of files) {
    await reopenReports(site.db, file.id)
    const isHidden = !isWaiting && (await hideIfReported(site, file))
    // Each way raises the version, which shows pages of other readers that the file has changed.
    if (!isHidden) await updateFiles(site.db, [file.id], isWaiting ? { isApproved: 0 } : {}, now)
    const isApproved = !isWaiting && !isHidden && file.isApproved
    await recordChange(site, {
      verb: 'file.updated',
      target: file.id,
      before: { isApproved: true, isDecided: true },
      after: { isApproved, isDecided: false },
    })
  }
}
