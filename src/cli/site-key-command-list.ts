import { type Command, command } from './command.ts'
import { text, withDefault } from './terminal/option.ts'
import { addressList, keyName, oneOf, originList, tenant, time, username } from './terminal/option-kinds.ts'

const keys = () => import('./commands/site/user-key-commands.ts')

const createKey = command({
  name: 'site key:create',
  summary: 'Create a key for a user; it is shown only once',
  options: {
    tenant,
    username,
    name: keyName('a name for the key'),
    scope: withDefault(oneOf(['upload', 'read', 'write', 'admin'], 'what the key can do'), 'upload'),
    album: text('ID', 'limit the key to this album of the user'),
    expires: time('when it expires, YYYY-MM-DD HH:MM:SS in UTC'),
    origins: originList('origins of pages that can use the key, separated by commas'),
    addresses: addressList('IP addresses and CIDR ranges that can use the key, separated by commas'),
  },
  example: 'terrace site --tenant cats key:create --username ada --name phone --scope write',
  run: async (session, values) => (await keys()).createSiteKey(session, values),
})

const listKeys = command({
  name: 'site key:list',
  summary: 'List the keys of the site, or of one user',
  options: { tenant, username: text('NAME', "the user's name") },
  example: 'terrace site --tenant cats key:list --username ada',
  run: async (session, values) => (await keys()).listSiteKeys(session, values),
})

const revokeKey = command({
  name: 'site key:revoke',
  summary: 'Revoke a key, by its id or by its user and name',
  options: {
    tenant,
    id: text('ID', "the key's id: the part of the key after trc_"),
    username: text('NAME', "the user's name"),
    name: text('NAME', "the key's name"),
  },
  example: 'terrace site --tenant cats key:revoke --username ada --name phone',
  run: async (session, values) => (await keys()).deleteSiteKey(session, values),
})

/** A command under the name that it had before. */
function alias(name: string, given: Command): Command {
  const verb = (each: string) => each.replace(/^site /, '')
  const example = given.example.replace(verb(given.name), verb(name))
  return { ...given, name, summary: `Old name of ${verb(given.name)}`, example }
}

/** The commands about the keys of a site's users. */
export const siteKeyCommands: readonly Command[] = [
  createKey,
  listKeys,
  revokeKey,
  alias('site user:key', createKey),
  alias('site user:key:list', listKeys),
  alias('site user:key:delete', revokeKey),
]
