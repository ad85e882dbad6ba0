import { fillText } from '../../../behaviour/format-text.ts'
import { showToast } from '../../../behaviour/toast.ts'
import type { ActionContext } from './selection.ts'

/** Sends a form, so that the browser streams the download to the disk. */
export async function zipSelected({ selection, data, root }: ActionContext): Promise<void> {
  const { mostZipped, words } = data
  if (selection.count > mostZipped) return showToast(fillText(words.tooManyForZip, { count: mostZipped }))
  const ids = [...selection.batches(mostZipped)].flat()
  const form = document.createElement('form')
  form.method = 'post'
  form.action = '/-/zip'
  form.hidden = true
  const csrf = root.querySelector<HTMLInputElement>('[name=csrf]')?.value ?? ''
  for (const [name, value] of Object.entries({ csrf, ids: ids.join(',') })) {
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name, value })
    form.append(field)
  }
  document.body.append(form)
  form.submit()
  form.remove()
}
