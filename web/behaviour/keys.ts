import { readChoice, writeStored } from './stored-choices.ts'

/** WCAG 2.1.4: a person who speaks to the machine must be able to switch letters off. */
export const areLettersOff = () => readChoice('keys') === 'off'

/** A key clicks the element, or focuses the field, that names it in `aria-keyshortcuts`. `?` lists them all. */
export function startKeys(): void {
  const list = document.getElementById('keys')
  const toggle = list?.querySelector<HTMLInputElement>('input')
  if (toggle) {
    toggle.checked = !areLettersOff()
    toggle.addEventListener('change', () => writeStored('keys', toggle.checked ? 'on' : 'off'))
  }
  for (const button of document.querySelectorAll<HTMLElement>('[commandfor=keys]')) button.hidden = false
  document.addEventListener('keydown', (event) => {
    const { key, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(target)) return
    if (document.querySelector('dialog[open]:not(.lightbox)')) return
    if (key === '?' && list instanceof HTMLDialogElement) list.showModal()
    else if (!(isNamed(key) || (key.length === 1 && !areLettersOff())) || !follow(nameOf(event))) return
    event.preventDefault()
  })
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
  if (found.matches('input:not([type=radio], [type=checkbox]), h2')) found.focus()
  else found.click()
  return true
}
