/** A site's tables without rows, in a folder of their own. */
export interface BlankDraft {
  folder: string
  /** Removes it, wherever its making has got to. */
  discard(): Promise<void>
}

/** Sweepers take what is older than ten minutes for something that was left. */
const oldestMs = 300_000

/** Who installs one site after another finds the next one's tables made already. */
export class SpareDraft<Draft extends BlankDraft> implements AsyncDisposable {
  readonly #make: () => Promise<Draft>
  #spare: { draft: Promise<Draft | undefined>; madeAt: number } | undefined
  #taken = 0
  #isClosed = false

  constructor(make: () => Promise<Draft>) {
    this.#make = make
  }

  /** Nothing where none is ready, or where it may have been swept. */
  async take(): Promise<Draft | undefined> {
    this.#taken += 1
    const spare = this.#spare
    this.#spare = undefined
    const draft = await spare?.draft
    if (!spare || performance.now() - spare.madeAt < oldestMs) return draft
    await draft?.discard()
    return undefined
  }

  /** When a caller has been answered. One who installs a single site needs none. */
  prepare(): void {
    if (this.#isClosed || this.#spare || this.#taken < 2) return
    // Whatever stands in the way now, the next one who needs it will be told.
    const draft = this.#make().catch(() => undefined)
    this.#spare = { draft, madeAt: performance.now() }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const draft = await this.#spare?.draft
    // What a failing disk does not let go of is swept later.
    await draft?.discard().catch(() => undefined)
  }
}
