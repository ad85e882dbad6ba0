import type { LightboxWords } from '../../../src/common/wire.ts'
import { readPage } from '../../behaviour/read-page.ts'
import { closeButton, neighbourLinks } from './controls.ts'

/** The files of a list, by their places in it. */
export interface FileSequence {
  readonly count: number
  /** Of the page of a file; undefined if it is gone. */
  pathAt(index: number): Promise<string | undefined>
  focus(index: number): void
}

/** Shows pages of files over their list. The address is the file's: a reload shows its page, and Back leads to the list. */
export class Lightbox {
  readonly #files: FileSequence
  readonly #words: LightboxWords
  readonly #title = document.title
  readonly #keys = document.querySelector(keyList)
  #dialog: HTMLDialogElement | undefined
  #index = 0

  constructor(files: FileSequence, words: LightboxWords) {
    this.#files = files
    this.#words = words
    addEventListener('popstate', () => {
      const index: unknown = history.state?.lightbox
      if (typeof index === 'number') void this.#show(index)
      else this.#close()
    })
    // Before the zoom, which ends by the same key.
    addEventListener('keydown', (event) => this.#leaveBy(event), { capture: true })
  }

  async open(index: number, path: string): Promise<void> {
    history.pushState({ lightbox: index }, '', path)
    await this.#show(index)
  }

  async #goTo(index: number): Promise<void> {
    const path = await this.#files.pathAt(index)
    if (path === undefined) return
    history.replaceState({ lightbox: index }, '', path)
    await this.#show(index)
  }

  /** The page of the address. One that is no viewer, such as a form for a password, is opened as a page. */
  async #show(index: number): Promise<void> {
    const path = location.href
    this.#index = index
    const dialog = this.#openDialog()
    dialog.ariaBusy = 'true'
    // Without its scripts the page is as the server has written it.
    const loading = import('../viewer/viewer.ts').catch(() => undefined)
    const [page, island] = await Promise.all([readPage(path), loading])
    if (!this.#dialog || location.href !== path) return
    const viewer = page?.querySelector<HTMLElement>('[data-island=viewer]')
    if (!page || !viewer) return location.reload()
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
    viewer.querySelector('.besides')?.remove()
    viewer.querySelector('.stage')?.append(
      neighbourLinks(this.#words, {
        ...(index > 0 && { previous: await this.#files.pathAt(index - 1) }),
        ...(index < this.#files.count - 1 && { next: await this.#files.pathAt(index + 1) }),
        go: (by) => void this.#goTo(index + by),
      }),
    )
    dialog.scrollTop = 0
  }

  /** Not a modal one: toasts and the zoom must stay above it. What lies below is inert. */
  #openDialog(): HTMLDialogElement {
    if (this.#dialog) return this.#dialog
    const dialog = document.createElement('dialog')
    dialog.className = 'lightbox'
    dialog.tabIndex = -1
    dialog.ariaModal = 'true'
    for (const part of below()) part.inert = true
    document.querySelector('body > .toasts')?.before(dialog)
    dialog.show()
    dialog.focus()
    this.#dialog = dialog
    return dialog
  }

  #close(): void {
    if (!this.#dialog) return
    this.#dialog.remove()
    this.#dialog = undefined
    document.title = this.#title
    showKeys(this.#keys)
    for (const part of below()) part.inert = false
    this.#files.focus(this.#index)
  }

  /** Escape closes what is on top: the zoom, a list of keys, the full screen; and it takes no text from a field. */
  #leaveBy({ key, target }: KeyboardEvent): void {
    if (key !== 'Escape' || !this.#dialog || document.fullscreenElement) return
    if (document.querySelector('.pswp, dialog[open]:not(.lightbox)')) return
    if (target instanceof Element && target.matches('textarea, select, input:not([readonly])')) return
    history.back()
  }
}

const keyList = '#keys .key-list'

/** The list of keys is that of the page on top. */
function showKeys(list: Element | null): void {
  if (list) document.querySelector(keyList)?.replaceWith(document.adoptNode(list))
}

const below = () => document.querySelectorAll<HTMLElement>('body > :not(dialog, .toasts, script)')
