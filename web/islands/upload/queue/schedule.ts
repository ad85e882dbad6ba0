import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { UploadData } from '../../../../src/common/wire.ts'
import type { Outcome } from './outcome.ts'
import type { QueueStorage } from './queue-storage.ts'
import type { Item, Row } from './row.ts'
import { send } from './send.ts'

const mostAtOnce = 3
const mostTries = 6
const longestPauseSeconds = 60

interface SenderContext {
  data: UploadData
  storage: QueueStorage
  items: ReadonlySignal<readonly Item[]>
  change: (item: Item, edit: Partial<Row>) => void
  onDone: (item: Item) => void
}

interface Sender {
  /** Why nothing is sent at the moment; empty while it is. */
  pause: Signal<string>
  /** Sends what waits, unless there is a pause. */
  sendNext: () => void
  /** Ends a pause. */
  resume: () => void
}

/** Sends three rows at once. A failure that is not the row's own pauses all of them, longer with each. */
export function openSender({ data, storage, items, change, onDone }: SenderContext): Sender {
  const { words } = data
  const pause = signal('')
  let running = 0
  let failures = 0
  let timer = 0

  function sendNext(): void {
    if (!navigator.onLine) pause.value = words.offline
    if (pause.peek() !== '') return
    for (const item of items.peek()) {
      if (running >= mostAtOnce) return
      if (item.row.peek().state === 'waiting') void run(item)
    }
  }

  function resume(): void {
    clearTimeout(timer)
    failures = 0
    pause.value = ''
    sendNext()
  }

  async function run(item: Item): Promise<void> {
    running += 1
    change(item, { state: 'sending' })
    try {
      finishAttempt(item, await attempt(item))
    } finally {
      running -= 1
      sendNext()
    }
  }

  async function attempt(item: Item): Promise<Outcome | 'lost'> {
    const row = item.row.peek()
    const bytes =
      row.url === undefined ? (item.bytes ?? (await storage.get('bytes', row.id))?.blob) : undefined
    if (row.url === undefined && !(bytes && (await isReadable(bytes)))) return 'lost'
    if (bytes) item.bytes = bytes
    const onProgress = measure(item)
    const onResumable = (resumeAt: string) => change(item, { resumeAt })
    try {
      const { outcome, cancel } = await send(data, { row, bytes, onProgress, onResumable })
      item.cancel = cancel
      // Taken off the list in the meantime.
      if (!items.peek().includes(item)) cancel()
      return await outcome
    } catch {
      return { again: words.noConnection, afterSeconds: 0 }
    }
  }

  function finishAttempt(item: Item, outcome: Outcome | 'lost'): void {
    delete item.cancel
    item.speed.value = 0
    if (outcome === 'lost') change(item, { state: 'lost', reason: words.chooseAgain })
    else if ('again' in outcome) tryAgain(item, outcome)
    else if ('refused' in outcome) change(item, { state: 'refused', reason: outcome.refused })
    else if ('file' in outcome) {
      failures = 0
      change(item, { state: 'done', file: outcome.file })
      onDone(item)
    }
  }

  function tryAgain(item: Item, outcome: Extract<Outcome, { again: string }>): void {
    const { again, afterSeconds, isFinishing = false } = outcome
    // Without a connection a try says nothing of the file, and a server that makes the file needs its time.
    if (navigator.onLine && !isFinishing) item.tries += 1
    const isGivenUp = item.tries >= mostTries
    change(item, isGivenUp ? { state: 'failed', reason: again } : { state: 'waiting' })
    if (isGivenUp || pause.peek() !== '') return
    pause.value = navigator.onLine ? again : words.offline
    const seconds = Math.max(afterSeconds, Math.min(longestPauseSeconds, 2 ** failures++))
    timer = setTimeout(() => {
      pause.value = ''
      sendNext()
    }, seconds * 1_000)
  }

  addEventListener('online', resume)
  addEventListener('offline', () => {
    pause.value = words.offline
  })
  return { pause, sendNext, resume }
}

/** A file that its person has deleted or changed cannot be read any more. */
const isReadable = (bytes: Blob) =>
  bytes
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

const speedMs = 250

/** Bytes a second, smoothed. The first report comes with what the browser has buffered, and counts for nothing. */
function measure(item: Item): (bytes: number) => void {
  let last: { at: number; bytes: number } | undefined
  return (bytes) => {
    const at = performance.now()
    if (last && at - last.at < speedMs && bytes < item.row.peek().size) return
    if (last && at > last.at) {
      const now = ((bytes - last.bytes) / (at - last.at)) * 1_000
      const before = item.speed.peek()
      item.speed.value = before === 0 ? now : before * 0.7 + now * 0.3
    }
    last = { at, bytes }
    item.sent.value = Math.min(bytes, item.row.peek().size)
  }
}
