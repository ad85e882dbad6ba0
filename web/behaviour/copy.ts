import { readChoice, writeStored } from './stored-choices.ts'
import { showToast } from './toast.ts'

const all = <T extends Element>(selector: string, root: ParentNode = document) => [
  ...root.querySelectorAll<T>(selector),
]

/** Shows the copy buttons, and the bar that copies in the format used last. */
export function startCopying(root: ParentNode = document): void {
  for (const field of all<HTMLInputElement>('.code input', root)) {
    field.addEventListener('focus', () => field.select())
  }
  for (const button of all<HTMLButtonElement>('[data-copy]', root)) {
    const field = document.getElementById(button.dataset.copy ?? '')
    if (!(field instanceof HTMLInputElement)) continue
    button.hidden = false
    button.addEventListener('click', () => copy(field, button))
  }
  for (const bar of all<HTMLElement>('.copy-bar', root)) startBar(bar)
}

/** Formats and sizes are radio buttons; the text is that of the field with both. */
function startBar(bar: HTMLElement): void {
  const names = ['format', 'size'] as const
  for (const name of names) {
    const kept = all<HTMLInputElement>(`[name=${name}]`, bar).find(({ value }) => value === readChoice(name))
    if (kept) kept.checked = true
  }
  const chosen = (name: string) => bar.querySelector<HTMLInputElement>(`[name=${name}]:checked`)?.value ?? ''
  bar.addEventListener('change', () => {
    for (const name of names) writeStored(name, chosen(name))
  })
  bar.querySelector('button')?.addEventListener('click', ({ currentTarget }) => {
    const [format, size] = names.map(chosen)
    const fields = all<HTMLInputElement>(`input[data-format=${format}]`)
    const field = fields.find((each) => each.dataset.size === size) ?? fields[0]
    if (field) void copy(field, currentTarget as HTMLButtonElement)
  })
  bar.hidden = false
}

async function copy(field: HTMLInputElement, button: HTMLButtonElement): Promise<void> {
  const isDone = await copyText(field.value, button)
  if (!isDone) {
    field.closest('details')?.setAttribute('open', '')
    field.focus()
  }
  showCopied(isDone)
}

export function showCopied(isDone: boolean): void {
  const { copied = '', copyByHand = '' } = document.body.dataset
  showToast(isDone ? copied : copyByHand)
}

/** On plain http browsers have no clipboard for scripts; then the old command, beside the element that has the focus. */
export async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  try {
    if (!navigator.clipboard) return copyByCommand(text, near)
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** A folded field cannot be selected, so its text is selected outside of it. */
function copyByCommand(text: string, near: HTMLElement): boolean {
  const shown = document.createElement('textarea')
  shown.value = text
  shown.className = 'only-read'
  near.after(shown)
  shown.select()
  const isDone = document.execCommand('copy')
  shown.remove()
  near.focus()
  return isDone
}
