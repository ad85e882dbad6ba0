/** Asks in the dialog of the page; false if it is closed in any other way. */
export async function ask(question: string, yes: string): Promise<boolean> {
  const dialog = document.getElementById('select-ask')
  const title = document.getElementById('select-ask-title')
  if (!(dialog instanceof HTMLDialogElement) || !title) return false
  title.textContent = question
  const button = dialog.querySelector<HTMLButtonElement>('[value=yes]')
  if (button) button.textContent = yes
  dialog.returnValue = ''
  const { promise, resolve } = Promise.withResolvers<string>()
  dialog.addEventListener('close', () => resolve(dialog.returnValue), { once: true })
  dialog.showModal()
  return (await promise) === 'yes'
}
