import type { Option, Options, Positionals, Values } from './option.ts'
import type { Session } from './session.ts'

/** One thing that the tool does, for the caller and for the reader of its help. */
export interface Command {
  /** As it is typed after `terrace`. */
  name: string
  summary: string
  options: Options
  positionals?: Positionals
  example: string
  /** False where there is no result to print. */
  hasJson?: boolean
  run(session: Session, values: Readonly<Record<string, unknown>>): Promise<void>
}

interface CommandOf<O extends Options, P extends Positionals>
  extends Omit<Command, 'options' | 'positionals' | 'run'> {
  options: O
  positionals?: P
  run(session: Session, values: Values<O> & Values<P>): Promise<void>
}

/** Ties what a command runs to the values that it declares. */
export function command<const O extends Options, const P extends Positionals = Record<never, never>>(
  definition: CommandOf<O, P>,
): Command {
  // The values were read by these very declarations, see `readWords`.
  return { ...definition, run: (session, values) => definition.run(session, values as Values<O> & Values<P>) }
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
