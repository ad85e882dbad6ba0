import { readStored, writeStored } from './stored-choices.ts'

/** A page that comes back from the browser's memory is read anew if another one was loaded for another session since. */
export function startSessionCheck(): void {
  const mark = document.body.dataset.session ?? ''
  writeStored('session', mark)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && readStored('session') !== mark) location.reload()
  })
}
