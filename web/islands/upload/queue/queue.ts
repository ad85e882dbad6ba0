import type { UploadData } from '../../../../src/common/wire.ts'
import { budgetBytes, type QueueStorage } from './queue-storage.ts'
import { type Item, isOpen, newId, newItem, type Options, type Row, type State } from './row.ts'
import { openSender } from './schedule.ts'
import { filesOf, type Source } from './sources.ts'
import type { Tabs } from './tabs.ts'

export type Counts = Readonly<Record<State, number>> & { all: number; open: number }

export interface Queue {
  items(): readonly Item[]
  counts(): Counts
  /** Why nothing is sent at the moment; empty while it is. */
  pause(): string
  /** Whether a row would be lost with this page. */
  isLeaveGuarded: () => boolean
  add(sources: readonly Source[], options: Options): Promise<void>
  /** For the rows that are not sent yet. */
  setOptions(options: Options): void
  remove(...items: readonly Item[]): void
  retry(...items: readonly Item[]): void
  /** False if it is another file than that of the row. */
  chooseAgain(item: Item, file: File): boolean
}

const keptDays = 1
const dayMs = 86_400_000

interface QueueContext {
  data: UploadData
  storage: QueueStorage
  tabs: Tabs
  /** Whether it is shown beside a page that is about something else. */
  isDock: boolean
  onDone: (item: Item) => void
  /** Also with every report of bytes sent: draw later, once for many. */
  onChange: () => void
}

/** The files of one person on this page, and those that pages before it have left. */
export async function openQueue(context: QueueContext): Promise<Queue> {
  const { data, storage, tabs, onDone, onChange } = context
  const adopted = await adopt(context)
  let items: readonly Item[] = []
  let counted: Counts | undefined
  let freeBytes = await budgetBytes()
  let order = Date.now()

  /** A row that is being sent is kept as one that waits, for that is what it is after a reload. */
  function change(item: Item, edit: Partial<Row>): void {
    const row = { ...item.row, ...edit }
    item.row = row
    counted = undefined
    onChange()
    void storage.put('rows', row.state === 'sending' ? { ...row, state: 'waiting' } : row)
  }

  function setItems(list: readonly Item[]): void {
    items = list
    counted = undefined
    onChange()
  }

  const sender = openSender({ data, storage, items: () => items, change, onDone: finish, onChange })

  /** Its bytes are needed no more. */
  function release(item: Item): void {
    const { id, isKept, size, url } = item.row
    if (isKept && url === undefined && item.bytes) freeBytes += size
    item.bytes = undefined
    void storage.delete('bytes', id)
  }

  function finish(item: Item): void {
    const { bytes } = item
    release(item)
    // The server shows nothing of a collected file: its row goes on showing what was chosen.
    if (data.isCollecting) item.bytes = bytes
    onDone(item)
  }

  /** One after the other. Rows that are sent before their turn need not be kept. */
  async function keepBytes(added: readonly Item[]): Promise<void> {
    for (const item of added) {
      const { id, size } = item.row
      if (!item.bytes || !isOpen(item.row) || size > freeBytes) continue
      freeBytes -= size
      const isKept = await storage.put('bytes', { id, blob: item.bytes })
      if (!isKept) freeBytes += size
      else if (isOpen(item.row)) change(item, { isKept })
      else void storage.delete('bytes', id)
    }
  }

  function addFiles(files: readonly (File | string)[], options: Options): void {
    const added = files.flatMap((file) => {
      if (revive(file)) return []
      const isAddress = typeof file === 'string'
      const { name, size } = isAddress ? { name: nameIn(file), size: 0 } : file
      const row: Row = {
        id: newId(),
        owner: data.owner,
        tab: tabs.id,
        order: order++,
        name,
        size,
        options,
        state: 'waiting',
        isKept: isAddress,
        ...(isAddress && { url: file }),
        ...refusalOf(data, file),
      }
      return [newItem(row, isAddress ? undefined : file)]
    })
    setItems([...items, ...added])
    void storage.put('rows', ...added.map(({ row }) => row)).then(() => keepBytes(added))
    sender.sendNext()
  }

  /** A file whose bytes were lost goes on when the person chooses it again. */
  function revive(file: File | string): boolean {
    if (typeof file === 'string') return false
    const lost = items.find(({ row }) => row.state === 'lost' && isSame(row, file))
    return lost !== undefined && chooseAgain(lost, file)
  }

  function chooseAgain(item: Item, file: File): boolean {
    if (!isSame(item.row, file)) return false
    item.bytes = file
    retry(item)
    void keepBytes([item])
    return true
  }

  function retry(...again: readonly Item[]): void {
    for (const item of again) {
      item.tries = 0
      const { reason: _, ...row } = item.row
      item.row = row
      change(item, { state: 'waiting' })
    }
    sender.resume()
  }

  function remove(...removed: readonly Item[]): void {
    const gone = new Set(removed)
    setItems(items.filter((item) => !gone.has(item)))
    const ids = removed.map(({ row }) => row.id)
    for (const item of removed) {
      item.cancel?.()
      release(item)
    }
    void storage.delete('rows', ...ids)
    sender.sendNext()
  }

  setItems(adopted)
  sender.sendNext()
  return {
    items: () => items,
    counts: () => {
      counted ??= countStates(items)
      return counted
    },
    pause: sender.pause,
    remove,
    retry,
    chooseAgain,
    isLeaveGuarded: () => items.some(({ row }) => isOpen(row) && !row.isKept),
    async add(sources, options) {
      for await (const files of filesOf(sources)) addFiles(files, options)
    },
    setOptions(options) {
      for (const item of items) if (item.row.state === 'waiting') change(item, { options })
    },
  }
}

const isSame = (row: Row, { name, size }: File) => row.name === name && row.size === size

const nameIn = (address: string) => address.replace(/^https?:\/\//i, '')

/** What the server would refuse after the last byte is refused before the first. */
function refusalOf({ mostBytes, hasUrls, words }: UploadData, file: File | string): Partial<Row> {
  const refuse = (reason: string) => ({ state: 'refused', reason, isKept: true }) as const
  if (typeof file === 'string') return hasUrls ? {} : refuse(words.noLinks)
  if (file.size === 0) return refuse(words.empty)
  return file.size > mostBytes ? refuse(words.tooBig) : {}
}

function countStates(items: readonly Item[]): Counts {
  const counts = { waiting: 0, sending: 0, done: 0, failed: 0, refused: 0, lost: 0 }
  for (const { row } of items) counts[row.state] += 1
  return { ...counts, all: items.length, open: counts.waiting + counts.sending }
}

/** Rows of pages that are gone. The finished ones wait for the upload page: elsewhere a person looks for what is new. */
async function adopt({ data, storage, tabs, isDock }: QueueContext): Promise<Item[]> {
  const rows = (await storage.all('rows')).filter(
    (row) => row.owner === data.owner && (isOpen(row) || !isDock),
  )
  if (rows.length === 0) return []
  const [others, stored] = [await tabs.others(), await storage.ids('bytes')]
  const left = rows.filter(({ tab }) => !others.has(tab)).sort((a, b) => a.order - b.order)
  const isOld = (row: Row) => !isOpen(row) && Date.now() - row.order > keptDays * dayMs
  void storage.delete('rows', ...left.filter(isOld).map(({ id }) => id))
  const adopted = left
    .filter((row) => !isOld(row))
    .map((row) => ({ ...row, tab: tabs.id, ...(isOpen(row) && openState(row, stored, data)) }))
  void storage.put('rows', ...adopted)
  return adopted.map((row) => newItem(row))
}

/** The bytes themselves count: a page may be left after they were stored, and before its row was that says so. */
function openState({ id, url }: Row, stored: ReadonlySet<string>, { words }: UploadData): Partial<Row> {
  const isKept = url !== undefined || stored.has(id)
  return { isKept, ...(isKept ? { state: 'waiting' } : { state: 'lost', reason: words.chooseAgain }) }
}
