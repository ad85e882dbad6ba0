/** Pixels and pixels a millisecond that make a touch a swipe. */
const [far, fast, slack] = [80, 0.4, 10]
const doubleTapMs = 350

interface Touching {
  x: number
  y: number
  at: number
  axis?: 'x' | 'y'
}

/** Fingers on the picture: to the side for the file beside it, down to close what is over a list, twice to zoom. */
export function startSwipes(stage: HTMLElement, zoom: (x: number, y: number) => void): void {
  const content = stage.firstElementChild
  if (!(content instanceof HTMLElement)) return
  const closer = stage.closest('dialog')?.querySelector<HTMLElement>('.lightbox-close')
  const beside = (dx: number) => stage.querySelector<HTMLElement>(`[rel=${dx < 0 ? 'next' : 'prev'}]`)
  let touching: Touching | undefined
  let lastTap = 0
  const move = (dx: number, dy: number, isLetGo = false) => {
    content.style.transition = isLetGo ? 'transform 220ms ease-out' : ''
    content.style.transform = dx || dy ? `translate(${dx}px, ${dy}px)` : ''
  }

  stage.addEventListener(
    'touchstart',
    ({ touches: [touch, second], target, timeStamp }) => {
      touching = undefined
      // The browser's own zoom, and the controls of a player, have gestures of their own.
      if (!touch || second || (visualViewport?.scale ?? 1) > 1.05) return move(0, 0, true)
      const isPlayer = target instanceof HTMLVideoElement
      if (isPlayer && touch.clientY > target.getBoundingClientRect().bottom - 72) return
      if (target instanceof Element && target.closest('button, .besides, summary')) return
      touching = { x: touch.clientX, y: touch.clientY, at: timeStamp }
    },
    { passive: true },
  )
  stage.addEventListener(
    'touchmove',
    (event) => {
      const [touch] = event.touches
      if (!touching || !touch) return
      const [dx, dy] = [touch.clientX - touching.x, touch.clientY - touching.y]
      if (!touching.axis) {
        if (Math.hypot(dx, dy) < slack) return
        const isDown = dy > 0 && closer && stage.closest('dialog')?.scrollTop === 0
        if (Math.abs(dx) > Math.abs(dy)) touching.axis = 'x'
        else if (isDown) touching.axis = 'y'
        else touching = undefined
      }
      if (!touching) return
      if (event.cancelable) event.preventDefault()
      if (touching.axis === 'x') move(beside(dx) ? dx : dx / 4, 0)
      else move(0, Math.max(0, dy))
    },
    { passive: false },
  )
  stage.addEventListener('touchcancel', () => {
    touching = undefined
    move(0, 0, true)
  })
  stage.addEventListener('touchend', (event) => {
    const [touch] = event.changedTouches
    if (!touching || !touch) return
    const { x, y, at, axis } = touching
    touching = undefined
    if (!axis) return tap(event, touch)
    const by = axis === 'x' ? touch.clientX - x : touch.clientY - y
    const isSwipe = Math.abs(by) > far || Math.abs(by) / (event.timeStamp - at) > fast
    const target = axis === 'x' ? beside(by) : by > 0 ? closer : undefined
    if (!isSwipe || !target) return move(0, 0, true)
    if (axis === 'x') move(Math.sign(by) * stage.clientWidth, 0, true)
    target.click()
  })

  /** One tap does nothing: the second would open another thing than the first. */
  const tap = (event: TouchEvent, { clientX, clientY }: Touch) => {
    if (!(event.target instanceof Element && event.target.closest('a.picture'))) return
    event.preventDefault()
    if (event.timeStamp - lastTap < doubleTapMs) zoom(clientX, clientY)
    lastTap = event.timeStamp
  }
}
