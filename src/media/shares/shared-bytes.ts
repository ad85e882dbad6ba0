import type { Site } from '../../site/index.ts'
import { fileNotFound } from '../errors.ts'
import type { StoredFile } from '../files/stored-file.ts'
import { isEnded, isLetterBox, shareEnded } from './share-rules.ts'
import { findShare } from './shares-table.ts'

interface SharedBytes {
  shareId: string
  file: Pick<StoredFile, 'id' | 'albumId'>
  isOriginal: boolean
}

/**
 * Refuses bytes whose address names a share: as gone if it has ended, or no longer has the file; as unknown if it does not
 * give them. A share that is used up still serves those who are in.
 */
export async function checkSharedBytes(
  site: Site,
  { shareId, file, isOriginal }: SharedBytes,
): Promise<void> {
  const share = await findShare(site.db, shareId)
  if (!share || isEnded(share, site.clock.now())) throw shareEnded()
  const hasFile = share.fileId === undefined ? share.albumId === file.albumId : share.fileId === file.id
  if (!hasFile) throw shareEnded()
  if (isLetterBox(share) || (isOriginal && !share.allowsDownload)) throw fileNotFound()
}
