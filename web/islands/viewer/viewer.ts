import { startCopying } from '../../behaviour/copy.ts'
import { startPlaceholders } from '../../behaviour/placeholders.ts'
import { startFullScreen } from './full-screen.ts'
import { startLike } from './like.ts'

/** Only screens that can be touched need it; there the first swipe must not come before it. */
const swipes = navigator.maxTouchPoints > 0 ? await import('./swipe.ts').catch(() => undefined) : undefined

/** Everything that a script adds to the page of a file; the code of the zoom is loaded when it is asked for. */
export function start(root: HTMLElement): void {
  startPlaceholders(root)
  startCopying(root)
  startFullScreen(root)
  // It was opened over a list and read anew since: the way back leads to the list, which is not here.
  if (history.state?.lightbox !== undefined && !root.closest('dialog'))
    addEventListener('popstate', () => location.reload())
  for (const form of root.querySelectorAll<HTMLFormElement>('form[data-like]')) startLike(form)
  startZoom(root)
  for (const shown of root.querySelectorAll<HTMLImageElement | HTMLVideoElement>('.stage :is(img, video)'))
    watchDecoding(shown)
  const edit = root.querySelector<HTMLDetailsElement>('.edit')
  edit?.addEventListener('toggle', () => {
    if (!edit.open) return
    edit.scrollIntoView()
    edit.querySelector<HTMLElement>('.input')?.focus({ preventScroll: true })
  })
  root.querySelector<HTMLAnchorElement>('[data-share-page]')?.addEventListener('click', sharePage)
}

/** A broken picture says less than the icon of its type. */
function watchDecoding(shown: HTMLImageElement | HTMLVideoElement): void {
  const note = shown.parentElement?.querySelector<HTMLElement>('.no-picture')
  const show = () => {
    shown.hidden = true
    if (note) note.hidden = false
  }
  shown.addEventListener('error', show)
  const hasFailed =
    shown instanceof HTMLVideoElement
      ? shown.error !== null
      : shown.complete && shown.currentSrc !== '' && shown.naturalWidth === 0
  if (hasFailed) show()
}

/** A click on the picture zooms too; without script, or with a key held down, it opens the file. */
function startZoom(root: HTMLElement): void {
  const button = root.querySelector<HTMLButtonElement>('[data-zoom]')
  const stage = root.querySelector<HTMLElement>('.stage')
  const zoom = async (x?: number, y?: number) => {
    if (button) (await import('./zoom.ts')).openZoom(button, x === undefined ? undefined : { x, y: y ?? 0 })
  }
  if (stage) swipes?.startSwipes(stage, zoom)
  if (!button) return
  button.hidden = false
  button.addEventListener('click', () => void zoom())
  const link = root.querySelector<HTMLAnchorElement>('a.picture')
  link?.classList.add('zooms')
  link?.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    zoom().catch(() => location.assign(link.href))
  })
}

/** Where the system cannot share, the links and codes of the page are shown. */
function sharePage(event: MouseEvent): void {
  event.preventDefault()
  const { hash } = event.currentTarget as HTMLAnchorElement
  const field = document.querySelector<HTMLInputElement>(hash)
  if (!field) return
  // The person may close the sheet without a choice.
  if (navigator.share) return void navigator.share({ url: field.value }).catch(() => undefined)
  field.closest('details')?.setAttribute('open', '')
  field.focus()
}
