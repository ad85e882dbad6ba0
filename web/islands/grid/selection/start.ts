import type { SelectionData } from '../../../../src/common/wire.ts'
import { formatCount } from '../../../behaviour/format-text.ts'
import type { Tile } from '../tile.ts'
import { type Gestures, startMouse, startSelectionKeys, startTouch } from './gestures.ts'
import { Selection, type Source } from './selection.ts'

/** More files are selected by one click only after a question. */
const mostUnasked = 500

/** The grid as its selection sees it. */
export interface SelectableGrid extends Source {
  readonly root: HTMLElement
  readonly element: HTMLElement
  readonly tiles: ReadonlyMap<number, Tile>
  /** The path of the drawings. */
  readonly icons: string
  /** Every file of the list is counted. */
  readonly isWhole: boolean
  focused(): number | undefined
  /** The list will be read anew without some files: the focus goes to the next one that is left. */
  leave(index: number, isLeaving: (id: string) => boolean): void
}

export interface GridSelection {
  /** The length of the list is known. */
  offerAll(): void
  /** Shows whether the file of a tile is selected. */
  mark(tile: Tile, index: number): void
  /** `Shift` and an arrow have led from one file to another. */
  lead(from: number, to: number): void
}

/** Files of a grid are selected by mouse, keys and touch; the bar says how many and acts on them. */
export function startSelection(grid: SelectableGrid, data: SelectionData): GridSelection {
  const { root, element, tiles } = grid
  const count = root.querySelector<HTMLElement>('.select-count')
  const all = root.querySelector<HTMLButtonElement>('[data-select-all]')
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
    offerAll()
  })
  const sizeInWords = () =>
    selection.count === 0
      ? ''
      : formatCount(selection.isAll ? data.words.all : data.words.selected, selection.count)

  const toggle = (index: number) => {
    const id = grid.tileAt(index)?.id ?? tiles.get(index)?.id
    if (id === undefined) return
    anchor = index
    selection.toggle(id)
  }
  /** While the server is asked for the whole list, actions wait: they must not act on a part of it, or on the file in focus. */
  let selecting: Promise<void> = Promise.resolve()
  const selectAll = () => {
    root.classList.add('is-selecting')
    selecting = selection.selectAll().catch(async () => {
      selection.clear()
      const { showToast } = await import('../../../behaviour/toast.ts')
      showToast(data.words.noConnection)
    })
    return selecting
  }
  /** Only once the length of the list is known. */
  const offerAll = () => {
    if (!all) return
    all.hidden = selection.isAll || !grid.isWhole
    all.textContent = formatCount(data.words.selectAll, grid.count)
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
    selectAll: () => void selectAll(),
    clear: () => selection.clear(),
  }
  startMouse(element, gestures)
  startTouch(element, gestures)
  startSelectionKeys(gestures)

  async function act(button: HTMLButtonElement): Promise<void> {
    const isForAll = button.dataset.all !== undefined
    if (isForAll) void selectAll()
    await selecting
    const index = grid.focused()
    // A key acts on the file that has the focus, if none is selected.
    if (selection.count === 0 && index !== undefined) toggle(index)
    if (selection.count === 0) return
    const { runAction } = await import('./actions.ts')
    const leave = () => grid.leave(anchor ?? index ?? 0, (id) => selection.has(id))
    try {
      await runAction({ data, icons: grid.icons, selection, root, button, count, sizeInWords, leave })
    } finally {
      // Whether it was done or not: of the files none was selected by hand.
      if (isForAll) selection.clear()
    }
  }
  root.addEventListener('submit', (event) => {
    event.preventDefault()
    const button = (event as SubmitEvent).submitter
    if (button instanceof HTMLButtonElement) void act(button)
  })
  all?.addEventListener('click', () => void selectAll())
  const clear = root.querySelector<HTMLButtonElement>('[data-clear]')
  if (clear) clear.hidden = false
  clear?.addEventListener('click', () => selection.clear())
  // A browser that comes back keeps ticks; they are of no selection.
  markAll()

  return {
    mark,
    offerAll,
    lead(from, to) {
      if (anchor === undefined) {
        anchor = from
        selection.beginRange()
      }
      void selection.extend(anchor, to)
    },
  }
}
