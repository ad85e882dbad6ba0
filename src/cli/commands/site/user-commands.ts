import {
  type Account,
  allUsers,
  createUser,
  editUser,
  type ListedUser,
  type Role,
  removeTotpOf,
  userOfName,
} from '../../../accounts/index.ts'
import { notify, notifyOfEdit } from '../../../http/mails/send-mail.ts'
import { writeTime } from '../../../lib/times.ts'
import {
  type FilesOfRemovedUser,
  fileCountsOfUsers,
  type RemovedUser,
  removeUser,
} from '../../../media/index.ts'
import { authoredBy, type Site } from '../../../site/index.ts'
import { changeSite, openSite, readTenant } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { type Column, counted, tableOf } from '../../terminal/table.ts'
import { nothingToChange } from '../../terminal/usage-fault.ts'
import { changeOnSite, onSite } from './on-site.ts'

type SiteUserInput = Account & { tenant: string; role: Role }

export async function createSiteUser(
  session: Session,
  { tenant: id, ...account }: SiteUserInput,
): Promise<void> {
  await using app = await session.openApp()
  const tenant = await readTenant(app.control, id)
  await using site = await openSite(app.control, tenant)
  const user = await changeSite(app.control, authoredBy(site, { kind: 'tool' }), (changing) =>
    createUser(changing, account),
  )
  const { username, email, role } = user
  session.answer(
    { id: user.id, username, email, role },
    () => `Created the ${user.role} ${user.username} of ${tenant.hostname}.`,
  )
}

type ShownUser = ListedUser & { files: number }

const columns: readonly Column<ShownUser>[] = [
  { title: 'USERNAME', value: (user) => user.username, style: () => 'cyan' },
  { title: 'E-MAIL', value: (user) => user.email ?? '' },
  { title: 'ROLE', value: (user) => user.role },
  {
    title: 'BANNED',
    value: (user) => (user.isBanned ? 'yes' : 'no'),
    style: (user) => (user.isBanned ? 'red' : undefined),
  },
  { title: 'FILES', value: (user) => String(user.files), isRight: true },
  { title: 'CREATED', value: (user) => writeTime(user.createdAt), style: () => 'dim' },
]

export async function listSiteUsers(session: Session, { tenant }: { tenant: string }): Promise<void> {
  const users = await onSite(session, tenant, async (site) => {
    const counts = await fileCountsOfUsers(site.db)
    return (await allUsers(site.db)).map((user) => ({ ...user, files: counts.get(user.id) ?? 0 }))
  })
  const json = users.map((user) => ({
    ...writeUser(user),
    files: user.files,
    created_at: writeTime(user.createdAt),
  }))
  session.answerList(json, () => tableOf(session.out, columns, users), {
    ifEmpty: `There are no users yet. Create one: terrace site --tenant ${tenant} user:create --username NAME`,
  })
}

const writeUser = ({ id, username, email, emailConfirmedAt, role, isBanned }: ListedUser) => ({
  id,
  username,
  email: email ?? null,
  is_email_confirmed: emailConfirmedAt !== undefined,
  role,
  is_banned: isBanned,
})

interface UserEdit {
  tenant: string
  username: string
  email?: string
  role?: Role
  is_banned?: boolean
}

export async function editSiteUser(
  session: Session,
  { tenant, is_banned: isBanned, ...edit }: UserEdit,
): Promise<void> {
  if (isBanned === undefined && Object.keys(edit).length === 1)
    throw nothingToChange('terrace site user:edit', '--username')
  const user = await changeOnSite(session, tenant, (site) => editUser(site, { ...edit, isBanned }), {
    notify: (call, edited) => notifyOfEdit(call, edited, { hasNewPassword: false }),
  })
  const state = user.isBanned ? `${user.role}, banned` : user.role
  session.answer(writeUser(user), () => `Changed the user ${user.username} (${state}).`)
}

interface UserRemoval {
  tenant: string
  username: string
  /** `keep`, `trash`, or the name of another user. */
  files?: string
}

export async function deleteSiteUser(
  session: Session,
  { tenant, username, files }: UserRemoval,
): Promise<void> {
  const removed = await changeOnSite(session, tenant, async (site) =>
    removeUser(site, { username, files: await readFiles(site, files) }),
  )
  session.answer(
    {
      username: removed.username,
      deleted: true,
      files_kept: removed.filesKept,
      files_trashed: removed.filesTrashed,
      files_deleted: removed.filesDeleted,
      albums_kept: removed.albumsKept,
      albums_deleted: removed.albumsDeleted,
    },
    () => `Deleted the user ${removed.username}${detailsOf(removed, files)}.`,
  )
}

async function readFiles(site: Site, files: string | undefined): Promise<FilesOfRemovedUser | undefined> {
  if (files === undefined || files === 'keep' || files === 'trash') return files
  return { userId: (await userOfName(site, files)).id }
}

function detailsOf(
  { filesKept, filesTrashed, filesDeleted, albumsKept, albumsDeleted }: RemovedUser,
  files: string | undefined,
): string {
  const textOf = (albums: number) => (albums > 0 ? [counted(albums, 'album')] : [])
  if (files !== undefined && files !== 'keep' && files !== 'trash') {
    const given = [counted(filesKept, 'file'), ...textOf(albumsKept)].join(' and ')
    return `; gave ${given} to ${files}`
  }
  const gone = [...(filesDeleted > 0 ? [counted(filesDeleted, 'file')] : []), ...textOf(albumsDeleted)]
  return [
    ...(gone.length > 0 ? [` with ${gone.join(' and ')}`] : []),
    ...(filesKept > 0 ? [`; kept ${counted(filesKept, 'file')} without an owner`] : []),
    ...(filesTrashed > 0 ? [`; moved ${counted(filesTrashed, 'file')} to the trash`] : []),
  ].join('')
}

/** For a user who has lost the authenticator and the recovery codes. */
export async function resetSiteTotp(
  session: Session,
  { tenant, username }: { tenant: string; username: string },
): Promise<void> {
  const user = await changeOnSite(
    session,
    tenant,
    async (site) => {
      const found = await userOfName(site, username)
      await removeTotpOf(site, found.id)
      return found
    },
    { notify: (call, { id }) => notify(call, { userId: id, notice: 'second-step-off' }) },
  )
  session.answer(
    { username: user.username, totp: false },
    () => `Turned off the second step of ${user.username}.`,
  )
}
