import { areLettersOff } from '../../../behaviour/stored-choices.ts'

const longPressMs = 450
/** A finger that moves further scrolls. */
const stillPixels = 10

/** What a gesture does to the files of a list, each known by its index. */
export interface Gestures {
  indexOf(target: EventTarget | null): number | undefined
  focused(): number | undefined
  readonly count: number
  toggle(index: number): void
  /** Selects from the last toggled file to this one. */
  extend(index: number): void
  preview(index: number | undefined): void
  selectAll(): void
  clear(): void
}

/** The check box and `Ctrl` toggle, `Shift` takes a range, which is shown before. */
export function startMouse(list: HTMLElement, gestures: Gestures): void {
  list.addEventListener(
    'click',
    (event) => {
      const index = gestures.indexOf(event.target)
      if (index === undefined) return
      const isBox = event.target instanceof HTMLInputElement
      if (!isBox && !event.ctrlKey && !event.metaKey && !event.shiftKey) return
      // A box must keep its tick, and a link must not be followed.
      if (!isBox) event.preventDefault()
      event.stopPropagation()
      if (event.shiftKey) gestures.extend(index)
      else gestures.toggle(index)
    },
    { capture: true },
  )
  list.addEventListener('pointermove', (event) => {
    if (event.pointerType !== 'mouse') return
    gestures.preview(event.shiftKey ? gestures.indexOf(event.target) : undefined)
  })
  list.addEventListener('pointerleave', () => gestures.preview(undefined))
}

const isElsewhere = (target: EventTarget | null) =>
  document.querySelector('dialog[open]') !== null ||
  (target instanceof Element &&
    target.matches('textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])'))

export function startSelectionKeys(gestures: Gestures): void {
  document.addEventListener('keydown', (event) => {
    if (event.isComposing || event.altKey || isElsewhere(event.target)) return
    const index = gestures.focused()
    const isCommand = event.ctrlKey || event.metaKey
    if (isCommand && event.key.toLowerCase() === 'a') gestures.selectAll()
    else if (isCommand) return
    else if (event.key === 'Escape') gestures.clear()
    else if (event.key === 'x' && index !== undefined && !areLettersOff()) gestures.toggle(index)
    else return
    event.preventDefault()
  })
}

/** A long press selects; dragged on, the finger takes the files up to it. While files are selected a tap toggles. */
export function startTouch(list: HTMLElement, gestures: Gestures): void {
  let press: ReturnType<typeof setTimeout> | undefined
  let start: { x: number; y: number } | undefined
  let isDragging = false
  let hasPressed = false

  const end = () => {
    clearTimeout(press)
    start = undefined
    isDragging = false
  }
  list.addEventListener('pointerdown', (event) => {
    hasPressed = false
    const index = event.pointerType === 'mouse' ? undefined : gestures.indexOf(event.target)
    if (index === undefined || event.target instanceof HTMLInputElement) return
    start = { x: event.clientX, y: event.clientY }
    press = setTimeout(() => {
      isDragging = true
      hasPressed = true
      gestures.toggle(index)
    }, longPressMs)
  })
  list.addEventListener('pointermove', (event) => {
    if (!start || isDragging) return
    if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > stillPixels) end()
  })
  list.addEventListener(
    'touchmove',
    (event) => {
      const [touch] = event.touches
      if (!isDragging || !touch) return
      // Else the page would scroll under the finger.
      event.preventDefault()
      const index = gestures.indexOf(document.elementFromPoint(touch.clientX, touch.clientY))
      if (index !== undefined) gestures.extend(index)
    },
    { passive: false },
  )
  for (const name of ['pointerup', 'pointercancel', 'touchend', 'touchcancel'])
    list.addEventListener(name, (event) => {
      if (name !== 'pointercancel' || !isDragging) end()
      else event.preventDefault()
    })
  list.addEventListener('contextmenu', (event) => {
    if (isDragging || hasPressed) event.preventDefault()
  })
  list.addEventListener(
    'click',
    (event) => {
      const index = gestures.indexOf(event.target)
      const isTap = event instanceof PointerEvent && event.pointerType === 'touch'
      if (!isTap || index === undefined || event.target instanceof HTMLInputElement) return
      if (!hasPressed && gestures.count === 0) return
      event.preventDefault()
      event.stopPropagation()
      if (!hasPressed) gestures.toggle(index)
    },
    { capture: true },
  )
}
