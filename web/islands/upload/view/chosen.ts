import type { UploadedFile } from '../../../../src/common/wire.ts'
import { readChoice, readStored, writeStored } from '../../../behaviour/stored-choices.ts'
import type { Format, Size } from '../codes.ts'
import type { Item } from '../queue/row.ts'
import { useUploadContext } from './upload-context.ts'

/** The last one only where the account has a template. */
export const formats: readonly Format[] = (
  ['link', 'page', 'markdown', 'html', 'bbcode', 'own'] as const
).filter((format) => format !== 'own' || document.body.dataset.template !== undefined)
export const sizes: readonly Size[] = ['full', 'medium', 'thumb']

/** Format and size used last, on any page of this browser, and whether links are copied as soon as they are there. */
export const chosen: { format: Format; size: Size; 'copy-when-done': '0' | '1' } = {
  format: formats.find((each) => each === readChoice('format')) ?? 'link',
  size: sizes.find((each) => each === readChoice('size')) ?? 'full',
  'copy-when-done': readStored('copy-when-done') === '1' ? '1' : '0',
}

export function choose<Name extends keyof typeof chosen>(name: Name, value: (typeof chosen)[Name]): void {
  chosen[name] = value
  writeStored(name, value)
  useUploadContext().redraw()
}

/** In the order of the rows. */
export const filesOf = (items: readonly Item[]): UploadedFile[] => items.flatMap(({ row }) => row.file ?? [])

/** Loaded with the first stored file. */
const loadCopying = () => import('../copying.ts')

/** Copies the links of files in the format and size used last. */
export async function copyFiles(files: readonly UploadedFile[], near: HTMLElement): Promise<boolean> {
  const copying = await loadCopying()
  return copying.copyFiles(files, { ...chosen, near })
}

/** The same, and announces whether it worked. */
export async function copyAndAnnounce(files: readonly UploadedFile[], near: HTMLElement): Promise<void> {
  const isDone = await copyFiles(files, near)
  ;(await loadCopying()).showCopied(isDone)
}
