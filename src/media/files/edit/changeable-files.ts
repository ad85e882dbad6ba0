import { notYourFile } from '../../errors.ts'
import type { Visibility } from '../../visibility.ts'
import type { StoredFile } from '../stored-file.ts'

/** Refuses a change of a file that the caller sees but may not change. */
export function checkMayChange(visibility: Visibility, file: StoredFile): void {
  if (!mayChange(visibility, file)) throw notYourFile()
}

export function mayChange({ seesAll, userId, albumId }: Visibility, file: StoredFile): boolean {
  const isInReach = albumId === undefined || file.albumId === albumId
  return seesAll || (userId !== undefined && file.userId === userId && isInReach)
}
