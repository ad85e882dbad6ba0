import { readStored } from './stored-choices.ts'

type Dropped = File | FileSystemDirectoryEntry | string

/** Files and addresses that are dropped or pasted on any page go into the queue, which is loaded with the first. */
export function startUploads(): void {
  const { body } = document
  if (body.dataset.drop === undefined) return
  const open = async (sources: readonly Dropped[]) => {
    const { openUploads } = await import('../islands/upload/index.tsx')
    await (await openUploads())?.(sources)
  }
  // The queue of the upload page is there before the line is cut; an unfinished one goes on on any page.
  const page = document.querySelector('[data-island=upload]')
  // If the queue cannot be loaded, the form is sent by its button.
  if (page || readStored('uploads') === 'open') open([]).catch(() => page?.classList.add('is-plain'))

  document.addEventListener('paste', ({ clipboardData, target }) => {
    const files = [...(clipboardData?.files ?? [])]
    const isTyping = target instanceof Element && target.closest('input, textarea, [contenteditable]')
    const text = isTyping ? '' : (clipboardData?.getData('text/plain').trim() ?? '')
    if (files.length > 0) void open(files)
    else if (/^https?:\/\/\S+$/i.test(text)) void open([text])
  })
  const show = (event: DragEvent, isOver: boolean) => {
    if (!event.dataTransfer?.types.includes('Files') || isFileField(event.target)) return false
    event.preventDefault()
    body.classList.toggle('is-dropping', isOver)
    return true
  }
  document.addEventListener('dragover', (event) => show(event, true))
  document.addEventListener('dragleave', (event) => event.relatedTarget === null && show(event, false))
  document.addEventListener('drop', (event) => {
    if (show(event, false)) void open(droppedIn(event.dataTransfer))
  })
}

/** Files that are dropped on a field are the field's. */
const isFileField = (target: EventTarget | null) =>
  target instanceof HTMLInputElement && target.type === 'file'

/** Read at once: after the event the browser takes its items back. */
const droppedIn = (transfer: DataTransfer | null): Dropped[] =>
  [...(transfer?.items ?? [])].flatMap((item) => {
    const entry = item.webkitGetAsEntry()
    return entry?.isDirectory ? (entry as FileSystemDirectoryEntry) : (item.getAsFile() ?? [])
  })
