import type { LightboxWords } from '../../../src/common/wire.ts'
import type { FileSequence, Lightbox } from './lightbox.ts'

/** A plain click on a tile opens its page over the list; other clicks are the browser's. The code comes with the first. */
export function openLightboxOn(
  list: HTMLElement,
  words: LightboxWords,
  files: FileSequence,
  indexOf: (link: HTMLAnchorElement) => number,
): void {
  let lightbox: Lightbox | undefined
  // After a reload the browser takes the entries of list and file for one page still, and loads neither by itself.
  addEventListener('popstate', () => {
    if (!lightbox && history.state?.lightbox !== undefined) location.reload()
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
        lightbox ??= new module.Lightbox(files, words)
        void lightbox.open(index, link.href)
      },
      () => location.assign(link.href),
    )
  })
}
