import type { Actor } from '../accounts/index.ts'
import { inTransaction } from '../db/index.ts'
import type { Settings, Site } from '../site/index.ts'
import { newDeleteToken, withToken } from './delete-token.ts'
import { duplicatedUpload } from './errors.ts'
import { findDeleteHashes, findDuplicate, updateDeleteHashes } from './files-table.ts'
import { waitInLine } from './line.ts'
import type { StoredFile } from './stored-file.ts'
import { tagsOfFile } from './tags-table.ts'
import type { Upload, Uploaded } from './upload.ts'

const duplicateMs = 24 * 60 * 60_000

export interface Asked {
  actor: Actor
  upload: Upload
  settings: Settings
}

/** The file that the same uploader has sent these bytes for, where the site answers with it: nothing where it does not mind. */
export async function findExisting(site: Site, asked: Asked): Promise<Uploaded | undefined> {
  const file = await findTwin(site, asked)
  if (!file) return undefined
  return inTransaction(site.db, async (db) => {
    await waitInLine(db)
    const hashes = await findDeleteHashes(db, file.id)
    if (hashes === undefined) return undefined
    // Only hashes are known of the tokens told before, so that the answer tells a new one; the others stay good.
    const { token, tokenHash } = newDeleteToken()
    await updateDeleteHashes(db, file.id, withToken(hashes, tokenHash))
    return { file, tags: await tagsOfFile(db, file.id), deleteToken: token }
  })
}

async function findTwin(site: Site, { actor, upload, settings }: Asked): Promise<StoredFile | undefined> {
  if (settings.duplicates === 'allow') return undefined
  const now = site.clock.now()
  const file = await findDuplicate(site.db, {
    sourceMd5: upload.spooled.md5,
    userId: actor.kind === 'user' ? actor.userId : undefined,
    uploaderAddress: upload.address,
    since: new Date(now.getTime() - duplicateMs),
    now,
  })
  if (file && settings.duplicates === 'reject') throw duplicatedUpload()
  return file
}
