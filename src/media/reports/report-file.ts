import type { Caller } from '../../accounts/index.ts'
import { inTransaction } from '../../db/index.ts'
import { latestTime } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import { type ChangingSite, readSettings, recordChange, type Site } from '../../site/index.ts'
import { alreadyReported, fileInTrash, noSuchFile, ownFileReported, tooManyReports } from '../errors.ts'
import { updateFiles } from '../files/files-table.ts'
import { findShownFiles } from '../files/list/shown-files-table.ts'
import type { StoredFile } from '../files/stored-file.ts'
import { lockSite } from '../lock-site.ts'
import { visibilityById } from '../visibility.ts'
import {
  countOpenReports,
  hasReported,
  insertReport,
  latestReportsOf,
  type ReportReason,
  wereBytesKept,
} from './reports-table.ts'

const mostAnHour = 5
const hourMs = 3_600_000

export interface NewReport {
  fileId: string
  reason: ReportReason
  /** Empty if the reason says it all. */
  text: string
  /** The IP address of the client. */
  address: string
}

export interface MadeReport {
  /** The file had no open report, and the staff has not decided on its bytes. */
  isFirst: boolean
}

/** Reports a file that the caller sees to the staff of the site. Enough reports hide it, by the setting `report_hide`. */
export function reportFile(site: ChangingSite, caller: Caller, input: NewReport): Promise<MadeReport> {
  return inTransaction(site.db, async (db) => {
    const changing = { ...site, db }
    await lockSite(db)
    const file = await reportableFile(changing, caller, input.fileId)
    const report = {
      id: randomId(),
      fileId: file.id,
      md5: file.md5,
      reason: input.reason,
      text: input.text,
      userId: caller.kind === 'user' ? caller.userId : undefined,
      address: addressKey(input.address),
      createdAt: site.clock.now(),
    }
    if (await hasReported(db, report)) throw alreadyReported()
    await checkRate(changing, report.address)
    await insertReport(db, report)
    const isFirst = (await countOpenReports(db, file.id)) === 1 && !(await wereBytesKept(db, file))
    const isHidden = await hideIfReported(changing, file)
    const { isApproved } = file
    await recordChange(changing, {
      verb: 'file.reported',
      target: file.id,
      before: { isApproved },
      after: { reason: input.reason, isApproved: isApproved && !isHidden },
    })
    return { isFirst }
  })
}

async function reportableFile(site: Site, caller: Caller, id: string): Promise<StoredFile> {
  const [shown] = await findShownFiles(site.db, visibilityById(caller), { ids: [id] }, site.clock.now())
  if (!shown) throw noSuchFile(id)
  const { file } = shown
  if (caller.kind === 'user' && file.userId === caller.userId) throw ownFileReported()
  if (file.deletedAt) throw fileInTrash()
  return file
}

/** Reports count by the network that they come from, not by user: an account is made quickly. */
async function checkRate(site: Site, address: string): Promise<void> {
  const at = site.clock.now()
  const now = at.getTime()
  const window = { since: new Date(now - hourMs), until: latestTime(at) }
  const latest = await latestReportsOf(site.db, address, { ...window, limit: mostAnHour })
  const oldest = latest.at(mostAnHour - 1)
  if (oldest)
    throw tooManyReports(mostAnHour, Math.max(1, Math.ceil((oldest.getTime() + hourMs - now) / 1_000)))
}

/**
 * Hides a file like one that waits for approval, if it has as many open reports as the setting `report_hide` says and its
 * bytes were not decided on. Returns whether it was hidden. Part of the caller's transaction, under the lock of the site.
 */
export async function hideIfReported(site: ChangingSite, file: StoredFile): Promise<boolean> {
  const most = Number((await readSettings(site)).report_hide)
  if (most === 0 || !file.isApproved) return false
  if ((await countOpenReports(site.db, file.id)) < most || (await wereBytesKept(site.db, file))) return false
  await updateFiles(site.db, [file.id], { isApproved: 0 }, site.clock.now())
  return true
}
