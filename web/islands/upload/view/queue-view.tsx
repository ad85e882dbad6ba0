import { useRef } from 'preact/hooks'
import type { Item } from '../queue/row.ts'
import { CopyBar, CopyWhenDone } from './copy-bar.tsx'
import { Button, Icon } from './parts.tsx'
import { RowView } from './row.tsx'
import { useUploadContext } from './upload-context.ts'
import { rowPixels, useWindow } from './window.ts'

/** The queue with its totals and links; empty while there are no files. */
export function QueueView() {
  const { data, queue } = useUploadContext()
  const items = queue.items()
  if (items.length === 0) return null
  return (
    <>
      <Head />
      {queue.pause() !== '' && queue.counts().open > 0 && (
        <p class="banner warn" role="status">
          <Icon name="clock" />
          <span>{queue.pause()}</span>
        </p>
      )}
      <Rows items={items} />
      {!data.isCollecting && <CopyBar />}
    </>
  )
}

function Head() {
  const { data, queue, formatter } = useUploadContext()
  const { words } = data
  const counts = queue.counts()
  const items = queue.items()
  const inState = (...states: string[]) => items.filter(({ row }) => states.includes(row.state))
  return (
    <div class="queue-head">
      <h2 tabIndex={-1}>{formatter.count(words.files, counts.all)}</h2>
      <p class="soft">
        <Summary />
      </p>
      <div class="actions">
        {!data.isCollecting && <CopyWhenDone />}
        {counts.failed > 0 && (
          <Button look="plain dense" keys="r" onClick={() => queue.retry(...inState('failed'))}>
            {words.retryFailed}
          </Button>
        )}
        {counts.open > 1 && (
          <Button look="quiet dense" onClick={() => queue.remove(...inState('waiting', 'sending'))}>
            {words.cancelAll}
          </Button>
        )}
        {counts.open === 0 && (
          <Button look="quiet dense" onClick={() => queue.remove(...items)}>
            {words.clear}
          </Button>
        )}
      </div>
    </div>
  )
}

function Summary() {
  const { data, queue, formatter } = useUploadContext()
  const { done, open, failed, refused, lost } = queue.counts()
  const { words } = data
  const counted = [
    [words.done, done],
    [words.onTheWay, open],
    [words.failed, failed + lost],
    [words.refused, refused],
  ] as const
  const texts = counted.flatMap(([text, count]) => (count > 0 ? formatter.fill(text, { count }) : []))
  return (
    <>
      {texts.join(', ')}
      {'. '}
      <TimeLeft />
    </>
  )
}

function TimeLeft() {
  const { data, queue, formatter } = useUploadContext()
  let [bytes, speed] = [0, 0]
  for (const { row, sent, speed: own } of queue.items()) {
    const { state, size } = row
    if (state === 'waiting') bytes += size
    if (state !== 'sending') continue
    bytes += size - sent
    speed += own
  }
  if (speed <= 0 || bytes <= 0) return null
  return <>{formatter.fill(data.words.timeLeft, { left: formatter.seconds(bytes / speed) })}</>
}

function Rows({ items }: { items: readonly Item[] }) {
  const list = useRef<HTMLUListElement>(null)
  const { first, end } = useWindow(list, items.length)
  return (
    <ul class="queue-rows" ref={list} style={{ height: `${items.length * rowPixels}px` }}>
      {items.slice(first, end).map((item, index) => (
        <RowView
          key={item.row.id}
          item={item}
          index={first + index}
          count={items.length}
          top={(first + index) * rowPixels}
        />
      ))}
    </ul>
  )
}
