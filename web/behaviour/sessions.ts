import { recall, remember } from './stored-choices.ts'

/** A page that comes back from the browser's memory is read anew if another one was loaded for another session since. */
export function startSessionCheck(): void {
  const mark = document.body.dataset.session ?? ''
  remember('session', mark)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && recall('session') !== mark) location.reload()
  })
}
