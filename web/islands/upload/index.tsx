import { render } from 'preact'
import type { UploadData } from '../../../src/common/wire.ts'
import { writeStored } from '../../behaviour/stored-choices.ts'
import { showToast } from '../../behaviour/toast.ts'
import { loadStyles, readData } from './data.ts'
import { type Add, showLeft, startForm } from './form.ts'
import { type Formatter, formatter } from './formatter.ts'
import { openQueue } from './queue/queue.ts'
import { openQueueStorage, type QueueStorage } from './queue/queue-storage.ts'
import type { Item } from './queue/row.ts'
import { openTabs } from './queue/tabs.ts'
import { chosen, copyFiles, filesOf } from './view/chosen.ts'
import { openDock } from './view/dock.tsx'
import { QueueView } from './view/queue-view.tsx'
import { setUploadContext } from './view/upload-context.ts'

let opening: Promise<Add | undefined> | undefined

/** What adds files to the queue of the page, drawn on the upload page in its place, elsewhere in a dock; undefined where it is refused. */
export async function openUploads(): Promise<Add | undefined> {
  opening ??= open()
  const add = await opening
  // Refused for now: a person who logs in may upload.
  if (!add) opening = undefined
  return add
}

async function open(): Promise<Add | undefined> {
  const page = document.querySelector<HTMLElement>('[data-island=upload]')
  const read = await readData(page)
  if ('refusal' in read) {
    showToast(read.refusal)
    return undefined
  }
  const { data } = read
  const storage = openQueueStorage()
  const words = formatter(data)
  /** Stored since nothing was left to send: what the next message is about. */
  let batch: Item[] = []
  let isDue = false
  let isBusy = false
  const update = () => {
    isDue = false
    if (queue.counts().all > 0) loadStyles(data)
    draw()
    const { open: unfinished } = queue.counts()
    // Any page goes on with unfinished rows.
    writeStored('uploads', unfinished > 0 ? 'open' : '')
    if (isBusy && unfinished === 0) void showLeft(data)
    isBusy = unfinished > 0
    if (isBusy || batch.length === 0) return
    void announce(batch, { data, words })
    batch = []
  }
  // A task of its own: many changes are drawn once, also while the page is hidden.
  const redraw = () => {
    if (!isDue) setTimeout(update)
    isDue = true
  }
  const queue = await openQueue({
    data,
    storage,
    tabs: openTabs(),
    isDock: page === null,
    onDone: (item) => {
      keepDeleteLink(item, data, storage)
      batch.push(item)
    },
    onChange: redraw,
  })
  setUploadContext({ data, queue, formatter: words, redraw })
  const place = page?.querySelector('.queue')
  const draw = place ? () => render(<QueueView />, place) : openDock()
  addEventListener('beforeunload', (event) => {
    if (queue.isLeaveGuarded()) event.preventDefault()
  })
  return page ? startForm(page, { queue, data }) : (sources) => queue.add(sources, data.defaults)
}

/** Guests have no account that lists their files, so the browser keeps their delete links. */
function keepDeleteLink({ row: { name, file } }: Item, { owner }: UploadData, storage: QueueStorage): void {
  if (owner === 'guest' && file?.delete_url)
    void storage.put('own', { id: file.id, at: Date.now(), name, file })
}

/** Says how many files were stored, and copies their links if the person wants that. */
async function announce(
  batch: readonly Item[],
  { data, words }: { data: UploadData; words: Formatter },
): Promise<void> {
  const files = filesOf(batch.toSorted((a, b) => a.row.order - b.row.order))
  const isCopied =
    chosen['copy-when-done'] === '1' && !data.isCollecting && (await copyFiles(files, document.body))
  const said = words.count(data.words.uploaded, files.length)
  showToast(isCopied ? `${said} ${data.words.copied}` : said)
}
