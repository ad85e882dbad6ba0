import { startCopying } from './copy.ts'
import { readPage, sendForm } from './read-page.ts'
import { showToast } from './toast.ts'

const dialogs = new WeakMap<HTMLElement, ShareDialog>()

/** Opens the shares of an album or a file in a dialog of the page. */
export function openShares(link: HTMLAnchorElement): void {
  const dialog = document.getElementById(link.dataset.share ?? '')
  const content = dialog?.querySelector<HTMLElement>('.share-content')
  if (!(dialog instanceof HTMLDialogElement) || !content) {
    location.assign(link.href)
    return
  }
  const opened = dialogs.get(link) ?? new ShareDialog(link, dialog, content)
  dialogs.set(link, opened)
  void opened.open()
}

/** Shows the page of the shares, sends its forms by the same door, and shows what they are answered with. */
class ShareDialog {
  readonly #link: HTMLAnchorElement
  readonly #dialog: HTMLDialogElement
  readonly #content: HTMLElement

  constructor(link: HTMLAnchorElement, dialog: HTMLDialogElement, content: HTMLElement) {
    this.#link = link
    this.#dialog = dialog
    this.#content = content
    content.addEventListener('submit', (event) => {
      event.preventDefault()
      if (event.target instanceof HTMLFormElement) void this.#send(event.target)
    })
    // Another dialog of the page has fields of the same ids.
    dialog.addEventListener('close', () => content.replaceChildren())
  }

  async open(): Promise<void> {
    const page = await readPage(this.#link.href)
    if (!this.#show(page)) return location.assign(this.#link.href)
    if (this.#dialog.open) return
    this.#dialog.showModal()
    this.#focus()
  }

  async #send(form: HTMLFormElement): Promise<void> {
    // A second click must not make a second share.
    this.#content.inert = true
    const page = await sendForm(form)
    this.#content.inert = false
    if (!page) return showToast(this.#link.dataset.failed ?? '')
    if (this.#show(page)) this.#focus()
    // Any other page, such as the log-in or the question for the password: the browser opens it with what was typed.
    else form.submit()
  }

  #show(page: Document | undefined): boolean {
    const shares = page?.querySelector('[data-shares]')
    if (!shares) return false
    this.#content.replaceChildren(document.adoptNode(shares))
    startCopying(this.#content)
    return true
  }

  /** The link that was made, or the field that was refused, else the beginning. */
  #focus(): void {
    const target = this.#content.querySelector<HTMLElement>('#new-link, [aria-invalid=true]') ?? this.#content
    target.focus()
    if (target === this.#content) this.#dialog.scrollTop = 0
  }
}
