import type { Item } from '../queue/row.ts'
import { Icon } from './parts.tsx'
import { useUploadContext } from './upload-context.ts'

/** The line below the name: the address, the progress, or the reason of a refusal. */
export function Detail({ item }: { item: Item }) {
  const { words, isCollecting } = useUploadContext().data
  const { state, reason, file } = item.row
  if (file && isCollecting) return <p class="queue-detail soft">{words.sent}</p>
  if (file)
    return (
      <a class="queue-detail mono" href={file.url_viewer}>
        {file.url_viewer.replace(/^https?:\/\//, '')}
      </a>
    )
  if (state === 'sending') return <Progress item={item} />
  if (state === 'waiting') return <p class="queue-detail soft">{words.waits}</p>
  return (
    <p class="queue-detail queue-fault">
      <Icon name="warning" />
      <span>{reason}</span>
    </p>
  )
}

function Progress({ item }: { item: Item }) {
  const { data, formatter } = useUploadContext()
  const { words } = data
  const { size, name, isKept } = item.row
  const [sent, speed] = [item.sent, item.speed]
  // The server decodes the file after its last byte, and fetches one that was named by its address.
  const isSent = sent >= size
  const text = isSent ? words.finishing : speed > 0 ? words.progress : words.percent
  const values = {
    percent: isSent ? 100 : Math.floor((sent / size) * 100),
    speed: formatter.size(speed),
    left: formatter.seconds((size - sent) / (speed || 1)),
  }
  return (
    <>
      <progress class="progress" aria-label={name} max={1} {...(!isSent && { value: sent / size })} />
      <p class="queue-detail soft">
        {formatter.fill(text, values)} {isKept ? words.goesOn : words.goesOnNot}
      </p>
    </>
  )
}
