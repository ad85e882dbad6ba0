import { type Command, command } from './command.ts'
import { required } from './terminal/option.ts'
import { tenant, wholeFrom } from './terminal/option-kinds.ts'

const signing = () => import('./commands/site/signing-key-commands.ts')

/** The commands about the key that signs addresses. */
export const siteSigningCommands: readonly Command[] = [
  command({
    name: 'site signing-key:show',
    summary: 'Show the key that signs addresses, and the one before',
    options: { tenant },
    example: 'terrace site --tenant cats signing-key:show',
    run: async (session, values) => (await signing()).showSigningKey(session, values),
  }),
  command({
    name: 'site signing-key:rotate',
    summary: 'Give the site a new key that signs addresses',
    options: {
      tenant,
      overlap_seconds: required(
        wholeFrom(0, 604_800, 'for how many seconds addresses of the key before still work'),
      ),
    },
    example: 'terrace site --tenant cats signing-key:rotate --overlap_seconds 86400',
    run: async (session, values) => (await signing()).rotateSiteSigningKey(session, values),
  }),
]
