import { createAlbum, Refused } from '../../../behaviour/bulk.ts'
import { drawing } from '../../../parts/drawing.ts'
import { type Change, changesIn } from './changes.ts'
import { findByTyping } from './find-album.ts'
import type { ActionContext } from './selection.ts'

type Send = (change: Change & { onTaken: () => void }) => Promise<void>

/** Asks for the values of a change. What is refused stands beside its field, and the dialog stays open with what was typed. */
export async function askFields(
  { data: { words }, icons }: ActionContext,
  action: string,
  send: Send,
): Promise<void> {
  const dialog = document.getElementById(`select-${action}`)
  const form = dialog?.querySelector('form')
  if (!(dialog instanceof HTMLDialogElement) || !form) return
  const closed = Promise.withResolvers<void>()
  const fields = form.elements
  let isSending = false

  async function save(form: HTMLFormElement, dialog: HTMLDialogElement): Promise<void> {
    showFaults(form, new Map(), icons)
    const title = fieldOf(fields, 'new_album')?.value.trim() ?? ''
    if (title !== '') addAlbum(fields, await createAlbum(title))
    const set = changesIn(new FormData(form))
    if (Object.keys(set).length === 0) return showFaults(form, new Map([['', words.nothingChosen]]), icons)
    const onTaken = () => {
      dialog.close()
      form.reset()
    }
    await send({ action: action === 'move' ? 'move' : 'edit', set, onTaken })
  }
  form.onsubmit = (event) => {
    event.preventDefault()
    if (isSending) return
    isSending = true
    save(form, dialog)
      .catch((error) => showFaults(form, faultsOf(error, form, words.noConnection), icons))
      .finally(() => {
        isSending = false
      })
  }
  dialog.onclose = () => closed.resolve()
  findByTyping(form, words.noAlbum)
  dialog.showModal()
  form.querySelector<HTMLElement>('.input:not([hidden] *)')?.focus()
  return closed.promise
}

const fieldOf = (fields: HTMLFormControlsCollection, name: string) =>
  fields.namedItem(name) as HTMLInputElement | HTMLSelectElement | null

/** A second try does not make a second album. */
function addAlbum(fields: HTMLFormControlsCollection, { id, title }: { id: string; title: string }): void {
  fieldOf(fields, 'album_id')?.append(new Option(title, id, true, true))
  const name = fieldOf(fields, 'new_album')
  if (name) name.value = ''
}

/** What is wrong, by the name of the field; under an empty name what concerns none. */
type Faults = ReadonlyMap<string, string>

/** Names of the API that the form has under another one. */
const namesInForm: Readonly<Record<string, string>> = { title: 'new_album', expires_at: 'expiration' }

function faultsOf(error: unknown, form: HTMLFormElement, noConnection: string): Faults {
  if (!(error instanceof Refused)) return new Map([['', noConnection]])
  const faults = new Map<string, string>()
  for (const { pointer = '', detail } of error.faults) {
    const [name = '', index] = pointer.replace(/^#\/(set\/)?/, '').split('/')
    const field = namesInForm[name] ?? name
    if (faults.has(field) || !form.elements.namedItem(field)) continue
    const entries = tagsIn(form, field)
    const entry = index === undefined || entries.length < 2 ? undefined : entries[Number(index)]
    faults.set(field, entry === undefined ? detail : `“${entry}”: ${detail}`)
  }
  return faults.size > 0 ? faults : new Map([['', error.message]])
}

const tagsIn = (form: HTMLFormElement, name: string): string[] =>
  (fieldOf(form.elements, name)?.value ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

/** As the server writes them, and the focus goes to the first. */
function showFaults(form: HTMLFormElement, faults: Faults, icons: string): void {
  for (const message of form.querySelectorAll('.fault')) message.remove()
  for (const input of form.querySelectorAll('[aria-invalid]')) {
    input.removeAttribute('aria-invalid')
    describe(input, undefined)
  }
  for (const [name, text] of [...faults].reverse()) {
    const message = document.createElement('p')
    message.className = 'fault'
    message.role = 'alert'
    const words = document.createElement('span')
    words.textContent = text
    message.append(drawing(`${icons}#warning`), words)
    const input = fieldOf(form.elements, name)
    if (!input) {
      form.querySelector('.actions')?.before(message)
      continue
    }
    message.id = `${input.id}-fault`
    input.ariaInvalid = 'true'
    describe(input, message.id)
    input.closest('.field')?.append(message)
    input.focus()
  }
}

/** Beside its hint, if it has one. */
function describe(input: Element, fault: string | undefined): void {
  const hint = document.getElementById(`${input.id}-hint`)?.id
  const ids = [hint, fault].filter((id) => id !== undefined)
  if (ids.length > 0) input.setAttribute('aria-describedby', ids.join(' '))
  else input.removeAttribute('aria-describedby')
}
