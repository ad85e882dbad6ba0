import type {
  GridData,
  IdBlock,
  NewFiles,
  ShapeBlock,
  TileData,
  TileWindow,
} from '../../../src/common/wire.ts'
import { askSite } from '../../behaviour/island-data.ts'

const filesOfWindow = 200
/** More windows than a person sees at once, and few enough to forget what is far away. */
const mostWindows = 24

/** A list of files on the server, pinned to a moment: its shapes block by block, its files window by window. */
export class FileList {
  readonly #data: GridData
  readonly #windows: string[] = []
  readonly #tiles = new Map<number, readonly TileData[]>()
  /** Those under way, by window. */
  readonly #reads = new Map<number, Promise<void>>()
  #next: string | null = ''
  moment: string | undefined

  constructor(data: GridData, moment: string | undefined) {
    this.#data = data
    this.moment = moment
  }

  get isWhole(): boolean {
    return this.#next === null
  }

  /** The shapes of the next files, and their months. */
  async nextBlock(): Promise<ShapeBlock> {
    const block = await askSite<ShapeBlock>(this.#path('shape', { after: this.#next ?? '' }))
    this.moment = block.moment
    this.#windows.push(...block.windows)
    this.#next = block.next
    return block
  }

  tileAt(index: number): TileData | undefined {
    return this.#tiles.get(Math.floor(index / filesOfWindow))?.[index % filesOfWindow]
  }

  /** The index of a file among those that were read. */
  indexOf(id: string): number | undefined {
    for (const [window, tiles] of this.#tiles) {
      const at = tiles.findIndex((tile) => tile.id === id)
      if (at !== -1) return window * filesOfWindow + at
    }
    return undefined
  }

  /** Reads the windows of these files; true if there are new ones. */
  async read(first: number, last: number): Promise<boolean> {
    const reads: Promise<void>[] = []
    for (let each = Math.floor(first / filesOfWindow); each <= Math.floor(last / filesOfWindow); each += 1) {
      if (this.#tiles.has(each) || each >= this.#windows.length) continue
      const read = this.#reads.get(each) ?? this.#readWindow(each).finally(() => this.#reads.delete(each))
      this.#reads.set(each, read)
      reads.push(read)
    }
    await Promise.all(reads)
    return reads.length > 0
  }

  async #readWindow(window: number): Promise<void> {
    const bounds = { after: this.#windows[window - 1] ?? '', until: this.#windows[window] ?? '' }
    const { tiles } = await askSite<TileWindow>(this.#path('window', bounds))
    this.#tiles.set(window, tiles)
    const [oldest] = this.#tiles.keys()
    if (this.#tiles.size > mostWindows && oldest !== undefined) this.#tiles.delete(oldest)
  }

  /** Files from one index to another, window by window. */
  async *tilesBetween(first: number, last: number): AsyncGenerator<readonly TileData[]> {
    for (let from = first; from <= last; ) {
      const window = Math.floor(from / filesOfWindow)
      const end = Math.min(last + 1, (window + 1) * filesOfWindow)
      await this.read(from, from)
      const tiles = this.#tiles.get(window) ?? []
      yield tiles.slice(from - window * filesOfWindow, end - window * filesOfWindow)
      from = end
    }
  }

  /** The ids of the whole list as it is now, without what arrived after its moment. */
  async allIds(): Promise<string[]> {
    const ids: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const block: IdBlock = await askSite<IdBlock>(this.#path('ids', { after }))
      ids.push(...block.ids)
      after = block.next
    }
    return ids
  }

  async countNew(): Promise<number> {
    return (await askSite<NewFiles>(this.#path('new', { since: this.moment ?? '' }))).count
  }

  #path(name: string, more: Readonly<Record<string, string>>): string {
    const query = new URLSearchParams(this.#data.query)
    query.set('in', this.#data.in)
    if (this.moment !== undefined) query.set('moment', this.moment)
    for (const [key, value] of Object.entries(more)) if (value !== '') query.set(key, value)
    return `/-/files/${name}?${query}`
  }
}
