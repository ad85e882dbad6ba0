import { startLike } from './like.ts'

/** Likes without a reload, and the zoom, whose code is loaded when it is asked for. */
export function start(root: HTMLElement): void {
  // It was opened over a list and read anew since: the way back leads to the list, which is not here.
  if (history.state?.lightbox !== undefined && !root.closest('dialog'))
    addEventListener('popstate', () => location.reload())
  for (const form of root.querySelectorAll<HTMLFormElement>('form[data-like]')) startLike(form)
  for (const button of root.querySelectorAll<HTMLButtonElement>('[data-zoom]')) {
    button.hidden = false
    button.addEventListener('click', () => {
      void import('./zoom.ts').then(({ openZoom }) => openZoom(button))
    })
  }
}
