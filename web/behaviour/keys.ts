import { areLettersOff, writeStored } from './stored-choices.ts'

/** A key clicks the element, or focuses the field, that names it in `aria-keyshortcuts`. `?` lists them all. */
export function startKeys(): void {
  const list = document.getElementById('keys')
  const toggle = list?.querySelector<HTMLInputElement>('input')
  if (toggle) {
    toggle.checked = !areLettersOff()
    toggle.addEventListener('change', () => writeStored('keys', toggle.checked ? 'on' : 'off'))
  }
  for (const button of document.querySelectorAll<HTMLElement>('[commandfor=keys]')) button.hidden = false
  // Before the keys of grids: the letter after a `g` means nothing else.
  addEventListener('keydown', (event) => go(event, list), { capture: true })
  document.addEventListener('keydown', (event) => {
    const { key } = event
    if (isForOthers(event)) return
    if (key === '?' && list instanceof HTMLDialogElement) list.showModal()
    else if (!(isNamed(key) || (key.length === 1 && !areLettersOff())) || !follow(nameOf(event))) return
    event.preventDefault()
  })
}

const isForOthers = (event: KeyboardEvent) =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  event.isComposing ||
  isTyping(event.target) ||
  document.querySelector('dialog[open]:not(.lightbox)') !== null

/** How long a `g` waits for the letter that says where to. */
const goMs = 1_500
let goUntil = 0

/** `g` and a letter lead to a page, by its link in the list of keys. */
function go(event: KeyboardEvent, list: HTMLElement | null): void {
  if (isForOthers(event) || areLettersOff()) return
  const isSecond = event.timeStamp < goUntil
  goUntil = !isSecond && event.key === 'g' ? event.timeStamp + goMs : 0
  const link = isSecond && list?.querySelector<HTMLElement>(`[data-go="${CSS.escape(event.key)}"]`)
  if (!link) return
  event.preventDefault()
  event.stopImmediatePropagation()
  link.click()
}

/** A grid and the controls of a video have arrows of their own. */
const isNamed = (key: string) => key === 'ArrowLeft' || key === 'ArrowRight' || key === 'Delete'

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  const isField = target.matches('textarea, select, input:not([type=radio], [type=checkbox], [readonly])')
  return isField || target.isContentEditable || target.matches('video')
}

/** As `aria-keyshortcuts` names them: `Shift+C` for a capital letter. */
const nameOf = ({ key, shiftKey }: KeyboardEvent) =>
  shiftKey && key.toLowerCase() !== key ? `Shift+${key}` : key

function follow(key: string): boolean {
  const page = document.querySelector('dialog.lightbox') ?? document
  const found = page.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`)
  if (!found || found.hidden) return false
  // What is open already is not closed by its key.
  const field = found.closest('details[open]')?.querySelector<HTMLElement>('.input')
  if (field) field.focus()
  else if (found.matches('input:not([type=radio], [type=checkbox]), h2')) found.focus()
  else found.click()
  return true
}
