import type { LightboxWords } from '../../../src/common/wire.ts'
import { requestPage } from '../../behaviour/read-page.ts'
import { neighbourLinks } from './controls.ts'
import { closeButton, closeDialog, openDialog, openedDialog, showPreview, waitForLine } from './dialog.ts'

/** The files of a list, by their places in it. */
export interface FileSequence {
  readonly count: number
  /** Of the page of a file; undefined if it is gone. */
  pathAt(index: number): Promise<string | undefined>
  focus(index: number): void
  /** Undefined if it is not drawn. */
  tileAt(index: number): Element | undefined
}

/** Shows pages of files over their list. The address is the file's: a reload shows its page, and Back leads to the list. */
export class Lightbox {
  readonly #files: FileSequence
  readonly #words: LightboxWords
  readonly #title = document.title
  readonly #keys = document.querySelector(keyList)
  #index = 0

  constructor(files: FileSequence, words: LightboxWords) {
    this.#files = files
    this.#words = words
    void loadIsland()
    addEventListener('popstate', () => {
      const index: unknown = history.state?.lightbox
      if (typeof index === 'number') void this.show(index)
      else this.#close()
    })
    // Before the zoom, which ends by the same key.
    addEventListener('keydown', (event) => this.#leaveBy(event), { capture: true })
  }

  async #goTo(index: number): Promise<void> {
    const path = await this.#files.pathAt(index)
    if (path === undefined) return
    history.replaceState({ lightbox: index }, '', path)
    const tile = this.#files.tileAt(index)
    if (tile) showPreview(this.#words, tile)
    await Promise.all([this.show(index), tile && this.#addNeighbours(index, this.#neighboursOf(index))])
  }

  /** The page of the address. One that is no viewer, such as a form for a password, is opened as a page. */
  async show(index: number): Promise<void> {
    const path = location.href
    const dialog = openDialog()
    const isOver = () => openedDialog() !== dialog || location.href !== path
    this.#index = index
    dialog.ariaBusy = 'true'
    // Known before the page is there: then a swipe leads on from its first moment.
    const neighbours = this.#neighboursOf(index)
    const [{ status, responseXML: page }, island] = await Promise.all([
      requestPage('GET', path),
      loadIsland(),
    ])
    if (isOver()) return
    if (status === 0) {
      await waitForLine(this.#words)
      return isOver() ? undefined : this.show(index)
    }
    const viewer = page?.querySelector<HTMLElement>('[data-island=viewer]')
    if (!page || !viewer || status !== 200) return location.reload()
    document.title = page.title
    showKeys(page.querySelector(keyList))
    dialog.ariaLabel = viewer.querySelector('h1')?.textContent ?? ''
    dialog.ariaBusy = 'false'
    dialog.replaceChildren(
      closeButton(this.#words, () => history.back()),
      document.adoptNode(viewer),
    )
    // At once: a key that is pressed before would send a form, and leave the list.
    island?.start(viewer)
    for (const link of viewer.querySelectorAll('a[data-share]')) link.ariaHasPopup = 'dialog'
    dialog.scrollTop = 0
    await this.#addNeighbours(index, neighbours)
  }

  #neighboursOf(index: number): Promise<(string | undefined)[]> {
    return Promise.all([
      index > 0 ? this.#files.pathAt(index - 1) : undefined,
      index < this.#files.count - 1 ? this.#files.pathAt(index + 1) : undefined,
    ]).catch(() => [])
  }

  async #addNeighbours(index: number, neighbours: Promise<(string | undefined)[]>): Promise<void> {
    const stage = openedDialog()?.querySelector('.stage')
    const [previous, next] = await neighbours
    stage?.querySelector('.besides')?.remove()
    stage?.append(neighbourLinks(this.#words, { previous, next, go: (by) => void this.#goTo(index + by) }))
  }

  #close(): void {
    if (!openedDialog()) return
    closeDialog()
    document.title = this.#title
    showKeys(this.#keys)
    this.#files.focus(this.#index)
  }

  /** Escape closes what is on top: the zoom, a list of keys, the full screen; and it takes no text from a field. */
  #leaveBy({ key, target }: KeyboardEvent): void {
    if (key !== 'Escape' || !openedDialog() || document.fullscreenElement) return
    if (document.querySelector('.pswp, dialog[open]:not(.lightbox)')) return
    if (target instanceof Element && target.matches('textarea, select, input:not([readonly])')) return
    history.back()
  }
}

/** Without its scripts the page is as the server has written it. */
const loadIsland = () => import('../viewer/viewer.ts').catch(() => undefined)

const keyList = '#keys .key-list'

/** The list of keys is that of the page on top. */
function showKeys(list: Element | null): void {
  if (list) document.querySelector(keyList)?.replaceWith(document.adoptNode(list))
}
