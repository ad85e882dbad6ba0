import type { GridWords } from '../../../src/common/wire.ts'
import type { FileList } from './list.ts'

const everyMs = 30_000

/** Says how many files have arrived since the list was read. They do not move what a person looks at. */
export function startNewFilesNotice(root: HTMLElement, list: FileList, words: GridWords): void {
  let shown: HTMLAnchorElement | undefined
  const ask = async () => {
    if (document.visibilityState !== 'visible') return
    const count = await list.countNew().catch(() => 0)
    if (count === 0) return
    if (!shown) {
      const status = document.createElement('p')
      status.className = 'news'
      status.role = 'status'
      shown = document.createElement('a')
      shown.className = 'button'
      shown.href = location.pathname + location.search
      // The new list begins at its top.
      shown.addEventListener('click', () => history.replaceState({ ...history.state, grid: undefined }, ''))
      status.append(shown)
      root.prepend(status)
    }
    shown.textContent = (count === 1 ? words.newOne : words.newMany).replace('#', String(count))
  }
  setInterval(() => void ask(), everyMs)
}
