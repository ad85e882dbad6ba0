import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** The same in `upload.css`. */
export const rowPixels = 84
const spareRows = 6

export interface Range {
  first: number
  end: number
}

/** The rows of a list that are visible, and some above and below for the keyboard. */
export function useWindow(list: RefObject<HTMLElement | null>, count: number): Range {
  const [range, setRange] = useState<Range>({ first: 0, end: 0 })
  const look = () => {
    if (!list.current) return
    const { top } = list.current.getBoundingClientRect()
    const next = rangeOf(top, clipOf(list.current), count)
    setRange((now) => (now.first === next.first && now.end === next.end ? now : next))
  }
  useEffect(() => {
    look()
    // Caught on its way down: the list may scroll with the page or inside of the dock.
    const events = ['scroll', 'resize'] as const
    for (const event of events) addEventListener(event, look, { capture: true, passive: true })
    // It becomes visible without scrolling too: when its stylesheet arrives, or the dock is unfolded.
    const observer = new IntersectionObserver(look)
    if (list.current) observer.observe(list.current)
    return () => {
      observer.disconnect()
      for (const event of events) removeEventListener(event, look, { capture: true })
    }
  }, [count])
  return range
}

function rangeOf(top: number, clip: { top: number; bottom: number }, count: number): Range {
  const first = Math.floor((clip.top - top) / rowPixels) - spareRows
  const end = Math.ceil((clip.bottom - top) / rowPixels) + spareRows
  return { first: Math.min(Math.max(0, first), count), end: Math.min(Math.max(0, end), count) }
}

function clipOf(list: HTMLElement): { top: number; bottom: number } {
  const box = list.closest('.dock')?.getBoundingClientRect()
  return { top: Math.max(0, box?.top ?? 0), bottom: Math.min(innerHeight, box?.bottom ?? innerHeight) }
}
