import { copyText, showCopied } from '../../../behaviour/copy.ts'
import { recallChoice } from '../../../behaviour/stored-choices.ts'
import { showToast } from '../../../behaviour/toast.ts'
import { codeOf, type Format, ownTemplate, type Size } from '../../upload/codes.ts'
import type { Acting } from './actions.ts'
import { batchSize, type FileObject, filesOf } from './calls.ts'

/** The address of protected bytes is signed and ends; then the address of the page is copied. */
const isProtected = ({ url }: FileObject) => new URL(url).searchParams.has('s')

/** Copies the links of the selected files in the format used last, one on each line. */
export async function copySelected({ selection, data, button }: Acting): Promise<void> {
  const files: FileObject[] = []
  try {
    for await (const ids of selection.batches(batchSize)) files.push(...(await filesOf(ids)))
  } catch {
    return showToast(data.words.noConnection)
  }
  const kept = (recallChoice('format') ?? 'link') as Format
  const format = kept === 'own' && ownTemplate() === '' ? 'link' : kept
  const size = (recallChoice('size') ?? 'full') as Size
  const codes = files.map((file) => codeOf(file, isProtected(file) ? 'page' : format, size))
  const isDone = await copyText(codes.join('\n'), button)
  if (isDone && files.some(isProtected)) showToast(data.words.copyProtected)
  else showCopied(isDone)
}
