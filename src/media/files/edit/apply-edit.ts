import { limitReached } from '../../../accounts/index.ts'
import { type BrokenRule, broken } from '../../../lib/faults.ts'
import { addToTotal, type ChangingSite, limitOf, recordChanges } from '../../../site/index.ts'
import { type Album, findAlbum, type Privacy } from '../../albums/albums-table.ts'
import {
  adminsOnly,
  expirationPassed,
  notYourAlbumField,
  tooManyTags,
  unknownCategoryField,
} from '../../errors.ts'
import { reindexFiles } from '../../search/index-file.ts'
import type { Visibility } from '../../visibility.ts'
import { raiseAddressVersionsOf } from '../file-versions-table.ts'
import { sortedTitle, updateFiles } from '../files-table.ts'
import { hasCategory } from '../labels/categories-table.ts'
import { recordNewTag } from '../labels/tags.ts'
import { deleteFileTags, insertTag, insertTagsOfFiles, knownTags } from '../labels/tags-table.ts'
import type { ShownFile } from '../list/shown-columns-table.ts'

/** The fields of a file that an edit changes; null clears one. */
export interface FileEdit {
  title?: string | null
  description?: string | null
  /** All tags of the file; together with neither of the next two. */
  tags?: readonly string[]
  addTags?: readonly string[]
  removeTags?: readonly string[]
  categoryId?: number | null
  /** Moves the file. */
  albumId?: string | null
  isNsfw?: boolean
  isPrivate?: boolean
  expiresAt?: Date | null
  /** For administrators and managers. */
  date?: Date
  /** Ends every signed address of its bytes. */
  rotatesAddress?: boolean
}

export const longestFileText = { title: 100, description: 5_000, contributor: 100 }

/** Why a text cannot be the title, the description or the contributor; undefined if it can. */
export function fileTextFault(field: keyof typeof longestFileText, text: string): BrokenRule | undefined {
  const length = [...text].length
  if (length === 0 || length > longestFileText[field])
    return broken('length', { least: 1, most: longestFileText[field], length })
  return text.includes('\0') ? broken('nul') : undefined
}

/** An edit whose album and category exist. */
interface CheckedEdit {
  edit: FileEdit
  album: Album | undefined
}

/** Refuses an edit that this caller can make of no file. */
export async function checkEdit(
  site: ChangingSite,
  visibility: Visibility,
  edit: FileEdit,
): Promise<CheckedEdit> {
  const { albumId, categoryId } = edit
  if (edit.date !== undefined && !visibility.seesAll) throw adminsOnly('date')
  if (edit.expiresAt && edit.expiresAt <= site.clock.now()) throw expirationPassed()
  const isLeaving =
    albumId !== undefined && visibility.albumId !== undefined && albumId !== visibility.albumId
  const album = typeof albumId === 'string' ? await findAlbum(site.db, albumId) : undefined
  if (isLeaving || (typeof albumId === 'string' && !album)) throw notYourAlbumField()
  if (typeof categoryId === 'number' && !(await hasCategory(site.db, categoryId)))
    throw unknownCategoryField()
  return { edit, album }
}

/** Refuses the edit for one file: its album must belong to the owner of the file, unless an administrator moves it. */
export function checkEditOf(
  site: ChangingSite,
  visibility: Visibility,
  { checked, shown }: { checked: CheckedEdit; shown: ShownFile },
): void {
  const { album, edit } = checked
  if (album && !visibility.seesAll && album.userId !== shown.file.userId) throw notYourAlbumField()
  const most = limitOf(site.values, 'SERVICE_MAX_TAGS_PER_FILE')
  const count = tagsAfter(shown.tags, edit).length
  if (most !== undefined && count > most && count > shown.tags.length) throw tooManyTags(most, count)
}

/** Changes files that the caller may change, all in the same way. Part of the caller's transaction. */
export async function applyEdit(
  site: ChangingSite,
  files: readonly ShownFile[],
  edit: FileEdit,
): Promise<void> {
  const { title, description, categoryId, albumId, isNsfw, isPrivate, expiresAt, date } = edit
  if (files.length === 0) return
  await changeTags(site, files, edit)
  await raiseAddressVersionsOf(site.db, await idsWithNewAddresses(site, files, edit))
  await updateFiles(
    site.db,
    files.map(({ file }) => file.id),
    {
      ...(title !== undefined && { title, ...sortedTitle(title) }),
      ...(description !== undefined && { description }),
      ...(categoryId !== undefined && { categoryId }),
      ...(albumId !== undefined && { albumId }),
      ...(isNsfw !== undefined && { isNsfw: Number(isNsfw) }),
      ...(isPrivate !== undefined && { isPrivate: Number(isPrivate) }),
      ...(expiresAt !== undefined && { expiresAt: expiresAt?.toISOString() ?? null }),
      ...(date !== undefined && { date: date.toISOString() }),
    },
    site.clock.now(),
  )
  await recordEdits(site, files, edit)
  if (changesWords(edit))
    await reindexFiles(
      site.db,
      files.map(({ file, tags }) => ({
        file: {
          ...file,
          ...(title !== undefined && { title: title ?? undefined }),
          ...(description !== undefined && { description: description ?? undefined }),
        },
        tags: tagsAfter(tags, edit),
      })),
    )
}

const recordEdits = (site: ChangingSite, files: readonly ShownFile[], edit: FileEdit): Promise<void> => {
  const { tags: _tags, addTags: _added, removeTags: _removed, rotatesAddress = false, ...fields } = edit
  return recordChanges(
    site,
    files.map(({ file, tags }) => ({
      verb: 'file.updated',
      target: file.id,
      before: { ...pick(file, fields), tags, rotatesAddress: false },
      after: { ...fields, tags: tagsAfter(tags, edit), rotatesAddress },
    })),
  )
}

/** The fields of the file that the edit names. */
const pick = (file: ShownFile['file'], fields: Omit<FileEdit, 'tags'>) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, file[name as keyof typeof file]]))

/** Signed addresses end if the caller says so, and with a change of privacy: of the file, or by its album. */
async function idsWithNewAddresses(
  { db }: ChangingSite,
  files: readonly ShownFile[],
  { rotatesAddress = false, isPrivate, albumId }: FileEdit,
): Promise<string[]> {
  const privacies = new Map<string | undefined, Privacy>([[undefined, 'public']])
  const albumIds =
    albumId === undefined ? [] : [albumId ?? undefined, ...files.map(({ file }) => file.albumId)]
  for (const id of new Set(albumIds.filter((each) => each !== undefined)))
    privacies.set(id, (await findAlbum(db, id))?.privacy ?? 'public')
  const isMovedElsewhere = ({ file }: ShownFile) =>
    albumId !== undefined &&
    hidingOf(privacies.get(file.albumId)) !== hidingOf(privacies.get(albumId ?? undefined))
  const isOtherwisePrivate = ({ file }: ShownFile) => isPrivate !== undefined && file.isPrivate !== isPrivate
  return files
    .filter((shown) => rotatesAddress || isOtherwisePrivate(shown) || isMovedElsewhere(shown))
    .map(({ file }) => file.id)
}

/** Public albums and those for the link hide no bytes. */
const hidingOf = (privacy: Privacy | undefined) =>
  privacy === 'password' || privacy === 'private' ? privacy : undefined

/** Whether the edit changes a text that is searched. */
const changesWords = ({ title, description, tags, addTags, removeTags }: FileEdit) =>
  [title, description, tags, addTags, removeTags].some((each) => each !== undefined)

async function changeTags(site: ChangingSite, files: readonly ShownFile[], edit: FileEdit): Promise<void> {
  const changes = files.map(({ file, tags }) => {
    const after = tagsAfter(tags, edit)
    return {
      id: file.id,
      added: after.filter((name) => !tags.includes(name)),
      removed: tags.filter((name) => !after.includes(name)),
    }
  })
  await makeTags(site, [...new Set(changes.flatMap(({ added }) => added))])
  await deleteFileTags(
    site.db,
    changes.flatMap(({ id, removed }) => removed.map((tagName) => ({ fileId: id, tagName }))),
  )
  await insertTagsOfFiles(
    site.db,
    changes.flatMap(({ id, added }) => added.map((tagName) => ({ fileId: id, tagName }))),
  )
}

function tagsAfter(before: readonly string[], { tags, addTags = [], removeTags = [] }: FileEdit): string[] {
  const all = new Set([...(tags ?? before), ...addTags])
  for (const name of removeTags) all.delete(name)
  return [...all]
}

/** Unlike an upload, an edit is refused if the site may have no more tags. */
async function makeTags(site: ChangingSite, names: readonly string[]): Promise<void> {
  const limit = limitOf(site.values, 'SERVICE_MAX_TAGS')
  const known = await knownTags(site.db, names)
  for (const name of names.filter((each) => !known.has(each))) {
    if (!(await addToTotal(site.db, 'tags', 1, limit))) throw limitReached('SERVICE_MAX_TAGS', limit ?? 0)
    if (await insertTag(site.db, name, site.clock.now())) await recordNewTag(site, name)
  }
}
