import { LruMap } from '../lib/lru.ts'

const mostRemembered = 2_000

/** Keeps what was read from control rows until their version rises. */
export class Memory {
  readonly #versionNow: () => number
  readonly #values = new LruMap<string, unknown>(mostRemembered)
  #version = -1

  constructor(versionNow: () => number) {
    this.#versionNow = versionNow
  }

  /** Only what exists is kept, so that questions for nothing push nothing out. */
  async recall<T>(name: string, read: () => Promise<T>): Promise<T> {
    const version = this.#current()
    const known = this.#values.get(name)
    if (known !== undefined) return known as T
    const value = await read()
    // A change while we read may have come too late for what we read.
    if (value !== undefined && this.#current() === version) this.#values.set(name, value)
    return value
  }

  /** What is remembered at this moment, and nothing that would have to be read. */
  known<T>(name: string): T | undefined {
    this.#current()
    return this.#values.get(name) as T | undefined
  }

  #current(): number {
    const version = this.#versionNow()
    if (version !== this.#version) {
      this.#values.clear()
      this.#version = version
    }
    return version
  }
}
