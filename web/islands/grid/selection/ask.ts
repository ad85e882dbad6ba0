/** Asks in the dialog of the page; false if it is closed in any other way. */
export async function ask(question: string, yes: string): Promise<boolean> {
  const dialog = document.getElementById('select-ask')
  const title = document.getElementById('select-ask-title')
  if (!(dialog instanceof HTMLDialogElement) || !title) return false
  title.textContent = question
  const button = dialog.querySelector<HTMLButtonElement>('[value=yes]')
  if (button) button.textContent = yes
  return (await shown(dialog)) === 'yes'
}

/** Opens a dialog and answers with its value once it is closed. */
export async function shown(dialog: HTMLDialogElement): Promise<string> {
  dialog.returnValue = ''
  const { promise, resolve } = Promise.withResolvers<string>()
  dialog.addEventListener('close', () => resolve(dialog.returnValue), { once: true })
  dialog.showModal()
  return promise
}
