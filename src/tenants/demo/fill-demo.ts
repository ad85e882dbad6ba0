import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Actor, findUserByName } from '../../accounts/index.ts'
import type { Control } from '../../control/index.ts'
import { createAlbum, emptyUploadRequest, uploadFile } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { openSite } from '../open-site.ts'
import { changeSite } from '../stats/sync-stats.ts'
import { readTenant } from '../tenants.ts'
import { type DemoPicture, demoAlbums } from './demo-albums.ts'
import { drawnPng } from './draw-picture.ts'

interface Filling {
  /** Where the drawn pictures are put for the upload. */
  spoolFolder: string
  /** Stops between two pictures. */
  signal: AbortSignal
}

/**
 * Uploads the pictures of the demo site as its administrator. It is done while the site is already in use: if the server is
 * stopped meanwhile, the remaining pictures are never made.
 */
export async function fillDemo(
  control: Control,
  id: string,
  username: string,
  filling: Filling,
): Promise<void> {
  await using site = await openSite(control, await readTenant(control, id))
  const user = await findUserByName(site.db, username)
  if (!user) return
  const actor: Actor = { kind: 'user', userId: user.id, role: user.role }
  // The newest is shown first, so the last one is uploaded first.
  for (const { pictures, ...texts } of demoAlbums.toReversed()) {
    const wanted = { ...texts, username, privacy: 'public' } as const
    const album = await changeSite(control, site, (changing) => createAlbum(changing, wanted))
    for (const picture of pictures.toReversed()) {
      if (filling.signal.aborted) return
      await addPicture(control, site, { actor, picture, albumId: album.id, ...filling })
    }
  }
}

interface Adding extends Filling {
  actor: Actor
  picture: DemoPicture
  albumId: string
}

async function addPicture(control: Control, site: Site, adding: Adding): Promise<void> {
  const { actor, picture, albumId, spoolFolder, signal } = adding
  const { title, description, tags } = picture
  const bytes = await drawnPng(picture)
  const folder = await mkdtemp(join(spoolFolder, 'demo-'))
  try {
    const path = join(folder, 'picture')
    await writeFile(path, bytes, { mode: 0o600 })
    const md5 = createHash('md5').update(bytes).digest('hex')
    const source = { path, sizeBytes: bytes.length, md5, name: `${title}.png` }
    const request = { ...emptyUploadRequest, title, description, tags, albumId }
    const upload = { source, request, address: '127.0.0.1', signal }
    await changeSite(control, site, (changing) => uploadFile(changing, actor, upload))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
