/** A bounded line in which every share comes up in turn, however many of its own it has waiting. */
export class TurnQueue<T> {
  readonly #limit: number
  /** Shares in the order of their turns. */
  readonly #waiting = new Map<string, T[]>()
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#size
  }

  /**
   * Gives back what has to leave because the line is full: the newcomer, or the last of the share that has
   * the most waiting when the newcomer's has fewer. One share alone cannot keep the others out.
   */
  push(share: string, item: T): T | undefined {
    const own = this.#waiting.get(share)
    if (this.#size < this.#limit) {
      this.#add(share, item)
      return undefined
    }
    const [largest, most] = this.#largest()
    if (most.length <= (own?.length ?? 0) + 1) return item
    const leaving = most.pop()
    if (most.length === 0) this.#waiting.delete(largest)
    this.#size--
    this.#add(share, item)
    return leaving
  }

  take(): T | undefined {
    const turn = this.#waiting.entries().next()
    if (turn.done) return undefined
    const [share, items] = turn.value
    const item = items.shift()
    this.#size--
    this.#waiting.delete(share)
    if (items.length > 0) this.#waiting.set(share, items)
    return item
  }

  remove(share: string, item: T): boolean {
    const items = this.#waiting.get(share) ?? []
    const index = items.indexOf(item)
    if (index === -1) return false
    items.splice(index, 1)
    if (items.length === 0) this.#waiting.delete(share)
    this.#size--
    return true
  }

  #add(share: string, item: T): void {
    const own = this.#waiting.get(share)
    if (own === undefined) this.#waiting.set(share, [item])
    else own.push(item)
    this.#size++
  }

  #largest(): [string, T[]] {
    let largest: [string, T[]] = ['', []]
    for (const entry of this.#waiting) if (entry[1].length > largest[1].length) largest = entry
    return largest
  }
}
