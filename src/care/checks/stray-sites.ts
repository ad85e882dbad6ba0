import type { Storage } from '../../storage/index.ts'
import type { Installation } from '../check.ts'
import type { Note } from '../finding.ts'
import { findKnownSite } from '../known-sites-table.ts'

export async function checkStraySites({ app, inspector }: Installation, note: Note): Promise<void> {
  const isKnown = async (site: number) => (await findKnownSite(app.control.store.control, site)) !== undefined
  const todo =
    'Look whether another installation shares this place. If none does, they can be removed by hand.'
  for (const site of await inspector.sites()) {
    if (await isKnown(site)) continue
    await note({
      isFault: true,
      key: `site ${site}`,
      says: 'There are tables of a site that nobody knows.',
      todo,
    })
  }
  for (const root of ['sites', 'bytes']) {
    for await (const { site, key } of foldersWithBytes(app.storage, root)) {
      if (await isKnown(site)) continue
      await note({ isFault: true, key, says: 'There are bytes of a site that nobody knows.', todo })
    }
  }
}

/** The highest character: no key of a site comes behind it. */
const last = '\u{10ffff}'

/** One look for each folder, from the end of the one before. Those of a move have its number behind the site's. */
async function* foldersWithBytes(
  storage: Storage,
  root: string,
): AsyncGenerator<{ site: number; key: string }> {
  for (let after: string | undefined; ; ) {
    const [entry] = await storage.list(root, after, 1)
    if (!entry) return
    const [, name = ''] = entry.key.split('/')
    after = `${root}/${name}/${last}`
    const key = `${root}/${name}/files`
    // On a disk the tables of a site stand beside its files.
    const [file] = entry.key.startsWith(`${key}/`) ? [entry] : await storage.list(key, undefined, 1)
    if (file && /^[1-9][0-9]*(-[0-9]+)?$/.test(name)) yield { site: Number.parseInt(name, 10), key }
  }
}
