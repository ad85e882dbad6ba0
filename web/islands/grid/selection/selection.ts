import type { SelectionData, TileData } from '../../../../src/common/wire.ts'

/** The list that files are selected from. */
export interface Source {
  readonly count: number
  tileAt(index: number): TileData | undefined
  /** The files from one index to another, read from the server where they are not known yet. */
  tilesBetween(first: number, last: number): AsyncIterable<readonly TileData[]>
  /** The ids of the whole list. */
  allIds(): Promise<string[]>
}

/** Which files are selected, by their ids: what arrives in the list later is not among them. */
export class Selection {
  readonly #source: Source
  readonly #changed: () => void
  #picked = new Set<string>()
  /** What was selected before the range that is being extended. */
  #base = new Set<string>()
  #extension = 0
  /** The whole list was selected, and at most some files were taken out since. */
  isAll = false

  constructor(source: Source, changed: () => void) {
    this.#source = source
    this.#changed = changed
  }

  get count(): number {
    return this.#picked.size
  }

  /** A file that is not read yet has no id. */
  has(id: string | undefined): boolean {
    return id === undefined ? this.isAll : this.#picked.has(id)
  }

  toggle(id: string): void {
    this.#extension += 1
    if (!this.#picked.delete(id)) this.#picked.add(id)
    this.beginRange()
    this.#changed()
  }

  /** Selects a range in place of the one before, if that began at the same file. */
  async extend(first: number, last: number): Promise<void> {
    if (this.isAll) return
    const extension = ++this.#extension
    const picked = new Set(this.#base)
    for await (const tiles of this.#source.tilesBetween(Math.min(first, last), Math.max(first, last)))
      for (const { id } of tiles) picked.add(id)
    if (extension !== this.#extension) return
    this.#picked = picked
    this.#changed()
  }

  /** The next range adds to what is selected now. */
  beginRange(): void {
    this.#base = new Set(this.#picked)
  }

  async selectAll(): Promise<void> {
    const extension = ++this.#extension
    const ids = await this.#source.allIds()
    // Something else was selected, or nothing, while the server was asked.
    if (extension !== this.#extension) return
    this.#picked = new Set(ids)
    this.isAll = true
    this.beginRange()
    this.#changed()
  }

  clear(): void {
    this.#extension += 1
    this.#picked.clear()
    this.#base.clear()
    this.isAll = false
    this.#changed()
  }

  /** The selected ids, as many at once as the API changes in one batch. */
  *batches(size: number): Generator<string[]> {
    const ids = [...this.#picked]
    for (let from = 0; from < ids.length; from += size) yield ids.slice(from, from + size)
  }
}

/** What an action with the selected files needs. */
export interface ActionContext {
  data: SelectionData
  /** The path of the drawings. */
  icons: string
  selection: Selection
  root: HTMLElement
  button: HTMLButtonElement
  /** Where the bar says how many files are selected. */
  count: HTMLElement | null
  sizeInWords: () => string
  /** Called before the list is read anew without the selected files. */
  leave: () => void
}
