import { type Piece, selectBoxAttributes, tileAttributes, tileMarkup } from '../../../src/common/tile.ts'
import type { TileData, TileWords } from '../../../src/common/wire.ts'
import { showPlaceholder } from '../../behaviour/placeholders.ts'
import { drawing } from '../../parts/drawing.ts'
import type { Box } from './layout.ts'

/** How tiles look that a script makes. */
export interface TileLook {
  words: TileWords
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
  /** Where the element stands without its transform. */
  #origin: Box | undefined
  #width = 0

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

  place(box: Box, index: number, count: number): void {
    const { left, top, width, height } = box
    this.#width = width
    const { style } = this.element
    // Where the server's page has put it, so that nothing moves when the script takes the page over; browsers do not count a transform.
    if (!this.#origin) {
      this.#origin = box
      style.left = `${left}px`
      style.top = `${top}px`
    }
    style.transform = `translate(${left - this.#origin.left}px, ${top - this.#origin.top}px)`
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
    const { link, content, marks } = data ? tileMarkup(data, look.words) : nothing
    for (const name of tileAttributes) setAttribute(this.#link, name, link?.[name])
    this.#link.replaceChildren(...content.map((piece) => elementOf(piece, look.icons, this.#width)))
    for (const mark of this.element.querySelectorAll(':scope > span')) mark.remove()
    this.#link.after(...marks.map((piece) => elementOf(piece, look.icons)))
  }

  #showBox(data: TileData | undefined, label: string | undefined): void {
    if (label === undefined) return
    if (!this.#box) {
      this.#box = document.createElement('input')
      this.element.append(this.#box)
    }
    const { value, ...others } = selectBoxAttributes(data ?? { id: '', title: '' }, label)
    for (const [name, text] of Object.entries(others)) this.#box.setAttribute(name, text)
    this.#box.value = value
    this.#box.hidden = data === undefined
  }

  /** Whether the file is selected, and whether a range that is shown would have it. */
  mark(isSelected: boolean, isInRange: boolean): void {
    if (this.#box) this.#box.checked = isSelected
    this.element.classList.toggle('is-selected', isSelected)
    this.element.classList.toggle('in-range', isInRange)
  }
}

const nothing = { link: undefined, content: [], marks: [] }

function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name)
  else element.setAttribute(name, value)
}

/** `width` is that of the tile. */
function elementOf({ tag, attributes, content = [] }: Piece, icons: string, width = 0): HTMLElement {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes))
    setAttribute(element, name, name === 'sizes' && value !== undefined ? `${Math.ceil(width)}px` : value)
  element.append(
    ...content.map((each) => {
      if (typeof each === 'string') return each
      return 'icon' in each ? drawing(`${icons}#${each.icon}`) : elementOf(each, icons)
    }),
  )
  const { placeholder } = element.dataset
  if (element instanceof HTMLImageElement && placeholder !== undefined) showPlaceholder(element, placeholder)
  return element
}
