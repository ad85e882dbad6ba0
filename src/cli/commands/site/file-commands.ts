import { allUsernames, userOfName } from '../../../accounts/index.ts'
import { workingAddresses } from '../../../http/addresses/file-addresses.ts'
import {
  approveAllFiles,
  approveFiles,
  fileOfId,
  listFiles,
  removeFileOfId,
  searchFiles,
  tagsOf,
} from '../../../media/index.ts'
import { openSite, readTenant } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { counted } from '../../terminal/counted.ts'
import { plain } from '../../terminal/text-width.ts'
import { UsageFault } from '../../terminal/usage-fault.ts'
import { fileRecord, fileTable, type ShownFile, writeFile } from './file-view.ts'
import { changeOnSite } from './on-site.ts'

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
  // One more than the limit, to know whether there are more.
  const found = await listFiles(site, { isPending, userId, limit: limit + 1 })
  const files: ShownFile[] = []
  for (const file of found.slice(0, limit)) {
    const addresses = await workingAddresses(app, site, file)
    files.push({ file, username: usernames.get(file.userId ?? ''), addresses })
  }
  session.answerList(files.map(writeFile), () => fileTable(session.out, files), {
    ifEmpty: isPending ? 'No files wait for approval.' : 'There are no files.',
  })
  if (found.length > limit)
    session.note(`There are more files: --limit ${limit * 10} shows up to ${limit * 10}.`)
}

export async function searchSiteFiles(
  session: Session,
  { tenant, query, limit }: { tenant: string; query: string; limit: number },
): Promise<void> {
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  const usernames = await allUsernames(site.db)
  // One more than the limit, to know whether there are more.
  const found = await searchFiles(site, { text: query, limit: limit + 1 })
  const files: ShownFile[] = []
  for (const file of found.slice(0, limit)) {
    const addresses = await workingAddresses(app, site, file)
    files.push({ file, username: usernames.get(file.userId ?? ''), addresses })
  }
  session.answerList(files.map(writeFile), () => fileTable(session.out, files), {
    ifEmpty: 'No files match.',
  })
  if (found.length > limit)
    session.note(`There are more files: --limit ${limit * 10} shows up to ${limit * 10}.`)
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
  const shown = { file, username, addresses: await workingAddresses(app, site, file), tags, site }
  session.answer({ ...writeFile(shown), tags }, () => fileRecord(session.out, shown))
}

export async function approveSiteFiles(
  session: Session,
  { tenant, id: ids, all = false }: { tenant: string; id?: readonly string[]; all?: boolean },
): Promise<void> {
  if ((ids !== undefined) === all)
    throw new UsageFault(['Give either --id or --all.'], 'terrace site file:approve --help')
  const approved = await changeOnSite(session, tenant, (site) =>
    ids ? approveFiles(site, ids) : approveAllFiles(site),
  )
  session.answer({ approved }, () =>
    approved === 0 ? 'No files were waiting for approval.' : `Approved ${counted(approved, 'file')}.`,
  )
}

export async function deleteSiteFile(
  session: Session,
  { tenant, id }: { tenant: string; id: string },
): Promise<void> {
  const file = await changeOnSite(session, tenant, (site) => removeFileOfId(site, id))
  session.answer({ id, deleted: true }, () => `Deleted the file ${id} (${plain(file.originalName)}).`)
}
