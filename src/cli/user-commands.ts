import { allUsers, editUser, type ListedUser, type Role } from '../accounts/index.ts'
import { writeTime } from '../lib/times.ts'
import { fileCountsOfUsers, type RemovedUser, removeUser } from '../media/index.ts'
import { publishTotals } from '../tenants/index.ts'
import { onSite } from './on-site.ts'
import type { Session } from './session.ts'
import { type Column, tableOf } from './table.ts'
import { nothingToChange } from './usage-fault.ts'

type ShownUser = ListedUser & { files: number }

const columns: readonly Column<ShownUser>[] = [
  { title: 'USERNAME', value: (user) => user.username, style: () => 'cyan' },
  { title: 'E-MAIL', value: (user) => user.email },
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
    ifEmpty: `There are no users yet. Make one: terrace site --tenant ${tenant} user:create --username NAME`,
  })
}

const writeUser = ({ id, username, email, role, isBanned }: ListedUser) => ({
  ...{ id, username, email, role },
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
  const user = await onSite(session, tenant, async (site, control) => {
    const edited = await editUser(site, { ...edit, isBanned })
    await publishTotals(control, site)
    return edited
  })
  const state = user.isBanned ? `${user.role}, banned` : user.role
  session.answer(writeUser(user), () => `Changed the user ${user.username} (${state}).`)
}

interface UserRemoval {
  tenant: string
  username: string
  files?: 'keep' | 'delete'
}

export async function deleteSiteUser(
  session: Session,
  { tenant, username, files }: UserRemoval,
): Promise<void> {
  const removed = await onSite(session, tenant, async (site, control) => {
    try {
      return await removeUser(site, { username, files })
    } finally {
      // Files may be gone even where the rest was refused.
      await publishTotals(control, site)
    }
  })
  const { username: name, filesKept, filesDeleted, albums } = removed
  session.answer(
    {
      username: name,
      deleted: true,
      files_kept: filesKept,
      files_deleted: filesDeleted,
      albums_deleted: albums,
    },
    () => `Deleted the user ${name}${withWhat(removed)}.`,
  )
}

function withWhat({ filesKept, filesDeleted, albums }: RemovedUser): string {
  const gone = [
    ...(filesDeleted > 0 ? [counted(filesDeleted, 'file')] : []),
    ...(albums > 0 ? [counted(albums, 'album')] : []),
  ]
  const kept = filesKept > 0 ? [`${counted(filesKept, 'file')} of a guest now`] : []
  return [
    ...(gone.length > 0 ? [` with ${gone.join(' and ')}`] : []),
    ...kept.map((what) => `; kept ${what}`),
  ].join('')
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
