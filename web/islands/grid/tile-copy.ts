import type { CopyWords } from '../../../src/common/wire.ts'
import { drawing } from '../../parts/drawing.ts'
import { copyFiles } from './selection/copy-selected.ts'

/** A button in the tile under the pointer, or with the focus, copies the file's address in the format used last. */
export function startTileCopy(list: HTMLElement, words: CopyWords, icons: string): void {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'tile-copy'
  button.append(drawing(`${icons}#copy`))
  const linkOf = (tile: Element | null | undefined) => tile?.querySelector<HTMLAnchorElement>('a[data-id]')

  const show = (tile: Element | null | undefined) => {
    const link = linkOf(tile)
    if (!tile || !link || button.parentElement === tile) return
    const title = tile.querySelector('.caption > span')?.textContent ?? ''
    button.ariaLabel = words.label.replace('#', () => title)
    tile.append(button)
  }
  for (const name of ['pointerover', 'focusin'])
    list.addEventListener(name, ({ target }) => {
      if (target instanceof Element) show(target.closest('.tile'))
    })
  show(list.querySelector('.tile:is(:hover, :focus-within)'))

  button.addEventListener('click', () => {
    const link = linkOf(button.parentElement)
    const id = link?.dataset.id
    if (link && id !== undefined) void copyFiles([[id]], words, { near: button, otherwise: link.href })
  })
}
