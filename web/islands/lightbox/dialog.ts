import type { LightboxWords } from '../../../src/common/wire.ts'
import { drawing } from '../../parts/drawing.ts'

const selector = 'dialog.lightbox'
const below = () => document.querySelectorAll<HTMLElement>('body > :not(dialog, .toasts, script)')

export const openedDialog = () => document.querySelector<HTMLDialogElement>(selector)

/** Not a modal one: toasts and the zoom must stay above it. What lies below is inert. */
export function openDialog(): HTMLDialogElement {
  const opened = openedDialog()
  if (opened) return opened
  const dialog = document.createElement('dialog')
  dialog.className = 'lightbox'
  dialog.tabIndex = -1
  dialog.ariaModal = 'true'
  for (const part of below()) part.inert = true
  document.querySelector('body > .toasts')?.before(dialog)
  dialog.show()
  dialog.focus()
  return dialog
}

export function closeDialog(): void {
  openedDialog()?.remove()
  for (const part of below()) part.inert = false
}

/** What the list knows of a file, in the frame of the click: its small picture, as large as the file will be. */
export function showPreview(words: LightboxWords, tile: Element | undefined): void {
  const dialog = openDialog()
  const stage = document.createElement('div')
  stage.className = 'stage'
  const shown = tile?.querySelector('img')
  if (shown) {
    const { width, height } = shown.getBoundingClientRect()
    const image = document.createElement('img')
    image.src = shown.currentSrc || shown.src
    image.alt = shown.alt
    image.className = 'preview'
    image.style.background = shown.style.background
    image.style.aspectRatio = `${width} / ${height}`
    image.style.width = `min(100%, calc(var(--most) * ${width / height}))`
    stage.append(image)
    dialog.ariaLabel = shown.alt
  }
  const viewer = document.createElement('div')
  viewer.className = 'viewer'
  viewer.append(stage)
  dialog.ariaBusy = 'true'
  dialog.replaceChildren(
    closeButton(words, () => history.back()),
    viewer,
  )
}

/** Resolves when the line may be back: by the browser's word, or after a while. */
export async function waitForLine(words: LightboxWords): Promise<void> {
  const note = document.createElement('p')
  note.className = 'banner lightbox-note'
  note.role = 'status'
  note.textContent = words.offline
  openedDialog()?.append(note)
  const { promise, resolve } = Promise.withResolvers<void>()
  addEventListener('online', () => resolve(), { once: true })
  // A server that cannot be reached makes no browser say that it is offline.
  if (navigator.onLine) setTimeout(resolve, 3_000)
  await promise
  note.remove()
}

export function closeButton(words: LightboxWords, close: () => void): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  lookLike(button, words.close, `${words.icons}#close`)
  button.classList.add('lightbox-close')
  button.addEventListener('click', close)
  return button
}

/** A button that is its icon. */
export function lookLike(element: HTMLElement, label: string, icon: string): void {
  element.className = 'button quiet only-icon'
  element.ariaLabel = label
  element.title = label
  element.append(drawing(icon))
}
