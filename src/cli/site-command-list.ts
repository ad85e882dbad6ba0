import { checkNewUser } from '../accounts/index.ts'
import { type Command, command } from './command.ts'
import { siteKeyCommands } from './site-key-command-list.ts'
import { sitePresetCommands } from './site-preset-command-list.ts'
import { siteShareCommands } from './site-share-command-list.ts'
import { siteSigningCommands } from './site-signing-command-list.ts'
import { flag, required, secret, text, withDefault } from './terminal/option.ts'
import {
  count,
  email,
  idList,
  number,
  oneOf,
  password,
  tenant,
  username,
  zeroOrOne,
} from './terminal/option-kinds.ts'

// Imported only when a command runs: `--help` need not load the whole service.
const users = () => import('./commands/site/user-commands.ts')
const files = () => import('./commands/site/file-commands.ts')
const trash = () => import('./commands/site/trash-commands.ts')
const reports = () => import('./commands/site/report-commands.ts')
const settings = () => import('./commands/site/setting-commands.ts')
const albums = () => import('./commands/site/album-commands.ts')
const categories = () => import('./commands/site/category-commands.ts')
const audit = () => import('./commands/site/setting-commands.ts')

const role = oneOf(['admin', 'manager', 'user'], "the user's role")
const privacy = oneOf(['public', 'link', 'password', 'private'], 'who can see the album')
const albumId = required(text('ID', "the album's id"))
const fileId = required(text('ID', "the file's id"))
const setting = required(text('NAME', "the setting's name; the command `settings` lists them"))

/** Every command for one tenant's site. */
export const siteCommands: readonly Command[] = [
  command({
    name: 'site user:create',
    summary: 'Create a user of the site',
    options: { tenant, username, email, password: required(password), role: withDefault(role, 'user') },
    check: checkNewUser,
    example:
      'terrace site --tenant cats user:create --username ada --email ada@example.com --password "…" --role manager',
    run: async (session, values) => (await users()).createSiteUser(session, values),
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
    summary: 'Change a user; omitted options keep their values',
    options: {
      tenant,
      username,
      email: text('ADDRESS', "the user's e-mail address"),
      role,
      is_banned: zeroOrOne("1 to ban the user and refuse the user's keys, 0 to lift the ban"),
    },
    example: 'terrace site --tenant cats user:edit --username bob --role user --is_banned 1',
    run: async (session, values) => (await users()).editSiteUser(session, values),
  }),
  command({
    name: 'site user:delete',
    summary: "Delete a user, and the user's keys and albums",
    options: {
      tenant,
      username,
      files: text(
        'keep|trash|USER',
        'keep the files without an owner, move them to the trash, or give them and the albums to USER',
      ),
    },
    example: 'terrace site --tenant cats user:delete --username bob --files keep',
    run: async (session, values) => (await users()).deleteSiteUser(session, values),
  }),
  command({
    name: 'site user:reset-totp',
    summary: 'Turn off the second step of a user who has lost the authenticator and the recovery codes',
    options: { tenant, username },
    example: 'terrace site --tenant cats user:reset-totp --username bob',
    run: async (session, values) => (await users()).resetSiteTotp(session, values),
  }),
  ...siteKeyCommands,

  command({
    name: 'site file:list',
    summary: 'List the files of the site, newest first',
    options: {
      tenant,
      pending: flag('only files that wait for approval'),
      username: text('NAME', 'only files of this user'),
      limit: withDefault(count('maximum number to show'), '100'),
    },
    example: 'terrace site --tenant cats file:list --pending',
    run: async (session, values) => (await files()).listSiteFiles(session, values),
  }),
  command({
    name: 'site search',
    summary: 'Search the files of the site, best matches first',
    options: {
      tenant,
      query: required(text('WORDS', 'words, "a phrase", -excluded words, and prefix*')),
      limit: withDefault(count('maximum number to show'), '100'),
    },
    example: 'terrace site --tenant cats search --query \'kit* "black cat" -dog\'',
    run: async (session, values) => (await files()).searchSiteFiles(session, values),
  }),
  command({
    name: 'site file:show',
    summary: 'Show the details of a file',
    options: { tenant, id: fileId },
    example: 'terrace site --tenant cats file:show --id 6TpXmaYbnZ1k',
    run: async (session, values) => (await files()).showSiteFile(session, values),
  }),
  command({
    name: 'site file:approve',
    summary: 'Approve some or all of the files that wait for approval',
    options: { tenant, id: idList('the ids of files'), all: flag('every file that waits for approval') },
    example: 'terrace site --tenant cats file:approve --id 6TpXmaYbnZ1k,Zk20q7bVJc3h',
    run: async (session, values) => (await files()).approveSiteFiles(session, values),
  }),
  command({
    name: 'site file:delete',
    summary: 'Delete a file permanently',
    options: { tenant, id: fileId },
    example: 'terrace site --tenant cats file:delete --id 6TpXmaYbnZ1k',
    run: async (session, values) => (await files()).deleteSiteFile(session, values),
  }),

  command({
    name: 'site trash:list',
    summary: 'List the files in the trash, last deleted first',
    options: { tenant, limit: withDefault(count('maximum number to show'), '100') },
    example: 'terrace site --tenant cats trash:list',
    run: async (session, values) => (await trash()).listSiteTrash(session, values),
  }),
  command({
    name: 'site trash:restore',
    summary: 'Restore a file from the trash',
    options: { tenant, id: fileId },
    example: 'terrace site --tenant cats trash:restore --id 6TpXmaYbnZ1k',
    run: async (session, values) => (await trash()).restoreSiteFile(session, values),
  }),
  command({
    name: 'site trash:empty',
    summary: 'Permanently delete every file in the trash',
    options: { tenant },
    example: 'terrace site --tenant cats trash:empty',
    run: async (session, values) => (await trash()).emptySiteTrash(session, values),
  }),

  command({
    name: 'site report:list',
    summary: 'List the reported files that need a decision, oldest report first',
    options: { tenant, limit: withDefault(count('maximum number to show'), '100') },
    example: 'terrace site --tenant cats report:list',
    run: async (session, values) => (await reports()).listSiteReports(session, values),
  }),
  command({
    name: 'site report:keep',
    summary: 'Keep reported files: close their reports and show hidden files again',
    options: { tenant, id: required(idList('the ids of files')) },
    example: 'terrace site --tenant cats report:keep --id 6TpXmaYbnZ1k,Zk20q7bVJc3h',
    run: async (session, values) => (await reports()).keepSiteReported(session, values),
  }),
  command({
    name: 'site report:remove',
    summary: 'Move reported files to the trash',
    options: { tenant, id: required(idList('the ids of files')) },
    example: 'terrace site --tenant cats report:remove --id 6TpXmaYbnZ1k',
    run: async (session, values) => (await reports()).removeSiteReported(session, values),
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
    positionals: { name: setting, value: required(text('VALUE', 'the new value; "" for an empty one')) },
    example: 'terrace site --tenant cats setting:set duplicates reject',
    run: async (session, values) => (await settings()).setSetting(session, values),
  }),
  command({
    name: 'site settings',
    summary: 'List the settings of the site; changed settings are bold',
    options: { tenant },
    example: 'terrace site --tenant cats settings',
    run: async (session, values) => (await settings()).listSettings(session, values),
  }),

  ...sitePresetCommands,

  command({
    name: 'site album:create',
    summary: "Create a user's album",
    options: {
      tenant,
      username,
      title: required(text('TEXT', "the album's title, 1 to 100 characters")),
      privacy: withDefault(privacy, 'public'),
      password: secret('the password, 1 to 128 characters; only with --privacy password'),
    },
    example: 'terrace site --tenant cats album:create --username ada --title Kittens --privacy link',
    run: async (session, values) => (await albums()).createSiteAlbum(session, values),
  }),
  command({
    name: 'site album:edit',
    summary: 'Change an album; omitted options keep their values',
    options: {
      tenant,
      id: albumId,
      title: text('TEXT', "the album's title, 1 to 100 characters"),
      privacy,
      password: secret('a new password, if the privacy is password'),
    },
    example: 'terrace site --tenant cats album:edit --id UkTxkrv9ieU9 --privacy password --password "…"',
    run: async (session, values) => (await albums()).editSiteAlbum(session, values),
  }),
  command({
    name: 'site album:delete',
    summary: 'Delete an album but keep its files',
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

  ...siteShareCommands,

  ...siteSigningCommands,

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
    summary: 'Delete a category but keep its files',
    options: { tenant, id: required(number("the category's number")) },
    example: 'terrace site --tenant cats category:delete --id 3',
    run: async (session, values) => (await categories()).deleteSiteCategory(session, values),
  }),

  command({
    name: 'site audit:sign',
    summary: 'Accept the current audit log after the doctor has reported a change',
    options: { tenant },
    example: 'terrace site --tenant cats audit:sign',
    run: async (session, values) => (await audit()).signAudit(session, values),
  }),
]
