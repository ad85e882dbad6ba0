import { titleOr } from '../../../common/texts.ts'
import { fileNameOf, type StoredFile } from '../../../media/index.ts'

/** The title, else the file name. */
export function titleOf(file: StoredFile): string {
  return titleOr(fileNameOf(file), file.title)
}
