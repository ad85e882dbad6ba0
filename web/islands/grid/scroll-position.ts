import type { Layout } from './layout.ts'
import type { FileList } from './list.ts'

/** Where a person was in a grid, kept in the entry of the history: Back leads to the same file at the same height. */
interface ScrollPosition {
  /** The list and its parameters. */
  list: string
  moment: string
  index: number
  id: string | undefined
  /** From the top of the row to the top of the window. */
  offset: number
  /** The file that gets the focus, after others have left the list. */
  focus?: { id: string | undefined; index: number } | undefined
}

type Saved = Partial<ScrollPosition> & { list: string; isPinned: boolean }

/** The kept place of this list. After a reload the list is read anew, so its moment does not count. */
export function savedScrollPosition(list: string): Saved {
  const kept: ScrollPosition | undefined = history.state?.grid
  if (kept?.list !== list) return { list, isPinned: false }
  const [entry] = performance.getEntriesByType('navigation')
  const isPinned = entry instanceof PerformanceNavigationTiming && entry.type === 'back_forward'
  return { ...kept, isPinned }
}

/** The grid as its position needs it. */
interface PlacedGrid {
  readonly list: FileList
  readonly layout: Layout
  /** The top of the list in the page. */
  top(): number
  /** Undefined if the file was not read yet. */
  idAt(index: number): string | undefined
  focus(index: number): void
}

export class GridPosition {
  readonly #saved: Saved
  readonly grid: PlacedGrid
  #isLeaving = false

  constructor(saved: Saved, grid: PlacedGrid) {
    this.#saved = saved
    this.grid = grid
  }

  /** The first file in the window. */
  place(): { index: number; offset: number } {
    const { layout, top } = this.grid
    const at = scrollY - top()
    const [index] = layout.filesOf(layout.rowAt(at))
    return { index, offset: at - layout.topOf(index) }
  }

  scrollBack({ index, offset }: { index: number; offset: number }): void {
    const { layout, top } = this.grid
    scrollTo({ top: top() + layout.topOf(index) + offset, behavior: 'instant' })
  }

  save(focus?: ScrollPosition['focus']): void {
    // The entry of a file that is shown over the grid is not the grid's.
    if (this.#isLeaving || history.state?.lightbox !== undefined) return
    const { list, idAt } = this.grid
    const place = this.place()
    const position: ScrollPosition = {
      ...place,
      list: this.#saved.list,
      moment: list.moment ?? '',
      id: idAt(place.index),
      focus,
    }
    history.replaceState({ ...history.state, grid: position }, '')
  }

  /** Scrolls to the kept place; once its files are read, to the file itself if others before it are gone. */
  comeBack(): void {
    const { index, offset = 0, id } = this.#saved
    const { layout, list } = this.grid
    if (index === undefined || index >= layout.count) return
    this.scrollBack({ index, offset })
    if (id === undefined) return
    void list.read(index, index).then(() => {
      const found = list.indexOf(id)
      if (found !== undefined && found !== index) this.scrollBack({ index: found, offset })
    })
  }

  /** Files are about to leave the list: keeps which one gets the focus then, the next that is left, else the one before. */
  leave(from: number, isLeaving: (id: string) => boolean): void {
    const { layout, idAt } = this.grid
    const isLeft = (index: number) => {
      const id = idAt(index)
      return id !== undefined && !isLeaving(id)
    }
    const indexes = Array.from({ length: layout.count }, (_, index) => index)
    const found = indexes.slice(from).find(isLeft) ?? indexes.slice(0, from).findLast(isLeft) ?? 0
    const before = indexes.slice(0, found).filter((index) => isLeaving(idAt(index) ?? ''))
    this.save({ id: idAt(found), index: found - before.length })
    this.#isLeaving = true
  }

  /** Gives the focus to the file that was kept for it. */
  async focusAgain(): Promise<void> {
    const { focus } = this.#saved
    if (!focus) return
    const { layout, list, focus: give } = this.grid
    this.save()
    const index = Math.min(focus.index, layout.count - 1)
    give(index)
    await list.read(index, index).catch(() => false)
    const found = focus.id === undefined ? undefined : list.indexOf(focus.id)
    if (found !== undefined && found !== index) give(found)
  }
}
