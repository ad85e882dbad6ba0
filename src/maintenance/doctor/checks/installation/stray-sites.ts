import type { Storage } from '../../../../storage/index.ts'
import { findSiteRecord } from '../../../site-records-table.ts'
import type { Installation } from '../../check.ts'
import type { Note } from '../../finding.ts'

export async function checkStraySites({ app, inspector }: Installation, note: Note): Promise<void> {
  const isKnown = async (site: number) =>
    (await findSiteRecord(app.control.store.control, site)) !== undefined
  const todo =
    'Check whether another installation shares this database or storage. If none does, remove them by hand.'
  for (const site of await inspector.sites()) {
    if (await isKnown(site)) continue
    await note({
      isFault: true,
      key: `site ${site}`,
      says: 'There are tables of an unknown site.',
      todo,
    })
  }
  for (const root of ['sites', 'bytes']) {
    for await (const { site, key } of foldersWithBytes(app.storage, root)) {
      if (await isKnown(site)) continue
      await note({ isFault: true, key, says: 'There are bytes of an unknown site.', todo })
    }
  }
}

/** The highest code point: sorts behind every key of a site. */
const last = '\u{10ffff}'

/** One listing per folder, each starting behind the previous folder. After a move the folder is `site-generation`. */
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
    // On a disk the SQLite file of a site lies beside its files.
    const [file] = entry.key.startsWith(`${key}/`) ? [entry] : await storage.list(key, undefined, 1)
    if (file && /^[1-9][0-9]*(-[0-9]+)?$/.test(name)) yield { site: Number.parseInt(name, 10), key }
  }
}
