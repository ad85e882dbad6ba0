/** The command line or a setting is wrong. Thrown before the command has changed anything. */
export class UsageFault extends Error {
  /** Every fault, so that the caller can correct all of them at once. */
  readonly list: readonly string[]
  /** The command that prints the help. */
  readonly help: string | undefined

  constructor(list: readonly string[], help?: string) {
    super(list.join('\n'))
    this.name = 'UsageFault'
    this.list = list
    this.help = help
  }
}

export const nothingToChange = (program: string, named = '--id'): UsageFault =>
  new UsageFault([`Nothing to change: give at least one option besides ${named}.`], `${program} --help`)
