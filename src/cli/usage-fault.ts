/** The caller said something that we do not understand: nothing was begun. */
export class UsageFault extends Error {
  /** Every fault, so that one look mends them all. */
  readonly list: readonly string[]
  /** The help to read. */
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
