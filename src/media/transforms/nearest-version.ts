import { kindsShownIn } from '../../imaging/index.ts'
import type { ServedFile } from '../files/reading/served-files-table.ts'
import type { StoredVariant } from '../files/stored-file.ts'

const shownKinds = new Set(kindsShownIn('browsers'))

/**
 * What is sent in place of a picture that cannot be made now: the smallest version at least as wide, else the largest that browsers
 * show. Undefined is the file itself, which not everybody may have.
 */
export function nearestVersion(
  { type, kind, width, variants }: Pick<ServedFile, 'type' | 'kind' | 'width' | 'variants'>,
  { width: wanted, mayBeWhole }: { width: number | undefined; mayBeWhole: boolean },
): StoredVariant | undefined {
  // The thumb is cropped, so it is the last choice.
  const uncropped = variants.filter(({ variant }) => variant !== 'thumb')
  const isShown = mayBeWhole && type === 'image' && shownKinds.has(kind)
  const choices = [...uncropped, ...(isShown ? [undefined] : [])].toSorted(
    (one, other) => widthOf(one) - widthOf(other),
  )
  const least = wanted ?? width
  const thumb = variants.find(({ variant }) => variant === 'thumb')
  function widthOf(version: StoredVariant | undefined): number {
    return version?.width ?? width
  }
  if (choices.length === 0) return thumb
  return choices.find((choice) => widthOf(choice) >= least) ?? choices.at(-1)
}
