import { fillText } from '../../../behaviour/format-text.ts'
import { showToast } from '../../../behaviour/toast.ts'
import { formOf } from './calls.ts'
import type { ActionContext } from './selection.ts'

/** Sends a form, so that the browser streams the download to the disk. */
export async function zipSelected({ selection, data, root }: ActionContext): Promise<void> {
  const { mostZipped, words } = data
  if (selection.count > mostZipped) return showToast(fillText(words.tooManyForZip, { count: mostZipped }))
  const form = formOf(root, '/-/zip', { ids: [...selection.batches(mostZipped)].flat().join() })
  form.submit()
  form.remove()
}
