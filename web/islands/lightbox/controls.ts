import type { LightboxWords } from '../../../src/common/wire.ts'
import { lookLike } from './dialog.ts'

interface Neighbours {
  /** Paths; undefined at the ends of the list. */
  previous?: string | undefined
  next?: string | undefined
  go: (by: 1 | -1) => void
}

/** Links to the previous and next file of the list, as the page of a file has them in its album. */
export function neighbourLinks(words: LightboxWords, { previous, next, go }: Neighbours): HTMLElement {
  const nav = document.createElement('nav')
  nav.className = 'besides'
  nav.ariaLabel = `${words.previous}, ${words.next}`
  const addLink = (path: string | undefined, by: 1 | -1) => {
    if (path === undefined) return
    const link = document.createElement('a')
    link.href = path
    link.rel = by === 1 ? 'next' : 'prev'
    link.setAttribute('aria-keyshortcuts', by === 1 ? 'ArrowRight' : 'ArrowLeft')
    lookLike(link, by === 1 ? words.next : words.previous, `${words.icons}#${by === 1 ? 'right' : 'left'}`)
    link.addEventListener('click', (event) => {
      event.preventDefault()
      go(by)
    })
    nav.append(link)
  }
  addLink(previous, -1)
  addLink(next, 1)
  return nav
}
