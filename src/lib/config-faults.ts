/** Every faulty setting, so that the operator can correct all of them at one time. */
export class ConfigFaults extends Error {
  readonly list: readonly string[]

  constructor(list: readonly string[]) {
    super(list.join('\n'))
    this.name = 'ConfigFaults'
    this.list = list
  }
}
