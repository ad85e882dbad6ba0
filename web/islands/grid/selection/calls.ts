import type { UploadedFile } from '../../../../src/common/wire.ts'
import { type BulkCall, type BulkOutcome, callBulk } from '../../../behaviour/bulk.ts'
import { askSite } from '../../../behaviour/island-data.ts'

export const batchSize = 200

/** A file as `GET /api/5/files` returns it, as far as a selection needs it. */
export interface FileObject extends UploadedFile {
  album_id: string | null
  category_id: number | null
  is_nsfw: boolean
  expires_at: string | null
  tags: readonly string[]
}

/** The files of a batch, in the order of their ids. */
export async function filesOf(ids: readonly string[]): Promise<FileObject[]> {
  const { data } = await askSite<{ data: FileObject[] }>(
    `/api/5/files?limit=${batchSize}&ids=${ids.join(',')}`,
  )
  const byId = new Map(data.map((file) => [file.id, file]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

export const changeBatch = (call: BulkCall): Promise<readonly BulkOutcome[]> => callBulk(call)

/** A form of the page that is sent as the browser does; the caller removes it. */
export function formOf(
  root: HTMLElement,
  action: string,
  fields: Readonly<Record<string, string>>,
): HTMLFormElement {
  const form = document.createElement('form')
  Object.assign(form, { method: 'post', action, hidden: true })
  const csrf = root.querySelector<HTMLInputElement>('[name=csrf]')?.value ?? ''
  for (const [name, value] of Object.entries({ csrf, ...fields })) {
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name, value })
    form.append(field)
  }
  document.body.append(form)
  return form
}
