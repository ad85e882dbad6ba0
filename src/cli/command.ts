import type { Option, Options, Values } from './option.ts'
import type { Session } from './session.ts'

/** One thing that the tool does, for the caller and for the reader of its help. */
export interface Command {
  /** As it is typed after `terrace`. */
  name: string
  summary: string
  options: Options
  example: string
  /** False where there is no result to print. */
  hasJson?: boolean
  run(session: Session, values: Readonly<Record<string, unknown>>): Promise<void>
}

interface CommandOf<O extends Options> extends Omit<Command, 'options' | 'run'> {
  options: O
  run(session: Session, values: Values<O>): Promise<void>
}

/** Ties what a command runs to the options that it declares. */
export function command<const O extends Options>(definition: CommandOf<O>): Command {
  // The values were read by these very options, see `readOptions`.
  return { ...definition, run: (session, values) => definition.run(session, values as Values<O>) }
}

/** Commands that share a first word, and the options that may stand behind it. */
export interface Group {
  name: string
  summary: string
  /** As its commands are typed. */
  program: string
  options: Readonly<Record<string, Option>>
  example: string
}
