import { type Caller, checkStillKnown, type UserCaller } from '../../../accounts/index.ts'
import { inTransaction, type SiteDb } from '../../../db/index.ts'
import { addToTotal, type ChangingSite, recordChange, type Site } from '../../../site/index.ts'
import { tagNotFound } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { reindexFilesOfIds } from '../../search/index-file.ts'
import { sortForm } from '../../search/words.ts'
import { visibilityOf } from '../../visibility.ts'
import { updateFiles } from '../files-table.ts'
import {
  type CountedTag,
  deleteTag,
  filesOfTag,
  hasTag,
  insertTag,
  moveFileTags,
  type TagPosition,
  tagsAfter,
} from './tags-table.ts'

/** A page of the tags of files that the caller may list, in order. */
export async function listTags(
  site: Site,
  caller: Caller,
  { beginning, ...page }: { beginning: string | undefined; after: TagPosition | undefined; limit: number },
): Promise<CountedTag[]> {
  const prefix = beginning === undefined ? undefined : sortForm(beginning)
  return tagsAfter(site.db, await visibilityOf(site, caller), { ...page, prefix }, site.clock.now())
}

/** Renames a tag. If there is a tag of the new name, the two become one. */
export async function renameTag(
  site: ChangingSite,
  caller: UserCaller,
  { name, to }: { name: string; to: string },
): Promise<CountedTag> {
  if (to !== name) await emptyInParts(site, caller, { name, to })
  return inTags(site, caller, async (db) => {
    if (!(await hasTag(db, name))) throw tagNotFound(name)
    if (to !== name) {
      const isMerged = !(await insertTag(db, to, site.clock.now()))
      if (isMerged) await addToTotal(db, 'tags', -1)
      await emptyTag({ ...site, db }, { name, to })
      await recordChange(
        { ...site, db },
        {
          verb: 'tag.updated',
          target: name,
          before: { name, isMerged: false },
          after: { name: to, isMerged },
        },
      )
    }
    const visibility = await visibilityOf({ ...site, db }, caller)
    const [tag] = await tagsAfter(db, visibility, { name: to, limit: 1 }, site.clock.now())
    return tag ?? { name: to, form: sortForm(to), files: 0 }
  })
}

/** Deletes a tag. Its files stay. */
export async function removeTag(site: ChangingSite, caller: UserCaller, name: string): Promise<void> {
  await emptyInParts(site, caller, { name, to: undefined })
  await inTags(site, caller, async (db) => {
    if (!(await hasTag(db, name))) throw tagNotFound(name)
    await addToTotal(db, 'tags', -1)
    await emptyTag({ ...site, db }, { name, to: undefined })
    await recordChange({ ...site, db }, { verb: 'tag.deleted', target: name, before: { name } })
  })
}

/** Under the site lock: an upload with the tag is committed before, or finds the tags as they are afterwards. */
function inTags<T>(site: ChangingSite, caller: UserCaller, change: (db: SiteDb) => Promise<T>): Promise<T> {
  return inTransaction(site.db, async (db) => {
    await lockSite(db)
    await checkStillKnown(db, caller, site.clock.now())
    return change(db)
  })
}

const filesAtOnce = 500

/** The files of `name` get the tag `to`, or only lose theirs. */
interface TagChange {
  name: string
  to: string | undefined
}

/**
 * Changes the files of a large tag in many transactions, so that uploads need not wait for all of them. The last part is left, and
 * goes with the tag itself. If it is stopped halfway, both tags are there, and the same change goes on where it was.
 */
async function emptyInParts(site: ChangingSite, caller: UserCaller, change: TagChange): Promise<void> {
  let after: string | undefined = ''
  while (after !== undefined) {
    const from: string = after
    after = await inTags(site, caller, async (db) => {
      const ids = await filesOfTag(db, change.name, { after: from, limit: filesAtOnce })
      if (ids.length < filesAtOnce) return undefined
      const { to } = change
      if (to !== undefined && (await insertTag(db, to, site.clock.now()))) {
        await addToTotal(db, 'tags', 1)
        await recordNewTag({ ...site, db }, to)
      }
      await changeFiles({ ...site, db }, ids, change)
      return ids.at(-1)
    })
  }
}

async function emptyTag(site: ChangingSite, change: TagChange): Promise<void> {
  for (;;) {
    const ids = await filesOfTag(site.db, change.name, { limit: filesAtOnce })
    if (ids.length === 0) break
    await changeFiles(site, ids, change)
  }
  await deleteTag(site.db, change.name)
}

/** For each file that is an edit. */
async function changeFiles(
  { db, clock }: ChangingSite,
  ids: readonly string[],
  { name, to }: TagChange,
): Promise<void> {
  await moveFileTags(db, ids, { from: name, to })
  await updateFiles(db, ids, {}, clock.now())
  await reindexFilesOfIds(db, ids)
}

/** Records a new tag in the audit log, by hand or with an upload. Part of the caller's transaction. */
export const recordNewTag = (site: ChangingSite, name: string): Promise<void> =>
  recordChange(site, { verb: 'tag.created', target: name, after: { name } })
