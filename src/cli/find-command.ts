import type { Command, Group } from './command.ts'
import { commands, groups } from './commands.ts'
import { closest, suggestion } from './terminal/did-you-mean.ts'
import { UsageFault } from './terminal/usage-fault.ts'

export type Found =
  | { kind: 'version' }
  /** `isRequested` is false if the arguments name no command and do not ask for help. */
  | { kind: 'help'; group: Group | undefined; isRequested: boolean }
  | { kind: 'command'; command: Command; rest: readonly string[] }

/** The command that the arguments name, and the arguments that remain for it. */
export function findCommand(args: readonly string[]): Found {
  const [first, ...rest] = args
  if (isHelp(first)) return { kind: 'help', group: undefined, isRequested: true }
  if (first === '--version') return { kind: 'version' }
  if (first === undefined) return { kind: 'help', group: undefined, isRequested: false }

  const group = groups.find(({ name }) => name === first)
  if (group) return findInGroup(group, rest)
  const command = commands.find(({ name }) => name === first)
  if (command) return { kind: 'command', command, rest }
  throw unknownCommand(first, 'terrace')
}

function findInGroup(group: Group, args: readonly string[]): Found {
  if (args[0] === '--version') return { kind: 'version' }
  const index = indexOfVerb(group, args)
  const verb = args[index]
  if (verb === undefined) return { kind: 'help', group, isRequested: args.some(isHelp) }

  const command = commands.find(({ name }) => name === `${group.name} ${verb}`)
  if (!command) throw unknownCommand(verb, group.program, group)
  return { kind: 'command', command, rest: args.toSpliced(index, 1) }
}

/** The first argument that is neither an option nor the value of one of the group's options: `site --tenant ID user:key`. */
function indexOfVerb(group: Group, args: readonly string[]): number {
  const takesNext = (arg: string | undefined) =>
    arg?.startsWith('--') && Object.hasOwn(group.options, arg.slice(2))
  const index = args.findIndex((arg, at) => !arg.startsWith('-') && !takesNext(args[at - 1]))
  return index === -1 ? args.length : index
}

const isHelp = (arg: string | undefined) => arg === '--help' || arg === '-h'

function unknownCommand(word: string, program: string, group?: Group): UsageFault {
  const prefix = group ? `${group.name} ` : ''
  const near = [...groups, ...commands]
    .map(({ name }) => name)
    .filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes(' '))
    .map((name) => name.slice(prefix.length))
  // `terrace list` suggests `terrace tenants list`.
  const elsewhere = commands.find(({ name }) => name.endsWith(` ${word}`))?.name
  const meant = closest(word, near) ?? elsewhere
  return new UsageFault([`There is no command "${word}".${suggestion(meant)}`], `${program} --help`)
}
