import type { LightboxData, LightboxWords } from '../../../src/common/wire.ts'
import { closeDialog, openedDialog, showPreview, waitForLine } from './dialog.ts'
import type { FileSequence, Lightbox } from './lightbox.ts'

/** A plain click on a tile opens its page over the list; other clicks are the browser's. */
export function openLightboxOn(
  list: HTMLElement,
  words: LightboxWords,
  files: FileSequence,
  indexOf: (link: HTMLAnchorElement) => number,
): void {
  let loading: Promise<Lightbox> | undefined
  let isLoaded = false
  const load = () => {
    loading ??= import('./lightbox.ts').then((module) => {
      isLoaded = true
      return new module.Lightbox(files, words)
    })
    return loading.catch(() => {
      loading = undefined
      return undefined
    })
  }
  const open = async (index: number, path: string): Promise<void> => {
    const lightbox = await load()
    // Closed meanwhile.
    if (!openedDialog() || location.href !== path) return
    if (lightbox) return lightbox.show(index)
    await waitForLine(words)
    // A browser may remember that a module could not be loaded: then the page of the file is opened instead.
    const loadedLater = await load()
    if (openedDialog() && location.href === path) await (loadedLater?.show(index) ?? location.reload())
  }
  // The code comes before the first click, if there is a finger or a pointer on the list.
  for (const type of ['pointerover', 'touchstart', 'focusin'])
    list.addEventListener(type, () => void load(), { once: true, passive: true })
  // After a reload the browser takes the entries of list and file for one page still, and loads neither by itself.
  addEventListener('popstate', () => {
    if (isLoaded) return
    if (history.state?.lightbox === undefined) closeDialog()
    else location.reload()
  })
  list.addEventListener('click', (event) => {
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('.tile a[href]') : null
    const hasModifier = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
    if (!link || event.defaultPrevented || event.button !== 0 || hasModifier) return
    const index = indexOf(link)
    if (index < 0) return
    event.preventDefault()
    history.pushState({ lightbox: index }, '', link.href)
    showPreview(words, link)
    void open(index, link.href)
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
