import { writeTime } from '../../../lib/times.ts'
import {
  fileNameOf,
  keepReported,
  listAllReported,
  type ReportedFile,
  removeReported,
} from '../../../media/index.ts'
import type { Session } from '../../session.ts'
import { type Column, counted, tableOf } from '../../terminal/table.ts'
import { changeOnSite, onSite } from './on-site.ts'

const columns: readonly Column<ReportedFile>[] = [
  { title: 'ID', value: ({ shown }) => shown.file.id, style: () => 'cyan' },
  { title: 'NAME', value: ({ shown }) => fileNameOf(shown.file) },
  { title: 'USER', value: ({ shown }) => shown.username ?? '-' },
  { title: 'REPORTS', value: ({ reports }) => String(reports), isRight: true },
  { title: 'REASONS', value: ({ reasons }) => reasons.map(({ reason }) => reason).join(', ') },
  { title: 'HIDDEN', value: ({ shown }) => (shown.file.isApproved ? 'no' : 'yes') },
  { title: 'FIRST', value: ({ firstAt }) => writeTime(firstAt), style: () => 'dim' },
]

const writeReported = ({ shown, reports, reasons, texts, firstAt }: ReportedFile) => ({
  id: shown.file.id,
  filename: fileNameOf(shown.file),
  username: shown.username ?? null,
  is_hidden: !shown.file.isApproved,
  reports,
  first_at: writeTime(firstAt),
  reasons,
  texts: texts.map(({ text, username, createdAt }) => ({
    text,
    username: username ?? null,
    created_at: writeTime(createdAt),
  })),
})

export async function listSiteReports(
  session: Session,
  { tenant, limit }: { tenant: string; limit: number },
): Promise<void> {
  // One more than the limit, to know whether there are more.
  const found = await onSite(session, tenant, (site) => listAllReported(site, limit + 1))
  const files = found.slice(0, limit)
  session.answerList(files.map(writeReported), () => tableOf(session.out, columns, files), {
    ifEmpty: 'There are no reported files.',
  })
  if (found.length > limit)
    session.note(`There are more files: --limit ${limit * 10} shows up to ${limit * 10}.`)
}

interface Decision {
  tenant: string
  id: readonly string[]
}

export async function keepSiteReported(session: Session, { tenant, id: ids }: Decision): Promise<void> {
  const kept = await changeOnSite(session, tenant, (site) => keepReported(site, ids))
  session.answer({ kept }, () => `Kept ${counted(kept, 'file')}.`)
}

export async function removeSiteReported(session: Session, { tenant, id: ids }: Decision): Promise<void> {
  const removed = await changeOnSite(session, tenant, (site) => removeReported(site, ids))
  session.answer({ removed }, () => `Moved ${counted(removed, 'file')} to the trash.`)
}
