import type { OverWords } from '../../../src/pages/wire.ts'
import type { FileOrder, Over } from './lightbox.ts'

/** A plain click on a tile opens its page over the list; other clicks are the browser's. The code comes with the first. */
export function openOverList(
  list: HTMLElement,
  words: OverWords,
  order: FileOrder,
  indexOf: (link: HTMLAnchorElement) => number,
): void {
  let over: Over | undefined
  // After a reload the browser takes the entries of list and file for one page still, and loads neither by itself.
  addEventListener('popstate', () => {
    if (!over && history.state?.over !== undefined) location.reload()
  })
  list.addEventListener('click', (event) => {
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('.tile a[href]') : null
    const hasModifier = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
    if (!link || event.defaultPrevented || event.button !== 0 || hasModifier) return
    const index = indexOf(link)
    if (index < 0) return
    event.preventDefault()
    void import('./lightbox.ts').then(
      (module) => {
        over ??= new module.Over(order, words)
        void over.open(index, link.href)
      },
      () => location.assign(link.href),
    )
  })
}
