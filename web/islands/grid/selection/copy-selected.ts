import { copyText, showCopied } from '../../../behaviour/copy.ts'
import { readChoice } from '../../../behaviour/stored-choices.ts'
import { showToast } from '../../../behaviour/toast.ts'
import { codeOf, type Format, ownTemplate, type Size } from '../../upload/codes.ts'
import { batchSize, type FileObject, filesOf } from './calls.ts'
import type { ActionContext } from './selection.ts'

/** The address of protected bytes is signed and ends; then the address of the page is copied. */
const isProtected = ({ url }: FileObject) => new URL(url).searchParams.has('s')

/** Copies the links of the selected files in the format used last, one on each line. */
export async function copySelected({ selection, data, button }: ActionContext): Promise<void> {
  const files: FileObject[] = []
  try {
    for (const ids of selection.batches(batchSize)) files.push(...(await filesOf(ids)))
  } catch {
    return showToast(data.words.noConnection)
  }
  const lastUsed = (readChoice('format') ?? 'link') as Format
  const format = lastUsed === 'own' && ownTemplate() === '' ? 'link' : lastUsed
  const size = (readChoice('size') ?? 'full') as Size
  const codes = files.map((file) => codeOf(file, isProtected(file) ? 'page' : format, size))
  const isDone = await copyText(codes.join('\n'), button)
  if (isDone && files.some(isProtected)) showToast(data.words.copyProtected)
  else showCopied(isDone)
}
