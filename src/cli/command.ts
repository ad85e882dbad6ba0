import type { Session } from './session.ts'
import type { Option, Options, Positionals, Values } from './terminal/option.ts'

/** A command of the tool: its name, options and help, and the function that runs it. */
export interface Command {
  /** As typed after `terrace`. */
  name: string
  summary: string
  options: Options
  positionals?: Positionals
  example: string
  /** False if the command has no result to print. */
  hasJson?: boolean
  /** Refuses values before a missing password is asked for. */
  check?(values: Readonly<Record<string, unknown>>): void
  run(session: Session, values: Readonly<Record<string, unknown>>): Promise<void>
}

interface CommandOf<O extends Options, P extends Positionals>
  extends Omit<Command, 'options' | 'positionals' | 'check' | 'run'> {
  options: O
  positionals?: P
  check?(values: Values<O> & Values<P>): void
  run(session: Session, values: Values<O> & Values<P>): Promise<void>
}

/** Derives the type of the values that `run` gets from the options that the command declares. */
export function command<const O extends Options, const P extends Positionals = Record<never, never>>(
  definition: CommandOf<O, P>,
): Command {
  // `parseCommandLine` read the values by these declarations, so the casts are sound.
  return {
    ...definition,
    check: (values) => definition.check?.(values as Values<O> & Values<P>),
    run: (session, values) => definition.run(session, values as Values<O> & Values<P>),
  }
}

/** Commands that share a first word, and the options that may follow that word. */
export interface Group {
  name: string
  summary: string
  /** As typed before the command's own name. */
  program: string
  options: Readonly<Record<string, Option>>
  example: string
}
