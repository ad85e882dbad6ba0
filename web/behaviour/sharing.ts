import { copyText, showCopied, startCopying } from './copy.ts'
import { readPage, sendForm } from './read-page.ts'
import { showToast } from './toast.ts'

const opened = new WeakMap<HTMLElement, Shares>()

/** Opens the shares of an album or a file in a dialog of the page. */
export async function openShares(link: HTMLAnchorElement): Promise<void> {
  const page = await readPage(link.href)
  if (!showShares(link.dataset.share ?? '', page)) location.assign(link.href)
}

/** Shows a page of shares in a dialog; false if it is another page, such as the log-in. */
export function showShares(id: string, page: Document | undefined): boolean {
  const dialog = document.getElementById(id)
  const content = dialog?.querySelector<HTMLElement>('.share-content')
  if (!(dialog instanceof HTMLDialogElement) || !content) return false
  const shares = opened.get(content) ?? new Shares(content)
  // Another dialog of the page has fields of the same ids.
  if (!opened.has(content)) dialog.addEventListener('close', () => content.replaceChildren())
  opened.set(content, shares)
  if (!shares.show(page)) return false
  if (!dialog.open) dialog.showModal()
  shares.focus()
  return true
}

/** The page of the shares itself. */
export function startShares(): void {
  const content = document.querySelector('[data-shares]')?.parentElement
  if (content) new Shares(content).start()
}

/** Forms are sent as the browser does, and what they are answered with is shown in their place. */
class Shares {
  readonly #content: HTMLElement
  /** One change after the other. */
  #saved: Promise<unknown> = Promise.resolve()

  constructor(content: HTMLElement) {
    this.#content = content
    content.addEventListener('submit', (event) => {
      const form = event.target
      if (!(form instanceof HTMLFormElement)) return
      event.preventDefault()
      if (!form.matches('.share-link')) void this.#send(form)
      else if (isMade(form)) this.#saveNext(form)
      else void this.#copy(form)
    })
    content.addEventListener('change', ({ target }) => {
      const form = target instanceof Element ? target.closest<HTMLFormElement>('.share-link') : null
      if (form && isMade(form)) this.#saveNext(form)
    })
    content.addEventListener('click', (event) => {
      const target =
        event.target instanceof Element ? event.target.closest('[data-share-edit], [data-send]') : null
      if (target instanceof HTMLAnchorElement) {
        event.preventDefault()
        void readPage(target.href).then((page) =>
          this.show(page) ? this.focus() : location.assign(target.href),
        )
      } else if (target instanceof HTMLButtonElement && target.form) void this.#hand(target.form)
    })
  }

  /** The field that was refused, or the link, else the button that makes one. */
  focus(): void {
    const target = ['[aria-invalid=true]', '#new-link', '.share-link [type=submit]']
      .map((selector) => this.#content.querySelector<HTMLElement>(selector))
      .find((each) => each !== null)
    target?.focus()
  }

  /** Shows what only a script can do. */
  start(): void {
    const isPhone = 'share' in navigator && matchMedia('(pointer: coarse)').matches
    for (const button of this.#content.querySelectorAll<HTMLElement>('[data-send]')) button.hidden = !isPhone
  }

  show(page: Document | undefined): boolean {
    const shares = page?.querySelector('[data-shares]')
    if (!shares) return false
    const own = this.#content.querySelector('[data-shares]')
    if (own) own.replaceWith(document.adoptNode(shares))
    else this.#content.replaceChildren(document.adoptNode(shares))
    startCopying(this.#content)
    this.start()
    return true
  }

  /** False if there is no answer, or another page, such as the log-in: the browser opens that with what was typed. */
  async #send(form: HTMLFormElement): Promise<boolean> {
    // A second click must not make a second share.
    this.#content.inert = true
    const page = await sendForm(form)
    this.#content.inert = false
    const isShown = this.show(page)
    if (isShown) this.focus()
    else if (page) form.submit()
    else this.#sayFailed()
    return isShown
  }

  /** Makes the share and returns its address. */
  async #make(form: HTMLFormElement): Promise<string> {
    const made = (await this.#send(form)) && this.#content.querySelector<HTMLInputElement>('#new-link')
    if (!made) throw new Error('There is no share.')
    return made.value
  }

  async #copy(form: HTMLFormElement): Promise<void> {
    const isDone = await copyWhenMade(this.#make(form), this.#content).catch(() => undefined)
    if (isDone === undefined) return
    this.focus()
    showCopied(isDone)
  }

  /** The share sheet of a phone. */
  async #hand(form: HTMLFormElement): Promise<void> {
    const known = this.#content.querySelector<HTMLInputElement>('#new-link')?.value
    const url = known ?? (await this.#make(form).catch(() => undefined))
    // Rejected when the person closes the sheet.
    if (url !== undefined) await navigator.share({ url, title: document.title }).catch(() => undefined)
  }

  #saveNext(form: HTMLFormElement): void {
    this.#saved = this.#saved.then(() => this.#save(form))
  }

  /** What was typed stays where it is, except for the password. */
  async #save(form: HTMLFormElement): Promise<void> {
    const page = await sendForm(form)
    if (!page) return this.#sayFailed()
    if (page.querySelector('[aria-invalid=true], .banner.danger') && this.show(page)) return this.focus()
    const saved = page.querySelector('[data-password]')
    if (!saved) return form.submit()
    const own = form.querySelector('[data-password]')
    if (!own?.contains(document.activeElement)) own?.replaceWith(document.adoptNode(saved))
    showToast(form.dataset.saved ?? '')
  }

  #sayFailed(): void {
    showToast(this.#content.querySelector<HTMLElement>('[data-shares]')?.dataset.failed ?? '')
  }
}

const isMade = (form: HTMLFormElement) => form.elements.namedItem('id') !== null

/** Safari lets a page copy only if it begins with the click, so the text comes later. Rejected if there is none. */
async function copyWhenMade(address: Promise<string>, content: HTMLElement): Promise<boolean> {
  const blobOf = (text: string) => new Blob([text], { type: 'text/plain' })
  const copied = navigator.clipboard?.write([new ClipboardItem({ 'text/plain': address.then(blobOf) })]).then(
    () => true,
    () => false,
  )
  const made = await address
  return (await copied) ?? copyText(made, content.querySelector<HTMLElement>('#new-link') ?? content)
}
