import type { SelectionData } from '../../../../src/common/wire.ts'
import type { Tile } from '../tile.ts'
import { formatCount } from '../../../behaviour/format-text.ts'
import { type Gestures, startMouse, startSelectionKeys, startTouch } from './gestures.ts'
import { Selection, type Source } from './selection.ts'

/** More files are selected by one click only after a question. */
const mostUnasked = 500

/** The grid as its selection sees it. */
export interface SelectableGrid extends Source {
  readonly root: HTMLElement
  readonly element: HTMLElement
  readonly tiles: ReadonlyMap<number, Tile>
  focused(): number | undefined
}

export interface GridSelection {
  /** Shows whether the file of a tile is selected. */
  mark(tile: Tile, index: number): void
  /** `Shift` and an arrow have led from one file to another. */
  lead(from: number, to: number): void
}

/** Files of a grid are selected by mouse, keys and touch; the bar says how many and acts on them. */
export function startSelection(grid: SelectableGrid, data: SelectionData): GridSelection {
  const { root, element, tiles } = grid
  const count = root.querySelector<HTMLElement>('.select-count')
  let anchor: number | undefined
  let shown: [first: number, last: number] | undefined

  const mark = (tile: Tile, index: number) =>
    tile.mark(selection.has(tile.id), shown !== undefined && index >= shown[0] && index <= shown[1])
  const markAll = () => {
    for (const [index, tile] of tiles) mark(tile, index)
  }
  const selection = new Selection(grid, () => {
    markAll()
    root.classList.toggle('is-selecting', selection.count > 0)
    if (count) count.textContent = sizeInWords()
  })
  const sizeInWords = () =>
    selection.count === 0
      ? ''
      : formatCount(selection.isAll ? data.words.all : data.words.selected, selection.count)

  const toggle = (index: number) => {
    const id = grid.tileAt(index)?.id ?? tiles.get(index)?.id
    if (id === undefined) return
    anchor = index
    selection.toggle({ id })
  }
  async function extend(index: number): Promise<void> {
    if (anchor === undefined) return toggle(index)
    const size = Math.abs(index - anchor) + 1
    const { ask } = await import('./ask.ts')
    if (size > mostUnasked && !(await ask(formatCount(data.words.range, size), data.words.rangeYes)))
      return markAll()
    await selection.extend(anchor, index)
  }
  const gestures: Gestures = {
    indexOf(target) {
      const tile = target instanceof Element ? target.closest('.tile') : null
      return [...tiles].find((entry) => entry[1].element === tile)?.[0]
    },
    focused: () => grid.focused(),
    get count() {
      return selection.count
    },
    toggle,
    extend: (index) => void extend(index),
    preview(index) {
      const next: typeof shown =
        index === undefined || anchor === undefined
          ? undefined
          : [Math.min(anchor, index), Math.max(anchor, index)]
      if (next?.join() === shown?.join()) return
      shown = next
      markAll()
    },
    selectAll: () => selection.selectAll(),
    clear: () => selection.clear(),
  }
  startMouse(element, gestures)
  startTouch(element, gestures)
  startSelectionKeys(gestures)

  root.addEventListener('submit', (event) => {
    event.preventDefault()
    const button = (event as SubmitEvent).submitter
    if (!(button instanceof HTMLButtonElement)) return
    const isForAll = button.dataset.all !== undefined
    if (isForAll) selection.selectAll()
    const index = grid.focused()
    // A key acts on the file that has the focus, if none is selected.
    if (selection.count === 0 && index !== undefined) toggle(index)
    if (selection.count === 0) return
    void import('./actions.ts')
      .then(({ runAction }) => runAction({ data, selection, root, button, count, sizeInWords }))
      // Whether it was done or not: of the files none was selected by hand.
      .finally(() => isForAll && selection.clear())
  })
  const clear = root.querySelector<HTMLButtonElement>('[data-clear]')
  if (clear) clear.hidden = false
  clear?.addEventListener('click', () => selection.clear())
  // A browser that comes back keeps ticks; they are of no selection.
  markAll()

  return {
    mark,
    lead(from, to) {
      if (anchor === undefined) {
        anchor = from
        selection.beginRange()
      }
      void selection.extend(anchor, to)
    },
  }
}
