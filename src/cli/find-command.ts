import type { Command, Group } from './command.ts'
import { commands, groups } from './commands.ts'
import { closest, suggestion } from './did-you-mean.ts'
import { UsageFault } from './usage-fault.ts'

export type Found =
  | { kind: 'version' }
  | { kind: 'help'; group: Group | undefined }
  | { kind: 'command'; command: Command; rest: readonly string[] }

/** The command that the words name, and what is left of them. */
export function findCommand(words: readonly string[]): Found {
  const [first, ...rest] = words
  if (isHelp(first)) return { kind: 'help', group: undefined }
  if (first === '--version') return { kind: 'version' }
  if (first === undefined) throw new UsageFault(['A command is missing.'], 'terrace --help')

  const group = groups.find(({ name }) => name === first)
  if (group) return findInGroup(group, rest)
  const command = commands.find(({ name }) => name === first)
  if (command) return { kind: 'command', command, rest }
  throw unknownCommand(first, 'terrace')
}

function findInGroup(group: Group, words: readonly string[]): Found {
  if (words[0] === '--version') return { kind: 'version' }
  const place = placeOfVerb(group, words)
  const verb = words[place]
  if (verb === undefined && words.some(isHelp)) return { kind: 'help', group }
  if (verb === undefined) throw new UsageFault(['A command is missing.'], `${group.program} --help`)

  const command = commands.find(({ name }) => name === `${group.name} ${verb}`)
  if (!command) throw unknownCommand(verb, group.program, group)
  return { kind: 'command', command, rest: words.toSpliced(place, 1) }
}

/** The first word that is neither an option nor the value of one of the group's own: `site --tenant ID user:key`. */
function placeOfVerb(group: Group, words: readonly string[]): number {
  const takesNext = (word: string | undefined) =>
    word?.startsWith('--') && Object.hasOwn(group.options, word.slice(2))
  const place = words.findIndex((word, at) => !word.startsWith('-') && !takesNext(words[at - 1]))
  return place === -1 ? words.length : place
}

const isHelp = (word: string | undefined) => word === '--help' || word === '-h'

function unknownCommand(word: string, program: string, group?: Group): UsageFault {
  const prefix = group ? `${group.name} ` : ''
  const near = [...groups, ...commands]
    .map(({ name }) => name)
    .filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes(' '))
    .map((name) => name.slice(prefix.length))
  // `terrace list` means what `terrace tenants list` does.
  const elsewhere = commands.find(({ name }) => name.endsWith(` ${word}`))?.name
  const meant = closest(word, near) ?? elsewhere
  return new UsageFault([`There is no command "${word}".${suggestion(meant)}`], `${program} --help`)
}
