import { readFileSync } from 'node:fs'
import type { Command, Group } from './command.ts'
import { commands, groups } from './commands.ts'
import { flag, type Option, type Options } from './terminal/option.ts'
import type { Terminal } from './terminal/terminal.ts'

export function helpOfTool(terminal: Terminal): string {
  const single = commands.filter(({ name }) => !name.includes(' '))
  return page(terminal, {
    about: 'Terrace hosts pictures and videos for many sites, each with its own hostname.',
    usage: 'terrace COMMAND [OPTIONS]',
    lists: {
      Commands: [
        ...single.map(({ name, summary }) => [name, summary] as const),
        ...groups.map((group) => [`${group.name} …`, group.summary] as const),
      ],
      Options: [
        ['--help', 'show this help, or the help of a command'],
        ['--version', 'show the version'],
      ],
    },
    example: 'terrace serve',
    end: 'Settings come from the environment: SERVICE_DATA_DIR, SERVICE_LISTEN, SERVICE_DATABASE_URL and others.',
  })
}

export function helpOfGroup(terminal: Terminal, group: Group): string {
  const own = commands.filter((command) => groupOf(command) === group)
  const options = Object.entries(group.options)
  return page(terminal, {
    about: `${group.summary}.`,
    usage: `${[group.program, ...options.map(spelled)].join(' ')} COMMAND [OPTIONS]`,
    lists: {
      Commands: own.map((command) => [verbOf(command), command.summary] as const),
      Options: [['--help', 'show this help, or the help of a command'], ...options.map(described)],
    },
    example: group.example,
  })
}

export function helpOfCommand(terminal: Terminal, command: Command): string {
  const group = groupOf(command)
  const options = Object.entries(optionsOf(command))
  const required = options.filter(
    ([name, option]) => mustBeGiven(option) && !option.isSecret && !group?.options[name],
  )
  const positionals = Object.values(command.positionals ?? {})
  return page(terminal, {
    about: `${command.summary}.`,
    usage: [
      ...(group ? [group.program, ...Object.entries(group.options).map(spelled)] : ['terrace']),
      verbOf(command),
      ...positionals.map(formOf),
      ...required.map(spelled),
      ...(required.length < options.length ? ['[OPTIONS]'] : []),
    ].join(' '),
    lists: {
      ...(positionals.length > 0 && {
        Values: positionals.map((each) => [formOf(each), each.help] as const),
      }),
      Options: [...options.map(described), ['--help', 'show this help']],
    },
    example: command.example,
  })
}

/** The command's options, another source for each that is secret, and `--json` if it prints a result. */
export function optionsOf(command: Command): Options {
  const secrets = Object.entries(command.options).filter(([, { isSecret }]) => isSecret)
  return {
    ...command.options,
    ...Object.fromEntries(
      secrets.map(([name]) => [stdinFlag(name), flag(`read the ${name} from standard input`)]),
    ),
    ...(command.hasJson === false ? {} : { json: jsonFlag }),
  }
}

export const stdinFlag = (name: string): string => `${name}-stdin`

const jsonFlag = flag('print the result as JSON')

/** The command as typed in a shell. */
export const programOf = (command: Command): string =>
  `${groupOf(command)?.program ?? 'terrace'} ${verbOf(command)}`

const groupOf = ({ name }: Command) => groups.find((group) => name.startsWith(`${group.name} `))

const verbOf = ({ name }: Command) => name.slice(name.indexOf(' ') + 1)

export function versionText(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return `terrace ${version}`
}

type Entry = readonly [name: string, help: string]

interface Page {
  about: string
  usage: string
  lists: Readonly<Record<string, readonly Entry[]>>
  example: string
  end?: string
}

function page(terminal: Terminal, { about, usage, lists, example, end }: Page): string {
  const width = Math.max(...Object.values(lists).flatMap((list) => list.map(([name]) => name.length)))
  const heading = (title: string) => terminal.paint('bold', `${title}:`)
  return [
    about,
    `${heading('Usage')} ${usage}`,
    ...Object.entries(lists).map(([title, list]) =>
      [
        heading(title),
        ...list.map(([name, help]) => `  ${terminal.paint('cyan', name.padEnd(width))}  ${help}`),
      ].join('\n'),
    ),
    `${heading('Example')}\n  ${example}`,
    ...(end === undefined ? [] : [end]),
  ].join('\n\n')
}

const mustBeGiven = (option: Option) => option.isRequired && option.fallback === undefined

const formOf = ({ form }: Option) => form ?? ''

const spelled = ([name, { form }]: [string, Option]) =>
  form === undefined ? `--${name}` : `--${name} ${form}`

function described([name, option]: [string, Option]): Entry {
  const remark = mustBeGiven(option)
    ? option.isSecret
      ? ' (asked for at a terminal if it is missing)'
      : ' (required)'
    : option.fallback === undefined
      ? ''
      : ` (default: ${option.fallback})`
  return [spelled([name, option]), `${option.help}${remark}`]
}
