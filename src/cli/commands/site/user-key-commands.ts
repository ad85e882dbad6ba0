import {
  allUserKeys,
  allUsernames,
  createKeyOfUser,
  removeUserKey,
  type Scope,
  type UserKey,
  userOfName,
} from '../../../accounts/index.ts'
import { randomId } from '../../../lib/ids.ts'
import { writeTime } from '../../../lib/times.ts'
import type { Session } from '../../session.ts'
import { type Column, recordOf, tableOf } from '../../terminal/table.ts'
import { UsageFault } from '../../terminal/usage-fault.ts'
import { changeOnSite, onSite } from './on-site.ts'

interface NewKey {
  tenant: string
  username: string
  name?: string
  scope: Scope
  album?: string
  expires?: Date
  origins?: readonly string[]
  addresses?: readonly string[]
}

export async function createSiteKey(session: Session, input: NewKey): Promise<void> {
  const { username, scope, name = `key-${randomId(6)}` } = input
  const { user, row, key } = await changeOnSite(session, input.tenant, (site) =>
    createKeyOfUser(site, {
      username,
      name,
      scope,
      albumId: input.album,
      expiresAt: input.expires,
      allowedOrigins: input.origins ?? [],
      allowedAddresses: input.addresses ?? [],
    }),
  )
  const named = { ...row, username: user.username }
  const rows: [string, string][] = [
    ['user', user.username],
    ['name', name],
    ['scope', scope],
    ...limitRows(named),
    ['key', key],
  ]
  session.answer({ ...writeUserKey(named), key }, () => recordOf(session.out, [{ rows }]))
  session.note('Save the key now: it is not shown again.')
}

/** The limits that the key has. */
function limitRows({ albumId, expiresAt, allowedOrigins, allowedAddresses }: UserKey): [string, string][] {
  const rows: [string, string][] = [
    ['album', albumId ?? ''],
    ['expires', expiresAt ? writeTime(expiresAt) : ''],
    ['origins', allowedOrigins.join(', ')],
    ['addresses', allowedAddresses.join(', ')],
  ]
  return rows.filter(([, value]) => value !== '')
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
    { title: 'SCOPE', value: (key) => key.scope },
    { title: 'ALBUM', value: (key) => key.albumId ?? '' },
    { title: 'CREATED', value: (key) => writeTime(key.createdAt), style: () => 'dim' },
    {
      title: 'EXPIRES',
      value: (key) => (key.expiresAt ? writeTime(key.expiresAt) : 'never'),
      style: (key) => (key.expiresAt && key.expiresAt <= now ? 'red' : undefined),
    },
    { title: 'LAST USED', value: (key) => (key.lastUsedAt ? writeTime(key.lastUsedAt) : 'never') },
  ]
  session.answerList(keys.map(writeUserKey), () => tableOf(session.out, columns, keys), {
    ifEmpty: `There are no keys. Create one: terrace site --tenant ${tenant} key:create --username NAME`,
  })
}

const writeUserKey = ({ id, username, name, scope, albumId, createdAt, ...key }: NamedKey) => ({
  id,
  username,
  name,
  scope,
  album_id: albumId ?? null,
  created_at: writeTime(createdAt),
  expires_at: key.expiresAt ? writeTime(key.expiresAt) : null,
  allowed_origins: key.allowedOrigins,
  allowed_addresses: key.allowedAddresses,
  last_used_at: key.lastUsedAt ? writeTime(key.lastUsedAt) : null,
})

interface KeyRemoval {
  tenant: string
  id?: string
  username?: string
  name?: string
}

export async function deleteSiteKey(session: Session, { tenant, id, ...named }: KeyRemoval): Promise<void> {
  const which = whichKey(id, named)
  const key = await changeOnSite(session, tenant, (site) => removeUserKey(site, which))
  session.answer(
    { id: key.id, name: key.name, deleted: true },
    () => `Revoked the key ${key.id} (${key.name}). It no longer works.`,
  )
}

function whichKey(id: string | undefined, { username, name }: Pick<KeyRemoval, 'username' | 'name'>) {
  if (id !== undefined && username === undefined && name === undefined) return { id }
  if (id === undefined && username !== undefined && name !== undefined) return { username, name }
  throw new UsageFault(['Give either --id, or --username and --name.'], 'terrace site key:revoke --help')
}
