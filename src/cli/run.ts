import type { Environment } from '../config.ts'
import { closest, suggestion } from '../lib/did-you-mean.ts'
import type { Command, Group } from './command.ts'
import { commands, groups } from './commands.ts'
import {
  helpOfCommand,
  helpOfGroup,
  helpOfTool,
  optionsOf,
  programOf,
  stdinFlag,
  versionText,
} from './help.ts'
import { sessionOf } from './session.ts'
import { parseCommandLine } from './terminal/parse-args.ts'
import { printError } from './terminal/print-error.ts'
import { askSecret, type Input, readSecret } from './terminal/secret-input.ts'
import { type Stream, type Terminal, terminalOf } from './terminal/terminal.ts'
import { UsageFault } from './terminal/usage-fault.ts'

interface ToolCall {
  args: readonly string[]
  environment: Environment
  workingFolder: string
  input: Input
  out: Stream
  err: Stream
}

interface Io extends Omit<ToolCall, 'args' | 'out' | 'err'> {
  out: Terminal
  err: Terminal
}

/** Runs the command that the arguments name. Exit code 0: done; 1: refused or failed; 2: wrong usage. */
export async function runTool({ args, ...call }: ToolCall): Promise<number> {
  const out = terminalOf(call.out, call.environment)
  const err = terminalOf(call.err, call.environment)
  try {
    const found = findCommand(spelledHelp(args))
    if (found.kind === 'version') out.print(versionText())
    else if (found.kind === 'help' && !found.isRequested) return printMissingCommand(err, found.group)
    else if (found.kind === 'help') out.print(helpOf(out, found.group))
    else await runCommand(found.command, found.rest, { ...call, out, err })
    return 0
  } catch (error) {
    return printError(err, error, /^(debug|trace)$/.test(call.environment.SERVICE_LOG_LEVEL ?? ''))
  }
}

const helpOf = (terminal: Terminal, group: Group | undefined) =>
  group ? helpOfGroup(terminal, group) : helpOfTool(terminal)

/** Exits with 2 although help is printed: a script whose command is empty must not continue as if it had run. */
function printMissingCommand(err: Terminal, group: Group | undefined): number {
  err.print(`A command is missing.\n\n${helpOf(err, group)}`)
  return 2
}

async function runCommand(command: Command, args: readonly string[], io: Io): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return io.out.print(helpOfCommand(io.out, command))
  const syntax = { options: optionsOf(command), positionals: command.positionals ?? {} }
  const parse = (given: readonly string[]) => parseCommandLine(given, syntax, `${programOf(command)} --help`)
  const { json, ...values } = parse(await withSecret(command, args, { ...io, parse }))
  await command.run(sessionOf({ ...io, isJson: json === true }), values)
}

interface SecretIo extends Pick<Io, 'input' | 'err'> {
  /** Throws if the arguments are wrong. */
  parse: (args: readonly string[]) => Record<string, unknown>
}

/** The arguments with a secret that comes from standard input, or that the terminal is asked for after the others were checked. */
async function withSecret(
  { options, check: checkValues }: Command,
  args: readonly string[],
  { input, err, parse }: SecretIo,
): Promise<readonly string[]> {
  const [name, option] = Object.entries(options).find(([, { isSecret }]) => isSecret) ?? []
  if (name === undefined) return args
  const fromInput = args.indexOf(`--${stdinFlag(name)}`)
  if (fromInput !== -1) {
    const secret = await readSecret(input)
    if (secret === '') throw new UsageFault([`--${stdinFlag(name)}: standard input is empty.`])
    return [`--${name}=${secret}`, ...args.toSpliced(fromInput, 1)]
  }
  const isGiven = args.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
  if (isGiven || !option?.isRequired || !input.isTTY || !err.isTerminal) return args
  checkValues?.(parse([`--${name}=unknown`, ...args]))
  return [`--${name}=${await askSecret(input, err, name)}`, ...args]
}

type Found =
  | { kind: 'version' }
  /** `isRequested` is false if the arguments name no command and do not ask for help. */
  | { kind: 'help'; group: Group | undefined; isRequested: boolean }
  | { kind: 'command'; command: Command; rest: readonly string[] }

/** The command that the arguments name, and the arguments that remain for it. */
function findCommand(args: readonly string[]): Found {
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

/** `help install` and `tenants help install` mean `install --help`. */
function spelledHelp(args: readonly string[]): readonly string[] {
  const index = groups.some(({ name }) => name === args[0]) ? 1 : 0
  return args[index] === 'help' ? [...args.toSpliced(index, 1), '--help'] : args
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
