import { type Command, command } from './command.ts'
import { required, text, withDefault } from './terminal/option.ts'
import { oneOf } from './terminal/option-kinds.ts'

// Imported only when a command runs: `--help` need not load the whole service.
const operators = () => import('./commands/operator-commands.ts')

const username = required(text('NAME', "the operator's user name"))

/** Every command for the accounts of the console. */
export const operatorCommands: readonly Command[] = [
  command({
    name: 'operator:create',
    summary: 'Create an operator of the console, and print the link that sets up the account',
    options: {
      username,
      role: withDefault(
        oneOf(['operator', 'viewer'], 'a viewer can see everything and change nothing'),
        'operator',
      ),
    },
    example: 'terrace operator:create --username ada',
    run: async (session, values) => (await operators()).create(session, values),
  }),
  command({
    name: 'operator:list',
    summary: 'List the operators of the console',
    options: {},
    example: 'terrace operator:list',
    run: async (session) => (await operators()).list(session),
  }),
  command({
    name: 'operator:reset',
    summary: "Remove an operator's password, passkeys and sessions, and print a new link",
    options: { username },
    example: 'terrace operator:reset --username ada',
    run: async (session, values) => (await operators()).reset(session, values),
  }),
  command({
    name: 'operator:delete',
    summary: 'Delete an operator of the console',
    options: { username },
    example: 'terrace operator:delete --username ada',
    run: async (session, values) => (await operators()).remove(session, values),
  }),
]
