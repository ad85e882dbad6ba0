/** A value of the command line: it follows `--name`, or is a positional argument. */
export interface Option<T = unknown, R extends boolean = boolean> {
  /** The value's placeholder in the help; undefined for a flag. */
  form: string | undefined
  help: string
  isRequired: R
  /** The value if the option is not given. */
  fallback?: string
  /** The value may also come from standard input, or be asked for at the terminal if it is required. */
  isSecret?: true
  /** Throws an Error whose message says what the value must be. */
  read(text: string): T
}

export type Options = Readonly<Record<string, Option>>

/** Positional arguments in their order. All are required. */
export type Positionals = Readonly<Record<string, Option<unknown, true>>>

type ValueOf<O> = O extends Option<infer T> ? T : never
type RequiredNames<O extends Options> = {
  [N in keyof O]: O[N] extends Option<unknown, true> ? N : never
}[keyof O]

/** The values that a command gets for the options that it declares. Optional ones may be absent. */
export type Values<O extends Options> = { [N in RequiredNames<O>]: ValueOf<O[N]> } & {
  [N in Exclude<keyof O, RequiredNames<O>>]?: ValueOf<O[N]>
}

export const option = <T>(form: string, help: string, read: (text: string) => T): Option<T, false> => ({
  form,
  help,
  isRequired: false,
  read,
})

export const flag = (help: string): Option<boolean, false> => ({
  form: undefined,
  help,
  isRequired: false,
  read: () => true,
})

export const text = (form: string, help: string) => option(form, help, (value) => value)

/** A password. In an argument, other users of the machine and the shell's history can see it. */
export const secret = (help: string) => ({ ...text('TEXT', help), isSecret: true }) as const

export const required = <T>(given: Option<T>): Option<T, true> => ({ ...given, isRequired: true })

/** An option with a default: the caller may omit it, and the command always gets a value. */
export const withDefault = <T>(given: Option<T>, fallback: string): Option<T, true> => ({
  ...given,
  isRequired: true,
  fallback,
})
