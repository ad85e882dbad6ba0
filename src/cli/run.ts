import type { Environment } from '../config.ts'
import type { Command } from './command.ts'
import { findCommand } from './find-command.ts'
import { helpOfCommand, helpOfGroup, helpOfTool, optionsOf, programOf, versionText } from './help.ts'
import { readWords } from './read-words.ts'
import { sessionOf } from './session.ts'
import { type Sheet, type Stream, sheetOf } from './sheet.ts'
import { tellFailure } from './tell-failure.ts'

export interface ToolCall {
  words: readonly string[]
  environment: Environment
  workingFolder: string
  out: Stream
  err: Stream
}

interface Desk extends Omit<ToolCall, 'words' | 'out' | 'err'> {
  out: Sheet
  err: Sheet
}

/** Does what the words say. 0: done; 1: refused or failed; 2: not understood. */
export async function runTool({ words, ...call }: ToolCall): Promise<number> {
  const out = sheetOf(call.out, call.environment)
  const err = sheetOf(call.err, call.environment)
  try {
    const found = findCommand(words)
    if (found.kind === 'version') out.print(versionText())
    else if (found.kind === 'help') out.print(found.group ? helpOfGroup(out, found.group) : helpOfTool(out))
    else await runCommand(found.command, found.rest, { ...call, out, err })
    return 0
  } catch (error) {
    return tellFailure(err, error, /^(debug|trace)$/.test(call.environment.SERVICE_LOG_LEVEL ?? ''))
  }
}

async function runCommand(command: Command, words: readonly string[], desk: Desk): Promise<void> {
  if (words.includes('--help') || words.includes('-h'))
    return desk.out.print(helpOfCommand(desk.out, command))
  const syntax = { options: optionsOf(command), positionals: command.positionals ?? {} }
  const { json, ...values } = readWords(words, syntax, `${programOf(command)} --help`)
  await command.run(sessionOf({ ...desk, isJson: json === true }), values)
}
