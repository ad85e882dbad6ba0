import type { TileData } from '../../../src/common/wire.ts'
import { showPlaceholder } from '../../behaviour/placeholders.ts'
import { drawing } from '../../parts/drawing.ts'
import type { Box } from './layout.ts'

/** How tiles look that a script makes. */
export interface TileLook {
  cover: string
  /** The path of the drawings. */
  icons: string
  /** Of the check box, with `#` in place of the title; undefined where files cannot be selected. */
  select: string | undefined
}

/** An element of the grid. It shows one file after another while a person scrolls. */
export class Tile {
  readonly element: HTMLLIElement
  readonly #link: HTMLAnchorElement
  #box: HTMLInputElement | null
  #id: string | undefined

  constructor(element = document.createElement('li')) {
    this.element = element
    const link = element.querySelector('a')
    this.#link = link ?? document.createElement('a')
    if (!link) element.append(this.#link)
    this.#box = element.querySelector('input')
    element.className = 'tile'
    this.#id = this.#link.dataset.id
  }

  get id(): string | undefined {
    return this.#id
  }

  get hasFocus(): boolean {
    return this.element.contains(document.activeElement)
  }

  focus(): void {
    this.#link.focus({ preventScroll: true })
  }

  place({ left, top, width, height }: Box, index: number, count: number): void {
    const { style } = this.element
    style.transform = `translate(${left}px, ${top}px)`
    style.width = `${width}px`
    style.height = `${height}px`
    this.element.ariaPosInSet = String(index + 1)
    this.element.ariaSetSize = String(count)
  }

  /** Undefined until the file was read, and for one that was deleted meanwhile. */
  show(data: TileData | undefined, look: TileLook): void {
    if (data && data.id === this.#id) return
    if (!data && this.#id === undefined) return
    this.#id = data?.id
    this.#showBox(data, look.select)
    const link = this.#link
    link.replaceChildren()
    link.removeAttribute('aria-label')
    link.removeAttribute('title')
    if (!data) {
      link.removeAttribute('href')
      delete link.dataset.id
      return
    }
    link.href = data.path
    link.dataset.id = data.id
    if (data.isCovered) link.ariaLabel = `${data.title}: ${look.cover}`
    else if (data.picture !== null) link.title = data.title
    link.append(contentOf(data, look))
    if (data.badge !== null) link.append(textIn('badge', data.badge))
  }

  #showBox(data: TileData | undefined, label: string | undefined): void {
    if (label === undefined) return
    if (!this.#box) {
      this.#box = document.createElement('input')
      Object.assign(this.#box, { type: 'checkbox', className: 'select', name: 'id', autocomplete: 'off' })
      this.element.append(this.#box)
    }
    this.#box.value = data?.id ?? ''
    this.#box.ariaLabel = label.replace('#', () => data?.title ?? '')
    this.#box.hidden = data === undefined
  }

  /** Whether the file is selected, and whether a range that is shown would have it. */
  mark(isSelected: boolean, isInRange: boolean): void {
    if (this.#box) this.#box.checked = isSelected
    this.element.classList.toggle('is-selected', isSelected)
    this.element.classList.toggle('in-range', isInRange)
  }
}

function contentOf(
  { title, picture, placeholder, isCovered }: TileData,
  { cover, icons }: TileLook,
): HTMLElement {
  if (isCovered) {
    const covered = textIn('covered', cover)
    covered.prepend(drawing(`${icons}#eye-off`))
    return covered
  }
  if (picture === null) return textIn('covered', title)
  const image = new Image()
  image.alt = title
  image.decoding = 'async'
  if (placeholder !== null) showPlaceholder(image, placeholder)
  image.src = picture
  return image
}

function textIn(className: string, text: string): HTMLElement {
  const element = document.createElement('span')
  element.className = className
  element.dir = 'auto'
  element.textContent = text
  return element
}
