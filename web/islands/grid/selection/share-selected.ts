import { fillText } from '../../../behaviour/format-text.ts'
import { sendForm } from '../../../behaviour/read-page.ts'
import { showShares } from '../../../behaviour/sharing.ts'
import { showToast } from '../../../behaviour/toast.ts'
import { formOf } from './calls.ts'
import type { ActionContext } from './selection.ts'

const dialogId = 'share-files'

/** Shows the page that the form of the list leads to in the dialog of shares. */
export async function shareSelected({ selection, data, root }: ActionContext): Promise<void> {
  const { mostShared, words } = data
  if (selection.count > mostShared) return sayLimit(fillText(words.tooManyForShare, { count: mostShared }))
  const ids = [...selection.batches(mostShared)].flat().join()
  const form = formOf(root, '/mine/selected', { action: 'share', ids, to: location.pathname })
  const page = await sendForm(form)
  if (!page) showToast(words.noConnection)
  else if (!showShares(dialogId, page)) form.submit()
  form.remove()
}

function sayLimit(text: string): void {
  const dialog = document.getElementById(dialogId)
  if (!(dialog instanceof HTMLDialogElement)) return
  const line = document.createElement('p')
  line.textContent = text
  dialog.querySelector('.share-content')?.replaceChildren(line)
  dialog.showModal()
}
