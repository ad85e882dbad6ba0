/** Lets one caller in at a time, in the order in which they came. */
export class Mutex {
  #tail: Promise<void> = Promise.resolve()

  /** Waits for the turn; the returned function ends it. */
  async acquire(): Promise<() => void> {
    const before = this.#tail
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#tail = promise
    await before
    return resolve
  }
}
