import { allUsernames } from '../../../accounts/index.ts'
import { formatSize } from '../../../common/format.ts'
import { writeTime } from '../../../lib/times.ts'
import { fileNameOf, listTrash, removeTrash, restoreFileOfId, type StoredFile } from '../../../media/index.ts'
import type { Session } from '../../session.ts'
import { type Column, counted, plain, tableOf } from '../../terminal/table.ts'
import { changeOnSite, onSite } from './on-site.ts'

interface TrashedFile {
  file: StoredFile
  /** Undefined for a guest's file. */
  username: string | undefined
}

const columns: readonly Column<TrashedFile>[] = [
  { title: 'ID', value: ({ file }) => file.id, style: () => 'cyan' },
  { title: 'NAME', value: ({ file }) => fileNameOf(file) },
  { title: 'SIZE', value: ({ file }) => formatSize(file.sizeBytes), isRight: true },
  { title: 'USER', value: ({ username }) => username ?? '-' },
  { title: 'DELETED', value: ({ file }) => timeOf(file), style: () => 'dim' },
]

const timeOf = ({ deletedAt }: StoredFile) => (deletedAt ? writeTime(deletedAt) : '-')

export async function listSiteTrash(
  session: Session,
  { tenant, limit }: { tenant: string; limit: number },
): Promise<void> {
  const { files, hasMore } = await onSite(session, tenant, async (site) => {
    const usernames = await allUsernames(site.db)
    const found = await listTrash(site, limit + 1)
    return {
      files: found.slice(0, limit).map((file) => ({ file, username: usernames.get(file.userId ?? '') })),
      hasMore: found.length > limit,
    }
  })
  const written = files.map(({ file, username }) => ({
    id: file.id,
    filename: fileNameOf(file),
    size: file.sizeBytes,
    username: username ?? null,
    deleted_at: timeOf(file),
  }))
  session.answerList(written, () => tableOf(session.out, columns, files), { ifEmpty: 'The trash is empty.' })
  if (hasMore) session.note(`There are more files: --limit ${limit * 10} shows up to ${limit * 10}.`)
}

export async function restoreSiteFile(
  session: Session,
  { tenant, id }: { tenant: string; id: string },
): Promise<void> {
  const file = await changeOnSite(session, tenant, (site) => restoreFileOfId(site, id))
  session.answer({ id, restored: true }, () => `Restored the file ${id} (${plain(file.originalName)}).`)
}

export async function emptySiteTrash(session: Session, { tenant }: { tenant: string }): Promise<void> {
  const removed = await changeOnSite(session, tenant, removeTrash)
  session.answer({ removed }, () =>
    removed === 0 ? 'The trash was empty.' : `Permanently deleted ${counted(removed, 'file')}.`,
  )
}
