/** What follows `--name`, or stands in a place of its own. */
export interface Option<T = unknown, R extends boolean = boolean> {
  /** Stands for the value in the help; a flag has none. */
  form: string | undefined
  help: string
  isRequired: R
  /** Taken when the option is not given. */
  fallback?: string
  /** Throws an Error that says what the value must be. */
  read(text: string): T
}

export type Options = Readonly<Record<string, Option>>

/** Values without `--name` before them, in the order in which they stand. All must be given. */
export type Positionals = Readonly<Record<string, Option<unknown, true>>>

type ValueOf<O> = O extends Option<infer T> ? T : never
type RequiredNames<O extends Options> = {
  [N in keyof O]: O[N] extends Option<unknown, true> ? N : never
}[keyof O]

/** What a command gets for the options that it declares: those that were not given are not there. */
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

export const required = <T>(given: Option<T>): Option<T, true> => ({ ...given, isRequired: true })

/** Always there for the command, though the caller may leave it out. */
export const orElse = <T>(given: Option<T>, fallback: string): Option<T, true> => ({
  ...given,
  isRequired: true,
  fallback,
})
