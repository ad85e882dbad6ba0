import { allUsernames, userOfName } from '../accounts/index.ts'
import { addressesOf } from '../http/index.ts'
import { approveAllFiles, approveFiles, fileOfId, listFiles, removeFileOfId, tagsOf } from '../media/index.ts'
import { openSite, publishTotals, readTenant } from '../tenants/index.ts'
import { plain } from './cells.ts'
import { fileRecord, fileTable, writeFile } from './file-view.ts'
import { onSite } from './on-site.ts'
import type { Session } from './session.ts'
import { UsageFault } from './usage-fault.ts'

interface Listing {
  tenant: string
  pending?: boolean
  username?: string
  limit: number
}

export async function listSiteFiles(session: Session, input: Listing): Promise<void> {
  const { tenant, pending: isPending = false, username, limit } = input
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  const userId = username === undefined ? undefined : (await userOfName(site, username)).id
  const usernames = await allUsernames(site.db)
  // One more than is shown, to know whether there are more.
  const found = await listFiles(site, { isPending, userId, limit: limit + 1 })
  const files = found.slice(0, limit).map((file) => ({
    ...{ file, username: usernames.get(file.userId ?? ''), addresses: addressesOf(app, site, file) },
  }))
  session.answerList(files.map(writeFile), () => fileTable(session.out, files), {
    ifEmpty: isPending ? 'No file waits for approval.' : 'There are no files.',
  })
  if (found.length > limit) session.note(`There are more: --limit ${limit * 10} shows up to so many.`)
}

export async function showSiteFile(
  session: Session,
  { tenant, id }: { tenant: string; id: string },
): Promise<void> {
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  const file = await fileOfId(site, id)
  const username = (await allUsernames(site.db)).get(file.userId ?? '')
  const tags = await tagsOf(site, file)
  const shown = { file, username, addresses: addressesOf(app, site, file), tags, site }
  session.answer({ ...writeFile(shown), tags }, () => fileRecord(session.out, shown))
}

export async function approveSiteFiles(
  session: Session,
  { tenant, id: ids, all = false }: { tenant: string; id?: readonly string[]; all?: boolean },
): Promise<void> {
  if ((ids !== undefined) === all)
    throw new UsageFault(['Give either --id or --all.'], 'terrace site file:approve --help')
  const approved = await onSite(session, tenant, async (site, control) => {
    const count = await (ids ? approveFiles(site, ids) : approveAllFiles(site))
    await publishTotals(control, site)
    return count
  })
  session.answer({ approved }, () =>
    approved === 0
      ? 'No file waited for approval.'
      : `Approved ${approved === 1 ? 'a file' : `${approved} files`}.`,
  )
}

export async function deleteSiteFile(
  session: Session,
  { tenant, id }: { tenant: string; id: string },
): Promise<void> {
  const file = await onSite(session, tenant, async (site, control) => {
    const removed = await removeFileOfId(site, id)
    await publishTotals(control, site)
    return removed
  })
  session.answer({ id, deleted: true }, () => `Deleted the file ${id} (${plain(file.originalName)}).`)
}
