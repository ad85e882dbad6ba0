/** Where a person was in a grid, kept in the entry of the history: Back leads to the same file at the same height. */
export interface ScrollPosition {
  /** The list and its parameters. */
  list: string
  moment: string
  index: number
  id: string | undefined
  /** From the top of the row to the top of the window. */
  offset: number
}

export function saveScrollPosition(place: ScrollPosition): void {
  // The entry of a file that is shown over the grid is not the grid's.
  if (history.state?.lightbox !== undefined) return
  history.replaceState({ ...history.state, grid: place }, '')
}

/** The kept place of this list. After a reload the list is read anew, so its moment does not count. */
export function savedScrollPosition(list: string): (ScrollPosition & { isPinned: boolean }) | undefined {
  const kept: ScrollPosition | undefined = history.state?.grid
  if (kept?.list !== list) return undefined
  const [entry] = performance.getEntriesByType('navigation')
  const isPinned = entry instanceof PerformanceNavigationTiming && entry.type === 'back_forward'
  return { ...kept, isPinned }
}
