import { type Command, command } from './command.ts'
import { flag, required, text } from './terminal/option.ts'
import { count, tenant, time, zeroOrOne } from './terminal/option-kinds.ts'

const shares = () => import('./commands/site/share-commands.ts')

/** The commands for links that open albums and files. */
export const siteShareCommands: readonly Command[] = [
  command({
    name: 'site share:create',
    summary: 'Share an album or a file by a link, for its owner',
    options: {
      tenant,
      album: text('ID', "the album's id"),
      file: text('ID', "the file's id"),
      name: text('TEXT', 'for its owner, at most 100 characters'),
      expires: time('when it ends, YYYY-MM-DD HH:MM:SS in UTC; by default after `share_days`'),
      never: flag('no end'),
      max_views: count('how often it can be opened'),
      password: text('TEXT', 'what visitors are asked for, 1 to 128 characters'),
      download: zeroOrOne('whether the uploaded bytes are sent; 1 by default'),
      upload: zeroOrOne('whether visitors may add files to the album; 0 by default'),
      max_uploads: count('how many files it takes'),
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
    summary: 'Revoke a share; its address is gone at once',
    options: { tenant, id: required(text('ID', "the share's id")) },
    example: 'terrace site --tenant cats share:revoke --id Zk3Qm8vTxLw2',
    run: async (session, values) => (await shares()).revokeSiteShare(session, values),
  }),
]
