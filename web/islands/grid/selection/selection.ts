import type { SelectionData, TileData } from '../../../../src/common/wire.ts'

/** A selected file. */
export type Picked = Pick<TileData, 'id'>

/** The list that files are selected from. */
export interface Source {
  readonly count: number
  tileAt(index: number): TileData | undefined
  /** The files from one index to another, read from the server where they are not known yet. */
  tilesBetween(first: number, last: number): AsyncIterable<readonly TileData[]>
}

/** Which files are selected: some, or the whole list but for exceptions. */
export class Selection {
  readonly #source: Source
  readonly #changed: () => void
  #picked = new Map<string, Picked>()
  /** What was selected before the range that is being extended. */
  #base = new Map<string, Picked>()
  #except: Set<string> | undefined
  #extension = 0

  constructor(source: Source, changed: () => void) {
    this.#source = source
    this.#changed = changed
  }

  get isAll(): boolean {
    return this.#except !== undefined
  }

  get count(): number {
    return this.#except ? this.#source.count - this.#except.size : this.#picked.size
  }

  has(id: string | undefined): boolean {
    if (id === undefined) return this.isAll
    return this.#except ? !this.#except.has(id) : this.#picked.has(id)
  }

  toggle(tile: Picked): void {
    this.#extension += 1
    const chosen = this.#except ?? this.#picked
    if (chosen.has(tile.id)) chosen.delete(tile.id)
    else if (this.#except) this.#except.add(tile.id)
    else this.#picked.set(tile.id, tile)
    this.#base = new Map(this.#picked)
    this.#changed()
  }

  /** Selects a range in place of the one before, if that began at the same file. */
  async extend(first: number, last: number): Promise<void> {
    if (this.#except) return
    const extension = ++this.#extension
    const picked = new Map(this.#base)
    for await (const tiles of this.#source.tilesBetween(Math.min(first, last), Math.max(first, last)))
      for (const tile of tiles) picked.set(tile.id, tile)
    if (extension !== this.#extension) return
    this.#picked = picked
    this.#changed()
  }

  /** The next range adds to what is selected now. */
  beginRange(): void {
    this.#base = new Map(this.#picked)
  }

  selectAll(): void {
    this.#reset()
    this.#except = new Set()
    this.#changed()
  }

  clear(): void {
    this.#reset()
    this.#changed()
  }

  #reset(): void {
    this.#extension += 1
    this.#picked.clear()
    this.#base.clear()
    this.#except = undefined
  }

  /** The selected ids, as many at once as the API changes in one batch. */
  async *batches(size: number): AsyncGenerator<string[]> {
    const ids: string[] = []
    for await (const tiles of this.#tiles()) {
      ids.push(...tiles.map(({ id }) => id).filter((id) => this.has(id)))
      while (ids.length >= size) yield ids.splice(0, size)
    }
    if (ids.length > 0) yield ids
  }

  async *#tiles(): AsyncGenerator<readonly Picked[]> {
    if (this.#except) yield* this.#source.tilesBetween(0, this.#source.count - 1)
    else yield [...this.#picked.values()]
  }
}

/** What an action with the selected files needs. */
export interface ActionContext {
  data: SelectionData
  selection: Selection
  root: HTMLElement
  button: HTMLButtonElement
  /** Where the bar says how many files are selected. */
  count: HTMLElement | null
  sizeInWords: () => string
}
