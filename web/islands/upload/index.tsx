import { effect } from '@preact/signals'
import { render } from 'preact'
import type { UploadData } from '../../../src/common/wire.ts'
import { writeStored } from '../../behaviour/stored-choices.ts'
import { showToast } from '../../behaviour/toast.ts'
import { readData } from './data.ts'
import { type Add, startForm } from './form.ts'
import { type Formatter, formatter } from './formatter.ts'
import { openQueue, type Queue } from './queue/queue.ts'
import { openQueueStorage, type QueueStorage } from './queue/queue-storage.ts'
import type { Item } from './queue/row.ts'
import { openTabs } from './queue/tabs.ts'
import { copiesWhenDone, copyFiles } from './view/chosen.ts'
import { storedFiles } from './view/copy-bar.tsx'
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
  const queue = await openQueue({
    data,
    storage,
    tabs: openTabs(),
    onDone: (item) => finish(item, { data, storage, queue, words }),
  })
  setUploadContext({ data, queue, formatter: words })
  if (page) render(<QueueView />, page.querySelector('.queue') as Element)
  else openDock()
  // Any page goes on with unfinished rows; the upload page also shows the finished ones.
  effect(() => {
    const { open: unfinished, all } = queue.counts.value
    writeStored('uploads', unfinished > 0 ? 'open' : all > 0 ? 'done' : '')
  })
  addEventListener('beforeunload', (event) => {
    if (queue.isLeaveGuarded()) event.preventDefault()
  })
  return page ? startForm(page, { queue, data }) : (sources) => queue.add(sources, data.defaults)
}

interface Finishing {
  data: UploadData
  storage: QueueStorage
  queue: Queue
  words: Formatter
}

/** Guests have no account that lists their files, so the browser keeps their delete links. */
function finish(item: Item, { data, storage, queue, words }: Finishing): void {
  const { name, file } = item.row.peek()
  if (data.owner === 'guest' && file?.delete_url)
    void storage.put('own', { id: file.id, at: Date.now(), name, file })
  const { open, done } = queue.counts.peek()
  if (open > 0) return
  const said = words.count(data.words.uploaded, done)
  const copying =
    copiesWhenDone.peek() && !data.isCollecting
      ? copyFiles(storedFiles(queue), document.body)
      : Promise.resolve(false)
  void copying.then((isCopied) => showToast(isCopied ? `${said} ${data.words.copied}` : said))
}
