interface Undo {
  label: string
  run: () => void
  /** 10 seconds by default. */
  forMs?: number
}

/** With Undo it stays for 10 seconds, as long as the change can be taken back; without for 4. */
export function showToast(text: string, undo?: Undo): void {
  // What stands below a modal dialog is neither seen nor read aloud.
  const list = document.querySelector('dialog:modal .toasts') ?? document.querySelector('body > .toasts')
  if (!list) return
  const toast = document.createElement('div')
  toast.className = 'toast'
  const words = document.createElement('span')
  words.textContent = text
  toast.append(words)
  if (undo) {
    const button = document.createElement('button')
    button.className = 'button'
    button.textContent = undo.label
    button.addEventListener('click', () => {
      toast.remove()
      undo.run()
    })
    toast.append(button)
  }
  list.replaceChildren(toast)
  setTimeout(() => toast.remove(), undo ? (undo.forMs ?? 10_000) : 4_000)
}
