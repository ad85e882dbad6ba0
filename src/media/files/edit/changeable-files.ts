import { notYourFile } from '../../errors.ts'
import type { Sight } from '../../sight.ts'
import type { StoredFile } from '../stored-file.ts'

/** Refuses a change of a file that the caller sees but may not change. */
export function checkMayChange({ seesAll, userId, albumId }: Sight, file: StoredFile): void {
  const isInReach = albumId === undefined || file.albumId === albumId
  if (!seesAll && (userId === undefined || file.userId !== userId || !isInReach)) throw notYourFile()
}
