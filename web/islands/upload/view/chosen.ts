import { signal } from '@preact/signals'
import type { UploadedFile } from '../../../../src/common/wire.ts'
import { readChoice, readStored, writeStored } from '../../../behaviour/stored-choices.ts'
import type { Format, Size } from '../codes.ts'

/** The last one only where the account has a template. */
export const formats: readonly Format[] = (
  ['link', 'page', 'markdown', 'html', 'bbcode', 'own'] as const
).filter((format) => format !== 'own' || document.body.dataset.template !== undefined)
export const sizes: readonly Size[] = ['full', 'medium', 'thumb']

/** Format and size used last, on any page of this browser. */
export const chosenFormat = signal<Format>(formats.find((each) => each === readChoice('format')) ?? 'link')
export const chosenSize = signal<Size>(sizes.find((each) => each === readChoice('size')) ?? 'full')
export const copiesWhenDone = signal(readStored('copy-when-done') === '1')

export function chooseFormat(format: Format): void {
  chosenFormat.value = format
  writeStored('format', format)
}

export function chooseSize(size: Size): void {
  chosenSize.value = size
  writeStored('size', size)
}

export function chooseCopying(isOn: boolean): void {
  copiesWhenDone.value = isOn
  writeStored('copy-when-done', isOn ? '1' : '0')
}

/** Loaded with the first stored file. */
const loadCopying = () => import('../copying.ts')

/** Copies the links of files in the format and size used last. */
export async function copyFiles(files: readonly UploadedFile[], near: HTMLElement): Promise<boolean> {
  const copying = await loadCopying()
  return copying.copyFiles(files, { format: chosenFormat.peek(), size: chosenSize.peek(), near })
}

/** The same, and announces whether it worked. */
export async function copyAndAnnounce(files: readonly UploadedFile[], near: HTMLElement): Promise<void> {
  const isDone = await copyFiles(files, near)
  ;(await loadCopying()).showCopied(isDone)
}
