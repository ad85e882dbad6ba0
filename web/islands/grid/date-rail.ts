import { localeOf } from '../../../src/common/format.ts'
import type { ShapeBlock } from '../../../src/common/wire.ts'
import type { Layout } from './layout.ts'

/** The least height of an entry that a finger hits. */
const entryPixels = 24
/** A pointer that moves further drags. */
const stillPixels = 4
const shownMs = 1_500

/** The grid as the rail sees it. */
interface DatedGrid {
  readonly layout: Layout
  /** The top of the list in the page. */
  top(): number
}

interface Entry {
  month: string
  index: number
  isYear: boolean
}

/** Years and months of a list at the edge of the window. A click, the arrow keys or a drag jump to them. */
export class DateRail {
  readonly #grid: DatedGrid
  readonly #nav = document.createElement('nav')
  readonly #bubble = document.createElement('output')
  readonly #names: Readonly<Record<'long' | 'short', Intl.DateTimeFormat>>
  /** The first file of each month. */
  #months: { month: string; index: number }[] = []
  #count = 0
  #hiding: ReturnType<typeof setTimeout> | undefined

  constructor(root: HTMLElement, grid: DatedGrid, label: string) {
    this.#grid = grid
    const locale = localeOf(document.documentElement.lang)
    const format = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
    this.#names = { long: format({ month: 'long', year: 'numeric' }), short: format({ month: 'short' }) }
    this.#nav.className = 'rail'
    this.#nav.ariaLabel = label
    this.#bubble.ariaHidden = 'true'
    root.append(this.#nav)
    this.#nav.addEventListener('keydown', (event) => this.#follow(event))
    this.#startDragging()
    addEventListener('scroll', () => this.#show(), { passive: true })
    addEventListener('resize', () => this.draw())
  }

  add(months: ShapeBlock['months']): void {
    for (const [month, files] of months) {
      if (this.#months.at(-1)?.month !== month) this.#months.push({ month, index: this.#count })
      this.#count += files
    }
    this.draw()
  }

  draw(): void {
    const height = this.#nav.clientHeight
    if (height === 0) return
    const current =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset.month : undefined
    this.#nav.replaceChildren(
      ...this.#entries(height).map((entry) => this.#button(entry, height)),
      this.#bubble,
    )
    const focused = this.#buttons().find(({ dataset }) => dataset.month === current)
    if (current !== undefined) focused?.focus({ preventScroll: true })
    this.#markCurrent()
  }

  /** Years first, then the months that there is room for. */
  #entries(height: number): Entry[] {
    const seen = new Set<string>()
    const all = this.#months.map(({ month, index }) => {
      const year = month.slice(0, 4)
      const isYear = !seen.has(year)
      seen.add(year)
      return { month, index, isYear }
    })
    const taken: number[] = []
    const fitting = [...all.filter(({ isYear }) => isYear), ...all.filter(({ isYear }) => !isYear)].filter(
      ({ index }) => {
        const at = this.#offset(index, height)
        const isFree =
          at <= height - entryPixels && taken.every((other) => Math.abs(other - at) >= entryPixels)
        if (isFree) taken.push(at)
        return isFree
      },
    )
    return fitting.sort((one, other) => one.index - other.index)
  }

  #offset(index: number, height: number): number {
    const { layout } = this.#grid
    return Math.round((layout.topOf(index) / layout.height) * height)
  }

  #button({ month, index, isYear }: Entry, height: number): HTMLButtonElement {
    const button = document.createElement('button')
    button.type = 'button'
    button.dataset.month = month
    const at = new Date(`${month}-01T00:00:00Z`)
    const [seen, read] = [document.createElement('span'), document.createElement('span')]
    seen.textContent = isYear ? month.slice(0, 4) : this.#names.short.format(at)
    seen.ariaHidden = 'true'
    read.textContent = this.#names.long.format(at)
    read.className = 'only-read'
    button.append(seen, read)
    button.style.top = `${this.#offset(index, height)}px`
    button.classList.toggle('is-year', isYear)
    button.addEventListener('click', () => this.#jump(index))
    return button
  }

  #buttons(): HTMLButtonElement[] {
    return [...this.#nav.querySelectorAll('button')]
  }

  #jump(index: number): void {
    const { layout, top } = this.#grid
    scrollTo({ top: top() + layout.topOf(index) - 8, behavior: 'instant' })
  }

  /** One stop of the Tab key: the entry of what is seen. */
  #markCurrent(): void {
    const { layout, top } = this.#grid
    const [, end] = layout.filesOf(layout.rowAt(scrollY - top() + 16))
    const month = this.#months.findLast(({ index }) => index < end)?.month ?? ''
    const buttons = this.#buttons()
    const isDescending = (this.#months[0]?.month ?? '') > (this.#months.at(-1)?.month ?? '')
    const isReached = (each: string) => (isDescending ? each >= month : each <= month)
    const current = buttons.findLast(({ dataset }) => isReached(dataset.month ?? '')) ?? buttons[0]
    for (const button of buttons) {
      button.tabIndex = button === current ? 0 : -1
      button.ariaCurrent = button === current ? 'true' : null
    }
  }

  #follow(event: KeyboardEvent): void {
    const buttons = this.#buttons()
    const at = buttons.indexOf(event.target as HTMLButtonElement)
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: buttons.length - 1 }[event.key]
    if (at === -1 || to === undefined) return
    event.preventDefault()
    const button = buttons[to]
    button?.focus({ preventScroll: true })
    button?.click()
  }

  /** On a phone it is shown while the page scrolls. */
  #show(): void {
    this.#markCurrent()
    this.#nav.classList.add('is-shown')
    clearTimeout(this.#hiding)
    this.#hiding = setTimeout(() => this.#nav.classList.remove('is-shown'), shownMs)
  }

  #startDragging(): void {
    let start: number | undefined
    let isDragging = false
    this.#nav.addEventListener('pointerdown', ({ clientY, button }) => {
      if (button === 0) start = clientY
    })
    this.#nav.addEventListener('pointermove', (event) => {
      if (start === undefined) return
      if (!isDragging && Math.abs(event.clientY - start) <= stillPixels) return
      if (!isDragging) this.#nav.setPointerCapture(event.pointerId)
      isDragging = true
      this.#dragTo(event.clientY)
    })
    for (const name of ['pointerup', 'pointercancel'])
      this.#nav.addEventListener(name, () => {
        start = undefined
        isDragging = false
        this.#nav.classList.remove('is-dragged')
      })
  }

  #dragTo(y: number): void {
    const { top: edge, height } = this.#nav.getBoundingClientRect()
    const part = Math.min(1, Math.max(0, (y - edge) / height))
    const { layout, top } = this.#grid
    scrollTo({ top: top() + part * layout.height, behavior: 'instant' })
    const [first] = layout.filesOf(layout.rowAt(part * layout.height))
    const month = this.#months.findLast(({ index }) => index <= first)?.month
    if (month === undefined) return
    this.#bubble.textContent = this.#names.long.format(new Date(`${month}-01T00:00:00Z`))
    this.#bubble.style.top = `${part * height}px`
    this.#nav.classList.add('is-dragged')
  }
}
