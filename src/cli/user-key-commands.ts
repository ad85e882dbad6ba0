import {
  allUserKeys,
  allUsernames,
  createKeyOfUser,
  removeUserKey,
  type UserKey,
  userOfName,
} from '../accounts/index.ts'
import { randomId } from '../lib/ids.ts'
import { writeTime } from '../lib/times.ts'
import { onSite } from './on-site.ts'
import type { Session } from './session.ts'
import { type Column, recordOf, tableOf } from './table.ts'
import { UsageFault } from './usage-fault.ts'

interface NewKey {
  tenant: string
  username: string
  name?: string
  expires?: Date
}

export async function createSiteKey(session: Session, input: NewKey): Promise<void> {
  const { username, name = `key-${randomId(6)}`, expires: expiresAt } = input
  const { user, key } = await onSite(session, input.tenant, (site) =>
    createKeyOfUser(site, { username, name, expiresAt }),
  )
  const rows: [string, string][] = [
    ['user', user.username],
    ['name', name],
    ...(expiresAt ? [['expires', writeTime(expiresAt)] as [string, string]] : []),
    ['upload key', key],
  ]
  const json = { username: user.username, name, key, expires_at: expiresAt ? writeTime(expiresAt) : null }
  session.answer(json, () => recordOf(session.out, [{ rows }]))
  session.note('Keep the upload key: it is not shown again.')
}

type NamedKey = UserKey & { username: string }

export async function listSiteKeys(
  session: Session,
  { tenant, username }: { tenant: string; username?: string },
): Promise<void> {
  const { keys, now } = await onSite(session, tenant, async (site) => {
    const userId = username === undefined ? undefined : (await userOfName(site, username)).id
    const usernames = await allUsernames(site.db)
    const all = await allUserKeys(site.db, userId)
    return {
      keys: all.map((key) => ({ ...key, username: usernames.get(key.userId) ?? '' })),
      now: site.clock.now(),
    }
  })
  const columns: readonly Column<NamedKey>[] = [
    { title: 'ID', value: (key) => key.id, style: () => 'cyan' },
    { title: 'USER', value: (key) => key.username },
    { title: 'NAME', value: (key) => key.name },
    { title: 'CREATED', value: (key) => writeTime(key.createdAt), style: () => 'dim' },
    {
      title: 'EXPIRES',
      value: (key) => (key.expiresAt ? writeTime(key.expiresAt) : 'never'),
      style: (key) => (key.expiresAt && key.expiresAt <= now ? 'red' : undefined),
    },
  ]
  session.answerList(keys.map(writeUserKey), () => tableOf(session.out, columns, keys), {
    ifEmpty: `There are no upload keys. Make one: terrace site --tenant ${tenant} user:key --username NAME`,
  })
}

const writeUserKey = ({ id, username, name, createdAt, expiresAt }: NamedKey) => ({
  ...{ id, username, name, created_at: writeTime(createdAt) },
  expires_at: expiresAt ? writeTime(expiresAt) : null,
})

interface KeyRemoval {
  tenant: string
  id?: string
  username?: string
  name?: string
}

export async function deleteSiteKey(session: Session, { tenant, id, ...named }: KeyRemoval): Promise<void> {
  const which = whichKey(id, named)
  const key = await onSite(session, tenant, (site) => removeUserKey(site, which))
  session.answer(
    { id: key.id, name: key.name, deleted: true },
    () => `Deleted the upload key ${key.id} (${key.name}). It is refused from now on.`,
  )
}

function whichKey(id: string | undefined, { username, name }: Pick<KeyRemoval, 'username' | 'name'>) {
  if (id !== undefined && username === undefined && name === undefined) return { id }
  if (id === undefined && username !== undefined && name !== undefined) return { username, name }
  throw new UsageFault(['Give either --id, or --username and --name.'], 'terrace site user:key:delete --help')
}
