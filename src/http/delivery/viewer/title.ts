import { fileNameOf, type StoredFile } from '../../../media/index.ts'

/** What the file is called where it must be called something. */
export function titleOf(file: StoredFile): string {
  return file.title && /[^\s\p{C}]/u.test(file.title) ? file.title : fileNameOf(file)
}
