import { type RefObject, render } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from './parts.tsx'
import { QueueView } from './queue-view.tsx'
import { useUploadContext } from './upload-context.ts'
import { rowPixels } from './window.ts'

/** A dock at the end of the page. Returns what draws it. */
export function openDock(): () => void {
  const root = document.createElement('aside')
  root.className = 'dock'
  document.body.append(root)
  return () => render(<Dock />, root)
}

/** The queue on pages that are about something else. Folded, it still says how far it is. */
function Dock() {
  const { data, queue } = useUploadContext()
  const { words } = data
  const [isFolded, setFolded] = useState(false)
  const panel = useRef<HTMLElement>(null)
  const count = queue.items().length
  useNewestRows(panel, count)
  if (count === 0) return null
  return (
    <section ref={panel} class={`dock-panel${isFolded ? ' is-folded' : ''}`} aria-label={words.uploads}>
      <div class="dock-bar">
        <a class="button quiet dense" href="/upload">
          {words.openPage}
        </a>
        <Button
          look="quiet"
          icon={isFolded ? 'up' : 'down'}
          name={isFolded ? words.unfold : words.fold}
          isExpanded={!isFolded}
          onClick={() => setFolded(!isFolded)}
        />
      </div>
      <QueueView />
    </section>
  )
}

/** Scrolls to the first of the rows that were added. */
function useNewestRows(panel: RefObject<HTMLElement | null>, count: number): void {
  const before = useRef(0)
  useLayoutEffect(() => {
    const rows = panel.current?.querySelector<HTMLElement>('.queue-rows')
    if (panel.current && rows && count > before.current)
      panel.current.scrollTop = rows.offsetTop + before.current * rowPixels
    before.current = count
  }, [count])
}
