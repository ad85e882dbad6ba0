import type { UploadedFile } from '../../../src/common/wire.ts'
import { copyText } from '../../behaviour/copy.ts'
import { codeOf, type Format, type Size } from './codes.ts'

interface Copying {
  format: Format
  size: Size
  near: HTMLElement
}

/** Copies the links of files, one on each line. */
export const copyFiles = (
  files: readonly UploadedFile[],
  { format, size, near }: Copying,
): Promise<boolean> => copyText(files.map((file) => codeOf(file, format, size)).join('\n'), near)

export { showCopied } from '../../behaviour/copy.ts'
