import { useSignal } from '@preact/signals'
import { render } from 'preact'
import { Button } from './parts.tsx'
import { QueueView } from './queue-view.tsx'
import { useUploadContext } from './upload-context.ts'

/** Draws the dock at the end of the page. */
export function openDock(): void {
  const root = document.createElement('aside')
  root.className = 'dock'
  document.body.append(root)
  render(<Dock />, root)
}

/** The queue on pages that are about something else. Folded, it still says how far it is. */
function Dock() {
  const { data, queue } = useUploadContext()
  const { words } = data
  const isFolded = useSignal(false)
  if (queue.items.value.length === 0) return null
  const toggle = () => {
    isFolded.value = !isFolded.peek()
  }
  return (
    <section class={`dock-panel${isFolded.value ? ' is-folded' : ''}`} aria-label={words.uploads}>
      <div class="dock-bar">
        <a class="button quiet dense" href="/upload">
          {words.openPage}
        </a>
        <Button
          look="quiet"
          icon={isFolded.value ? 'up' : 'down'}
          name={isFolded.value ? words.unfold : words.fold}
          isExpanded={!isFolded.value}
          onClick={toggle}
        />
      </div>
      <QueueView />
    </section>
  )
}
