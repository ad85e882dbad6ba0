import { type Command, command } from './command.ts'
import { orElse, required, text } from './option.ts'
import { email, oneOf, password, shortName, tenant, username } from './option-kinds.ts'

// Loaded when one of their commands runs, so that `--help` need not wait for the whole service.
const accounts = () => import('./account-commands.ts')
const settings = () => import('./setting-commands.ts')
const albums = () => import('./album-commands.ts')
const categories = () => import('./category-commands.ts')

const role = oneOf(['admin', 'manager', 'user'], "the user's role")
const privacy = oneOf(['public', 'link', 'password', 'private'], 'who sees it')
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
    name: 'site user:key',
    summary: "Make a user's upload key; it is shown this once",
    options: { tenant, username, name: shortName('what to call the key') },
    example: 'terrace site --tenant cats user:key --username ada --name phone',
    run: async (session, values) => (await accounts()).createSiteKey(session, values),
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
      password: text('TEXT', "the album's password, where its privacy is password"),
    },
    example: 'terrace site --tenant cats album:create --username ada --title Kittens --privacy link',
    run: async (session, values) => (await albums()).createSiteAlbum(session, values),
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
]
