export interface BudgetLimits {
  mostBytes: number
  mostBytesPerKey: number
}

/** What one user of a budget has taken. */
export interface Account extends Disposable {
  /** False if the budget of all or of the key would be exceeded; then nothing is taken. */
  take(bytes: number): boolean
  /** Returns everything; later calls of `take` are not counted. Disposing does this too. */
  close(): void
}

/** Bytes that all users may take together, with a limit for each key (a client address). */
export class Budget {
  readonly #limits: BudgetLimits
  readonly #takenOfKey = new Map<string, number>()
  #taken = 0

  constructor(limits: BudgetLimits) {
    this.#limits = limits
  }

  get takenBytes(): number {
    return this.#taken
  }

  /** Without a key only the total is limited. */
  open(key: string | undefined): Account {
    let mine = 0
    let isClosed = false
    const account = {
      take: (bytes: number) => {
        if (isClosed) return true
        const ofKey = key === undefined ? 0 : (this.#takenOfKey.get(key) ?? 0)
        if (this.#taken + bytes > this.#limits.mostBytes) return false
        if (ofKey + bytes > this.#limits.mostBytesPerKey) return false
        this.#taken += bytes
        mine += bytes
        if (key !== undefined) this.#takenOfKey.set(key, ofKey + bytes)
        return true
      },
      close: () => {
        if (isClosed) return
        isClosed = true
        this.#taken -= mine
        if (key === undefined) return
        const left = (this.#takenOfKey.get(key) ?? 0) - mine
        if (left > 0) this.#takenOfKey.set(key, left)
        else this.#takenOfKey.delete(key)
      },
    }
    return { ...account, [Symbol.dispose]: account.close }
  }
}
