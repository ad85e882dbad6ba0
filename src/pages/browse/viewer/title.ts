import { fileNameOf, type StoredFile } from '../../../media/index.ts'

/** The title, else the file name. */
export function titleOf(file: StoredFile): string {
  return file.title && /[^\s\p{C}]/u.test(file.title) ? file.title : fileNameOf(file)
}
