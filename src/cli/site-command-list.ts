import { type Command, command } from './command.ts'
import { flag, orElse, required, text } from './option.ts'
import {
  count,
  email,
  idList,
  number,
  oneOf,
  password,
  shortName,
  tenant,
  time,
  username,
  zeroOrOne,
} from './option-kinds.ts'

// Loaded when one of their commands runs, so that `--help` need not wait for the whole service.
const accounts = () => import('./account-commands.ts')
const users = () => import('./user-commands.ts')
const userKeys = () => import('./user-key-commands.ts')
const files = () => import('./file-commands.ts')
const settings = () => import('./setting-commands.ts')
const albums = () => import('./album-commands.ts')
const categories = () => import('./category-commands.ts')

const role = oneOf(['admin', 'manager', 'user'], "the user's role")
const privacy = oneOf(['public', 'link', 'password', 'private'], 'who sees it')
const albumId = required(text('ID', "the album's id"))
const fileId = required(text('ID', "the file's id"))
const setting = required(text('NAME', "the setting's name; the command `settings` lists them"))

/** Every command for one tenant's site. */
export const siteCommands: readonly Command[] = [
  command({
    name: 'site user:create',
    summary: 'Create a user of the site',
    options: { tenant, username, email, password: required(password), role: orElse(role, 'user') },
    example:
      'terrace site --tenant cats user:create --username ada --email ada@example.com --password "…" --role manager',
    run: async (session, values) => (await accounts()).createSiteUser(session, values),
  }),
  command({
    name: 'site user:list',
    summary: 'List the users of the site',
    options: { tenant },
    example: 'terrace site --tenant cats user:list',
    run: async (session, values) => (await users()).listSiteUsers(session, values),
  }),
  command({
    name: 'site user:edit',
    summary: 'Change a user; what is not given stays',
    options: {
      tenant,
      username,
      email: text('ADDRESS', "the user's e-mail address"),
      role,
      is_banned: zeroOrOne('whether the user is shut out, with every key'),
    },
    example: 'terrace site --tenant cats user:edit --username bob --role user --is_banned 1',
    run: async (session, values) => (await users()).editSiteUser(session, values),
  }),
  command({
    name: 'site user:delete',
    summary: 'Delete a user with keys and albums',
    options: {
      tenant,
      username,
      files: oneOf(['keep', 'delete'], "what becomes of the user's files; kept ones are a guest's then"),
    },
    example: 'terrace site --tenant cats user:delete --username bob --files keep',
    run: async (session, values) => (await users()).deleteSiteUser(session, values),
  }),
  command({
    name: 'site user:key',
    summary: "Make a user's upload key; it is shown this once",
    options: {
      tenant,
      username,
      name: shortName('what to call the key'),
      expires: time('when it ends, YYYY-MM-DD HH:MM:SS in UTC'),
    },
    example: 'terrace site --tenant cats user:key --username ada --name phone',
    run: async (session, values) => (await userKeys()).createSiteKey(session, values),
  }),
  command({
    name: 'site user:key:list',
    summary: 'List the upload keys of the site, or of one user',
    options: { tenant, username: text('NAME', "the user's name") },
    example: 'terrace site --tenant cats user:key:list --username ada',
    run: async (session, values) => (await userKeys()).listSiteKeys(session, values),
  }),
  command({
    name: 'site user:key:delete',
    summary: 'Take an upload key back, by its id or by its user and name',
    options: {
      tenant,
      id: text('ID', "the key's id: the part behind trc_ in the key"),
      username: text('NAME', "the user's name"),
      name: text('NAME', "the key's name"),
    },
    example: 'terrace site --tenant cats user:key:delete --username ada --name phone',
    run: async (session, values) => (await userKeys()).deleteSiteKey(session, values),
  }),

  command({
    name: 'site file:list',
    summary: 'List the files of the site, the newest first',
    options: {
      tenant,
      pending: flag('only those that wait for approval'),
      username: text('NAME', 'only those of this user'),
      limit: orElse(count('how many to show at most'), '100'),
    },
    example: 'terrace site --tenant cats file:list --pending',
    run: async (session, values) => (await files()).listSiteFiles(session, values),
  }),
  command({
    name: 'site file:show',
    summary: 'Show what is known of a file',
    options: { tenant, id: fileId },
    example: 'terrace site --tenant cats file:show --id 6TpXmaYbnZ1k',
    run: async (session, values) => (await files()).showSiteFile(session, values),
  }),
  command({
    name: 'site file:approve',
    summary: 'Show files that were held back: some, or all of them',
    options: { tenant, id: idList('the ids of files'), all: flag('every file that waits') },
    example: 'terrace site --tenant cats file:approve --id 6TpXmaYbnZ1k,Zk20q7bVJc3h',
    run: async (session, values) => (await files()).approveSiteFiles(session, values),
  }),
  command({
    name: 'site file:delete',
    summary: 'Delete a file for good',
    options: { tenant, id: fileId },
    example: 'terrace site --tenant cats file:delete --id 6TpXmaYbnZ1k',
    run: async (session, values) => (await files()).deleteSiteFile(session, values),
  }),

  command({
    name: 'site setting:get',
    summary: 'Show a setting of the site',
    options: { tenant },
    positionals: { name: setting },
    example: 'terrace site --tenant cats setting:get duplicates',
    run: async (session, values) => (await settings()).getSetting(session, values),
  }),
  command({
    name: 'site setting:set',
    summary: 'Change a setting of the site',
    options: { tenant },
    positionals: { name: setting, value: required(text('VALUE', 'its new value; "" is an empty one')) },
    example: 'terrace site --tenant cats setting:set duplicates reject',
    run: async (session, values) => (await settings()).setSetting(session, values),
  }),
  command({
    name: 'site settings',
    summary: 'List the settings of the site; those that were changed stand out',
    options: { tenant },
    example: 'terrace site --tenant cats settings',
    run: async (session, values) => (await settings()).listSettings(session, values),
  }),

  command({
    name: 'site album:create',
    summary: "Create a user's album",
    options: {
      tenant,
      username,
      title: required(text('TEXT', "the album's title, 1 to 100 characters")),
      privacy: orElse(privacy, 'public'),
      password: text('TEXT', "the album's password, 4 to 128 characters, where its privacy is password"),
    },
    example: 'terrace site --tenant cats album:create --username ada --title Kittens --privacy link',
    run: async (session, values) => (await albums()).createSiteAlbum(session, values),
  }),
  command({
    name: 'site album:edit',
    summary: 'Change an album; what is not given stays',
    options: {
      tenant,
      id: albumId,
      title: text('TEXT', "the album's title, 1 to 100 characters"),
      privacy,
      password: text('TEXT', 'a new password, where its privacy is password'),
    },
    example: 'terrace site --tenant cats album:edit --id UkTxkrv9ieU9 --privacy password --password "…"',
    run: async (session, values) => (await albums()).editSiteAlbum(session, values),
  }),
  command({
    name: 'site album:delete',
    summary: 'Delete an album; its files stay, without an album',
    options: { tenant, id: albumId },
    example: 'terrace site --tenant cats album:delete --id UkTxkrv9ieU9',
    run: async (session, values) => (await albums()).deleteSiteAlbum(session, values),
  }),
  command({
    name: 'site album:list',
    summary: 'List the albums of the site',
    options: { tenant },
    example: 'terrace site --tenant cats album:list',
    run: async (session, values) => (await albums()).listAlbums(session, values),
  }),

  command({
    name: 'site category:create',
    summary: 'Create a category of the site',
    options: { tenant, name: required(text('NAME', "the category's name, 1 to 32 characters")) },
    example: 'terrace site --tenant cats category:create --name "Street art"',
    run: async (session, values) => (await categories()).createSiteCategory(session, values),
  }),
  command({
    name: 'site category:list',
    summary: 'List the categories of the site',
    options: { tenant },
    example: 'terrace site --tenant cats category:list',
    run: async (session, values) => (await categories()).listCategories(session, values),
  }),
  command({
    name: 'site category:delete',
    summary: 'Delete a category; its files stay, without a category',
    options: { tenant, id: required(number("the category's number")) },
    example: 'terrace site --tenant cats category:delete --id 3',
    run: async (session, values) => (await categories()).deleteSiteCategory(session, values),
  }),
]
