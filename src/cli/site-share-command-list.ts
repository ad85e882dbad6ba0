import { type Command, command } from './command.ts'
import { flag, required, secret, text } from './terminal/option.ts'
import { count, tenant, time, zeroOrOne } from './terminal/option-kinds.ts'

const shares = () => import('./commands/site/share-commands.ts')

/** The commands for links that open albums and files. */
export const siteShareCommands: readonly Command[] = [
  command({
    name: 'site share:create',
    summary: 'Create a link to an album or a file on behalf of its owner',
    options: {
      tenant,
      album: text('ID', "the album's id"),
      file: text('ID', "the file's id"),
      name: text('TEXT', 'a name for the owner, at most 100 characters'),
      expires: time('when it expires, YYYY-MM-DD HH:MM:SS in UTC; by default after `share_days`'),
      never: flag('never expire'),
      max_views: count('view limit'),
      password: secret('password for visitors, 1 to 128 characters'),
      download: zeroOrOne('1 to let visitors download the files, 0 to prevent it; 1 by default'),
      upload: zeroOrOne('1 to let visitors add files to the album; 0 by default'),
      max_uploads: count('upload limit'),
    },
    example: 'terrace site --tenant cats share:create --album UkTxkrv9ieU9 --max_views 5',
    run: async (session, values) => (await shares()).createSiteShare(session, values),
  }),
  command({
    name: 'site share:list',
    summary: 'List the shares of the site',
    options: { tenant },
    example: 'terrace site --tenant cats share:list',
    run: async (session, values) => (await shares()).listSiteShares(session, values),
  }),
  command({
    name: 'site share:revoke',
    summary: 'Revoke a share; its link stops working immediately',
    options: { tenant, id: required(text('ID', "the share's id")) },
    example: 'terrace site --tenant cats share:revoke --id Zk3Qm8vTxLw2',
    run: async (session, values) => (await shares()).revokeSiteShare(session, values),
  }),
]
