/** A lock for one holder at a time, granted in the order of the calls. */
export class Mutex {
  #tail: Promise<void> = Promise.resolve()

  /** Waits for the lock; the returned function releases it. */
  async acquire(): Promise<() => void> {
    const before = this.#tail
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#tail = promise
    await before
    return resolve
  }
}
