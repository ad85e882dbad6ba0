import type { CopyWords } from '../../../../src/common/wire.ts'
import { copyText, showCopied } from '../../../behaviour/copy.ts'
import { readChoice } from '../../../behaviour/stored-choices.ts'
import { showToast } from '../../../behaviour/toast.ts'
import { codeOf, type Format, ownTemplate, type Size } from '../../upload/codes.ts'
import { batchSize, type FileObject, filesOf } from './calls.ts'
import type { ActionContext } from './selection.ts'

/** The address of protected bytes is signed and ends; then the address of the page is copied. */
const isProtected = ({ url }: FileObject) => new URL(url).searchParams.has('s')

/** Copies the links of the selected files in the format used last, one on each line. */
export const copySelected = ({ selection, data, button }: ActionContext): Promise<void> =>
  copyFiles(selection.batches(batchSize), data.words, { near: button, otherwise: '' })

interface Place {
  /** The button that was pressed. */
  near: HTMLElement
  /** What is copied of files that the API does not list, such as those of an album that has its link only. */
  otherwise: string
}

export async function copyFiles(
  batches: Iterable<string[]>,
  words: Pick<CopyWords, 'copyProtected' | 'noConnection'>,
  { near, otherwise }: Place,
): Promise<void> {
  const files: FileObject[] = []
  try {
    for (const ids of batches) files.push(...(await filesOf(ids)))
  } catch {
    return showToast(words.noConnection)
  }
  const lastUsed = (readChoice('format') ?? 'link') as Format
  const format = lastUsed === 'own' && ownTemplate() === '' ? 'link' : lastUsed
  const size = (readChoice('size') ?? 'full') as Size
  const codes = files.map((file) => codeOf(file, isProtected(file) ? 'page' : format, size))
  const isDone = await copyText(codes.length > 0 ? codes.join('\n') : otherwise, near)
  if (isDone && files.some(isProtected)) showToast(words.copyProtected)
  else showCopied(isDone)
}
