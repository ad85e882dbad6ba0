import type { GridData } from '../../../src/common/wire.ts'
import { dataOf } from '../../behaviour/island-data.ts'
import type { FileSequence } from '../lightbox/lightbox.ts'
import { openLightboxOn, startTileHover } from '../lightbox/open.ts'
import type { DateRail } from './date-rail.ts'
import { Layout, type Measures } from './layout.ts'
import { FileList } from './list.ts'
import { startNewFilesNotice } from './new-files.ts'
import { GridPosition, savedScrollPosition } from './scroll-position.ts'
import type { GridSelection } from './selection/start.ts'
import { Tile } from './tile.ts'

/** Pixels above and below the window that have tiles too. */
const overscan = 500
const mostTiles = 150
const restMs = 80

/** Takes over the tiles of a page: the whole list, laid out before its files are read, with as many elements as are seen. */
export function start(root: HTMLElement): void {
  const list = root.querySelector<HTMLElement>('.tiles')
  if (list) void new Grid(root, list).open()
}

class Grid {
  readonly #root: HTMLElement
  readonly #element: HTMLElement
  readonly #data: GridData
  readonly #list: FileList
  readonly #position: GridPosition
  #layout: Layout
  #tiles = new Map<number, Tile>()
  #selection: GridSelection | undefined
  #rail: DateRail | undefined
  #isDrawing = false
  #rest: ReturnType<typeof setTimeout> | undefined

  constructor(root: HTMLElement, element: HTMLElement) {
    this.#root = root
    this.#element = element
    this.#data = dataOf<GridData>(root)
    const kept = savedScrollPosition(`${this.#data.in}?${this.#data.query}`)
    this.#list = new FileList(this.#data, kept?.isPinned ? kept.moment : undefined)
    this.#layout = new Layout(this.#measure())
    const [grid, list] = [() => this, this.#list]
    this.#position = new GridPosition(kept, {
      list,
      get layout() {
        return grid().#layout
      },
      top: () => this.#top(),
      idAt: (index) => list.tileAt(index)?.id ?? this.#tiles.get(index)?.id,
      focus: (index) => this.#focus(index),
    })
  }

  async open(): Promise<void> {
    // A failed request leaves the page as the server has written it.
    const first = await this.#list.nextBlock().catch(() => undefined)
    if (first === undefined) return
    this.#takeOver(first.shapes)
    this.#listen()
    const rail = this.#root.classList.contains('has-rail') ? this.#startRail() : undefined
    void rail?.then((each) => each.add(first.months))
    await this.#startSelection()
    while (!this.#list.isWhole) {
      const block = await this.#list.nextBlock().catch(() => undefined)
      if (block === undefined) break
      this.#layout.add(block.shapes)
      this.#stretch()
      void rail?.then((each) => each.add(block.months))
    }
    this.#selection?.offerAll()
    startNewFilesNotice(this.#root, this.#list, this.#data.words)
  }

  async #startRail(): Promise<DateRail> {
    const { DateRail } = await import('./date-rail.ts')
    this.#rail = new DateRail(this.#root, this.#position.grid, this.#data.words.dates)
    return this.#rail
  }

  async #startSelection(): Promise<void> {
    const { selection } = this.#data
    if (!selection) return
    const { startSelection } = await import('./selection/start.ts')
    const [list, layoutCount] = [this.#list, () => this.#layout.count]
    this.#selection = startSelection(
      {
        root: this.#root,
        element: this.#element,
        tiles: this.#tiles,
        icons: this.#data.icons,
        get count() {
          return layoutCount()
        },
        get isWhole() {
          return list.isWhole
        },
        tileAt: (index) => list.tileAt(index),
        tilesBetween: (first, last) => list.tilesBetween(first, last),
        allIds: () => list.allIds(),
        focused: () => this.#focused(),
        leave: (index, isLeaving) => this.#position.leave(index, isLeaving),
      },
      selection,
    )
  }

  #measure(): Measures {
    const style = getComputedStyle(this.#element)
    const rowHeight = Number.parseFloat(style.getPropertyValue('--row')) || 240
    return { width: this.#element.clientWidth, rowHeight, gap: Number.parseFloat(style.columnGap) || 0 }
  }

  #takeOver(shapes: string): void {
    this.#layout.add(shapes)
    for (const [index, element] of [...this.#element.children].entries())
      if (element instanceof HTMLLIElement) this.#tiles.set(index, new Tile(element))
    this.#element.classList.add('placed')
    this.#root.querySelector('.pager')?.remove()
    this.#stretch()
    this.#position.comeBack()
    this.#draw()
    void this.#fill()
    void this.#position.focusAgain()
  }

  #listen(): void {
    history.scrollRestoration = 'manual'
    addEventListener('scroll', () => this.#drawSoon(), { passive: true })
    // What could not be read while the line was cut.
    addEventListener('online', () => void this.#fill())
    addEventListener('pagehide', () => this.#position.save())
    this.#element.addEventListener('click', () => this.#position.save())
    startTileHover(this.#element, this.#data.lightbox)
    openLightboxOn(this.#element, this.#data.lightbox, this.#order(), ({ dataset }) =>
      this.#indexOf(dataset.id),
    )
    this.#element.addEventListener('keydown', (event) => this.#follow(event))
    new ResizeObserver(() => this.#layOutAgain()).observe(this.#element)
  }

  #indexOf(id: string | undefined): number {
    return [...this.#tiles].find(([, tile]) => tile.id === id)?.[0] ?? -1
  }

  /** For the pages of files that are shown over the grid. */
  #order(): FileSequence {
    const layout = () => this.#layout
    return {
      get count() {
        return layout().count
      },
      pathAt: async (index) => {
        await this.#list.read(index, index).catch(() => false)
        return this.#list.tileAt(index)?.path
      },
      tileAt: (index) => this.#tiles.get(index)?.element,
      focus: (index) => {
        this.#layOutAgain()
        this.#focus(index)
      },
    }
  }

  /** The first file in the window stays where it is. */
  #layOutAgain(): void {
    // Below the page of a file the list has no scrollbar; it gets its width back with the scrollbar.
    if (history.state?.lightbox !== undefined) return
    const measures = this.#measure()
    const { width, rowHeight, gap } = this.#layout.measures
    if (measures.width === width && measures.rowHeight === rowHeight && measures.gap === gap) return
    const place = this.#position.place()
    this.#layout = this.#layout.again(measures)
    this.#stretch()
    if (place.offset > 0 || place.index > 0) this.#position.scrollBack(place)
    this.#rail?.draw()
    this.#draw()
  }

  #stretch(): void {
    this.#element.style.height = `${this.#layout.height}px`
  }

  #top(): number {
    return this.#element.getBoundingClientRect().top + scrollY
  }

  #drawSoon(): void {
    if (this.#isDrawing) return
    this.#isDrawing = true
    requestAnimationFrame(() => {
      this.#isDrawing = false
      this.#draw()
      clearTimeout(this.#rest)
      this.#rest = setTimeout(() => {
        void this.#fill()
        this.#position.save()
      }, restMs)
    })
  }

  #range(): [first: number, last: number] {
    const top = scrollY - this.#top()
    const [firstRow, lastRow] = [top - overscan, top + innerHeight + overscan].map((at) =>
      this.#layout.rowAt(at),
    )
    const [first] = this.#layout.filesOf(firstRow ?? 0)
    const [, end] = this.#layout.filesOf(lastRow ?? 0)
    return [first, Math.min(end, first + mostTiles) - 1]
  }

  /** Puts every file of the range into an element; those of other files are used again. */
  #draw(): void {
    const [first, last] = this.#range()
    const free: Tile[] = []
    for (const [index, tile] of this.#tiles) {
      if ((index >= first && index <= last) || tile.hasFocus) continue
      this.#tiles.delete(index)
      free.push(tile)
    }
    const { count } = this.#layout
    let before: Element | null = null
    for (let row = this.#layout.rowOf(last); row >= 0; row -= 1) {
      const [start] = this.#layout.filesOf(row)
      const boxes = this.#layout.boxesOf(row)
      for (let at = boxes.length - 1; at >= 0; at -= 1) {
        const [index, box] = [start + at, boxes[at]]
        if (index > last || index < first || !box) continue
        const known = this.#tiles.get(index)
        const tile = known ?? free.pop() ?? new Tile()
        if (!known) {
          tile.show(undefined, this.#look)
          this.#tiles.set(index, tile)
          this.#element.insertBefore(tile.element, before)
        }
        tile.place(box, index, count)
        const data = this.#list.tileAt(index)
        if (data) tile.show(data, this.#look)
        this.#selection?.mark(tile, index)
        before = tile.element
      }
      if (start <= first) break
    }
    for (const { element } of free) element.remove()
  }

  get #look() {
    const { words, icons, selection } = this.#data
    return { words, icons, select: selection?.label }
  }

  /** Reads the files of the tiles that are empty. */
  async #fill(): Promise<void> {
    const [first, last] = this.#range()
    const isNew = await this.#list.read(first, last).catch(() => false)
    if (isNew) this.#draw()
  }

  /** Arrows lead by geometry. */
  #follow(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const current = this.#focused()
    if (current === undefined) return
    const targets: Readonly<Record<string, () => number>> = {
      ArrowLeft: () => current - 1,
      ArrowRight: () => current + 1,
      ArrowUp: () => this.#layout.beside(current, -1),
      ArrowDown: () => this.#layout.beside(current, 1),
    }
    const target = targets[event.key]?.()
    if (target === undefined) return
    event.preventDefault()
    if (target < 0 || target >= this.#layout.count) return
    this.#focus(target)
    if (event.shiftKey) this.#selection?.lead(current, target)
  }

  #focused(): number | undefined {
    return [...this.#tiles].find(([, tile]) => tile.hasFocus)?.[0]
  }

  #focus(index: number): void {
    const [start] = this.#layout.filesOf(this.#layout.rowOf(index))
    const box = this.#layout.boxesOf(this.#layout.rowOf(index))[index - start]
    if (!box) return
    const top = this.#top() + box.top
    if (top < scrollY) scrollTo({ top: top - 8, behavior: 'instant' })
    else if (top + box.height > scrollY + innerHeight)
      scrollTo({ top: top + box.height - innerHeight + 8, behavior: 'instant' })
    this.#draw()
    this.#tiles.get(index)?.focus()
    void this.#fill()
  }
}
