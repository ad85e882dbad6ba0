import type { Environment } from '../config.ts'
import type { Command, Group } from './command.ts'
import { findCommand } from './find-command.ts'
import { helpOfCommand, helpOfGroup, helpOfTool, optionsOf, programOf, versionText } from './help.ts'
import { sessionOf } from './session.ts'
import { parseCommandLine } from './terminal/parse-args.ts'
import { printError } from './terminal/print-error.ts'
import { type Stream, type Terminal, terminalOf } from './terminal/terminal.ts'

export interface ToolCall {
  args: readonly string[]
  environment: Environment
  workingFolder: string
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
    const found = findCommand(args)
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
  const { json, ...values } = parseCommandLine(args, syntax, `${programOf(command)} --help`)
  await command.run(sessionOf({ ...io, isJson: json === true }), values)
}
