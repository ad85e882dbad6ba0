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
  items: () => readonly Item[]
  change: (item: Item, edit: Partial<Row>) => void
  onDone: (item: Item) => void
  /** A pause has begun or ended, or bytes were sent. */
  onChange: () => void
}

interface Sender {
  /** Why nothing is sent at the moment; empty while it is. */
  pause: () => string
  /** Sends what waits, unless there is a pause. */
  sendNext: () => void
  /** Ends a pause. */
  resume: () => void
}

/** Sends three rows at once. A failure that is not the row's own pauses all of them, longer with each. */
export function openSender({ data, storage, items, change, onDone, onChange }: SenderContext): Sender {
  const { words } = data
  let pause = ''
  let running = 0
  let failures = 0
  let timer = 0

  function setPause(reason: string): void {
    pause = reason
    if (reason !== '') askForSync()
    onChange()
  }

  function sendNext(): void {
    if (!navigator.onLine) setPause(words.offline)
    if (pause !== '') return
    for (const item of items()) {
      if (running >= mostAtOnce) return
      if (item.row.state === 'waiting') void run(item)
    }
  }

  function resume(): void {
    clearTimeout(timer)
    failures = 0
    setPause('')
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
    const { row } = item
    const bytes =
      row.url === undefined ? (item.bytes ?? (await storage.get('bytes', row.id))?.blob) : undefined
    if (row.url === undefined && !(bytes && (await isReadable(bytes)))) return 'lost'
    if (bytes) item.bytes = bytes
    const onProgress = measure(item, onChange)
    const onResumable = (resumeAt: string) => change(item, { resumeAt })
    try {
      const { outcome, cancel } = await send(data, { row, bytes, onProgress, onResumable })
      item.cancel = cancel
      // Taken off the list in the meantime.
      if (!items().includes(item)) cancel()
      return await outcome
    } catch {
      return { again: words.noConnection, afterSeconds: 0 }
    }
  }

  function finishAttempt(item: Item, outcome: Outcome | 'lost'): void {
    delete item.cancel
    item.speed = 0
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
    if (isGivenUp || pause !== '') return
    setPause(navigator.onLine ? again : words.offline)
    const seconds = Math.max(afterSeconds, Math.min(longestPauseSeconds, 2 ** failures++))
    timer = setTimeout(() => {
      setPause('')
      sendNext()
    }, seconds * 1_000)
  }

  addEventListener('online', resume)
  addEventListener('offline', () => setPause(words.offline))
  return { pause: () => pause, sendNext, resume }
}

/** If this page is left before the connection is back, the service worker sends what waits. Not every browser can. */
function askForSync(): void {
  type Syncing = ServiceWorkerRegistration & { sync?: { register(tag: string): Promise<void> } }
  navigator.serviceWorker?.ready
    .then((registration: Syncing) => registration.sync?.register('uploads'))
    .catch(() => undefined)
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
function measure(item: Item, onChange: () => void): (bytes: number) => void {
  let last: { at: number; bytes: number } | undefined
  return (bytes) => {
    const at = performance.now()
    if (last && at - last.at < speedMs && bytes < item.row.size) return
    if (last && at > last.at) {
      const now = ((bytes - last.bytes) / (at - last.at)) * 1_000
      item.speed = item.speed === 0 ? now : item.speed * 0.7 + now * 0.3
    }
    last = { at, bytes }
    item.sent = Math.min(bytes, item.row.size)
    onChange()
  }
}
