import type { LightboxData, LightboxWords } from '../../../src/common/wire.ts'
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

const pressedMs = 2_000

/**
 * A finger that rests on a tile reads its title. With the first tile that the pointer or the focus reaches comes the button that
 * copies its address.
 */
export function startTileHover(list: HTMLElement, { copy, icons }: LightboxData): void {
  list.addEventListener('pointerdown', ({ pointerType, target }) => {
    const tile = target instanceof Element ? target.closest('.tile') : null
    if (pointerType === 'mouse' || !tile) return
    tile.classList.add('is-pressed')
    setTimeout(() => tile.classList.remove('is-pressed'), pressedMs)
  })
  if (!copy) return
  const load = async () => {
    for (const name of events) list.removeEventListener(name, load)
    const { startTileCopy } = await import('../grid/tile-copy.ts')
    startTileCopy(list, copy, icons)
  }
  const events = ['pointerover', 'focusin'] as const
  for (const name of events) list.addEventListener(name, load)
}
